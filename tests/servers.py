"""Servers of this machine for the tests."""

import re
import threading
from contextlib import contextmanager
from http.server import ThreadingHTTPServer


@contextmanager
def serving(handler, **state):
    """A running server; its ``address``, and ``state`` for the handlers, are attributes of it."""
    handler.log_message = lambda *_: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        vars(server).update(state, address=f"http://127.0.0.1:{server.server_port}")
        server.handle_error = lambda *_: None  # a client that hangs up is part of the tests
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def send_content(handler, content, etag="", fault="", *, ranges=True):
    """Answer with a file, or with its end where a client asks for that; ``fault`` says what is wrong with the answer."""
    byte_range = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range") or "")
    start = int(byte_range[1]) if byte_range and ranges else 0
    if fault.isdigit() or (start and start >= len(content)):
        handler.send_error(int(fault) if fault.isdigit() else 416)
        return
    rest = bytes(len(content) - start) if fault == "other bytes" else content[start:]
    handler.send_response(206 if start else 200)
    handler.send_header("Connection", "close")
    if start:
        first = start + 7 if fault == "wrong range" else start
        handler.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
    if etag:
        handler.send_header("ETag", etag)
    if fault == "endless":
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for _ in range(200):
            handler.wfile.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        return
    length = len(rest) + {"too long": 5000, "too short": -50}.get(fault, 0)
    handler.send_header("Content-Length", str(length))
    handler.end_headers()
    handler.wfile.write(rest[: len(rest) // 2] if fault == "break" else rest[:length])

"""A server of this machine that breaks off, lies and sends the wrong file, and the entries that it serves."""

import hashlib
import random
import re
from http.server import BaseHTTPRequestHandler

from embeddings.sources.catalogue import CatalogueEntry, CatalogueFile
from embeddings.sources.fetching import fetch

TEXT = bytes(random.Random(1).choices(range(32, 127), k=380_000))  # more than a few pieces
OTHER = TEXT[::-1]


class Server:
    """What is sent, and how: each answer takes the next of ``faults``, then none is left."""

    def __init__(self):
        self.files = {"/a.txt": TEXT}
        self.faults = []
        self.tag = '"1"'
        self.ranges = True
        self.requested_ranges = []
        self.base = ""

    def __call__(self, path):
        return self.base + path


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        server = self.server.state
        server.requested_ranges.append(self.headers.get("Range"))
        self.close_connection = True
        fault = server.faults.pop(0) if server.faults else ""
        body = server.files.get(self.path)
        if body is None or fault == "503":
            self.send_error(404 if body is None else 503)
        elif fault.startswith("to "):
            self.send_response(302)
            self.send_header("Location", fault[3:])
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            byte_range = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
            same = self.headers.get("If-Range") in (None, server.tag)
            start = int(byte_range[1]) if byte_range and server.ranges and same else 0
            self.send_body(body, start, fault)

    def send_body(self, body, start, fault):
        server = self.server.state
        if start and start >= len(body):
            self.send_error(416)
            return
        rest = body[start:]
        self.send_response(206 if start else 200)
        if start:
            begin = start + 7 if fault == "wrong range" else start
            self.send_header("Content-Range", f"bytes {begin}-{len(body) - 1}/{len(body)}")
        if server.tag:
            self.send_header("ETag", server.tag)
        if fault == "endless":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for _ in range(100):
                self.wfile.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            return
        length = len(rest) + {"too long": 5000, "too short": -5000}.get(fault, 0)
        if fault != "no length":
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(rest[: len(rest) // 2] if fault == "break" else rest[:length])


def digest(content):
    return hashlib.sha256(content).hexdigest()


def entry(*files, kind="corpus", name="one"):
    return CatalogueEntry(name, "One", kind, ("en",), "CC0-1.0", "https://example.org", "", files)


def known(server, **changes):
    """An entry of one file whose size and checksum are known beforehand."""
    values = {"size": len(TEXT), "sha256": digest(TEXT), "mirror": "texts/a.txt"} | changes
    return entry(CatalogueFile("a.txt", server("/a.txt"), **values))


def unknown(server, path="/a.txt"):
    return entry(CatalogueFile("a.txt", server(path)))


def get(wanted, folder, **options):
    return fetch(wanted, folder, **options)


def visible(folder):
    """Files under their final names."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    )

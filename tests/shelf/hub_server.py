"""A Hub of this machine: the paths, headers and errors of huggingface.co as huggingface_hub asks for them, and faults on demand.

Small files are sent from ``/api/resolve-cache/models/...`` behind a redirect, weights by another server behind a signed address, as the
Hub sends both.
"""

import hashlib
import os
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from huggingface_hub import constants

from embeddings.sources import downloads

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = ".safetensors"


class Hub:
    """Repositories by name, each a mapping of file to bytes; what was asked, and the faults that answers take."""

    def __init__(self):
        self.repositories = {}
        self.revisions = {"main", "refs/pr/5", COMMIT}
        self.gated = set()
        self.token = ""  # that opens what is gated
        self.faults = {}  # name of a file -> faults of the next answers with its bytes
        self.heads = {}  # name of a file -> headers in place of the true ones
        self.requests = []  # (server, method, path, Authorization, Range)
        self.address = self.storage = ""

    def asked(self, method, file):
        return [
            r for r in self.requests if r[1] == method and r[2].partition("?")[0].endswith(file)
        ]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def hub(self):
        return self.server.hub

    def note(self, server):
        authorization, byte_range = self.headers.get("Authorization"), self.headers.get("Range")
        self.hub.requests.append((server, self.command, self.path, authorization, byte_range))
        self.close_connection = True

    def answer(self, status, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": "0", "Connection": "close", **headers}.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def send_content(self, content, file, etag):
        fault = (self.hub.faults.get(file) or [""]).pop(0) if self.command == "GET" else ""
        if fault.isdigit():
            self.answer(int(fault))
            return
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        begin = int(asked[1]) if asked else 0
        end = min(int(asked[2]) + 1 if asked and asked[2] else len(content), len(content))
        rest = content[begin:end]
        if fault == "other bytes":
            rest = bytes(len(rest))
        length = len(rest) + {"longer": 5000, "shorter": -50}.get(fault, 0)
        headers = {"ETag": f'"{etag}"', "Content-Length": length}
        if asked:
            headers["Content-Range"] = f"bytes {begin}-{end - 1}/{len(content)}"
        if fault == "endless":
            headers["Transfer-Encoding"], headers["Content-Length"] = "chunked", None
        self.answer(206 if asked else 200, **headers)
        if self.command == "HEAD":
            return
        if fault == "endless":
            for _ in range(200):
                self.wfile.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            return
        self.wfile.write(rest[: len(rest) // 2] if fault == "break" else rest[:length])


class _HubHandler(_Handler):
    def do_GET(self):
        self.note("hub")
        parts = unquote(urlsplit(self.path).path).strip("/").split("/")
        is_small = parts[:3] == ["api", "resolve-cache", "models"]
        match = re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/([^/]+)", urlsplit(self.path).path)
        if is_small:
            name, revision, file = "/".join(parts[3:5]), parts[5], parts[6]
        elif match:
            name, revision, file = match[1], unquote(match[2]), match[3]
        else:
            self.answer(404)
            return
        if not self.is_refused(name, revision, file):
            self.send_file(name, file, is_small)

    do_HEAD = do_GET  # noqa: N815

    def is_refused(self, name, revision, file):
        files = self.hub.repositories.get(name)
        authorization = self.headers.get("Authorization")
        if authorization and authorization != f"Bearer {self.hub.token}":
            wrong = "Invalid credentials in Authorization header"
            self.answer(401, X_Error_Message=wrong)
        elif files is None:  # so that names of private ones are not told
            self.answer(404 if authorization else 401, X_Error_Code="RepoNotFound")
        elif revision not in self.hub.revisions:
            self.answer(404, X_Error_Code="RevisionNotFound")
        elif name in self.hub.gated and not authorization:
            self.answer(401, X_Error_Code="GatedRepo")
        elif file not in files:
            self.answer(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
        else:
            return False
        return True

    def send_file(self, name, file, is_small):
        content = self.hub.repositories[name][file]
        if file.endswith(LARGE):
            digest = hashlib.sha256(content).hexdigest()
            about = {
                "X_Repo_Commit": COMMIT,
                "X_Linked_Size": len(content),
                "X_Linked_ETag": f'"{digest}"',
                "Location": f"{self.hub.storage}/{digest}?file={file}&Signature=secret-of-storage",
            }
            self.answer(302, **about | self.hub.heads.get(file, {}))
        elif not is_small:
            self.answer(
                307,
                X_Repo_Commit=COMMIT,
                Location=f"/api/resolve-cache/models/{name}/{COMMIT}/{file}",
            )
        elif self.command == "HEAD" and file in self.hub.heads:
            blob = {"X_Repo_Commit": COMMIT, "ETag": f'"{_git(content)}"'}
            self.answer(200, **{**blob, "Content-Length": len(content)} | self.hub.heads[file])
        else:
            self.send_small(content, file)

    def send_small(self, content, file):
        end_headers = self.end_headers

        def with_commit():
            self.send_header("X-Repo-Commit", COMMIT)
            end_headers()

        self.end_headers = with_commit
        self.send_content(content, file, _git(content))


class _StorageHandler(_Handler):
    def do_GET(self):
        self.note("storage")
        asked = urlsplit(self.path)
        for files in self.hub.repositories.values():
            for file, content in files.items():
                digest = hashlib.sha256(content).hexdigest()
                if asked.path == f"/{digest}" and f"file={file}&" in asked.query:
                    self.send_content(content, file, digest)
                    return
        self.answer(403)

    do_HEAD = do_GET  # noqa: N815


def _git(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@contextmanager
def running(monkeypatch, repositories):
    """Run a Hub with some repositories, and let ``HF_ENDPOINT`` name it; a download that breaks off is not tried again."""
    hub = Hub()
    hub.repositories = {name: dict(files) for name, files in repositories.items()}
    servers = []
    for kind, handler in (("address", _HubHandler), ("storage", _StorageHandler)):
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.hub = hub
        server.handle_error = lambda *_: None  # a client that hangs up is part of the tests
        setattr(hub, kind, f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
    monkeypatch.setenv("HF_ENDPOINT", hub.address)
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "KLYUCH_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", os.devnull)  # the developer's own
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(downloads, "RETRIES", 0)
    yield hub
    for server in servers:
        server.shutdown()
        server.server_close()

"""A Hub of this machine: the paths, headers and errors of huggingface.co as huggingface_hub asks for them, and faults on demand.

Small files are sent from ``/api/resolve-cache/models/...`` behind a redirect, weights by another server behind a signed address, as the
Hub sends both.
"""

import hashlib
import json
import math
import os
import re
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

from huggingface_hub import constants, file_download

from tests.servers import send_content, serving

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = ".safetensors"


class Hub:
    """Repositories by name, each a mapping of file to bytes; what was asked, and the faults that answers take."""

    def __init__(self):
        self.repositories = {}
        self.revisions = {"main", "refs/pr/5", COMMIT}
        self.gated = set()
        self.token = ""  # that opens what is gated
        self.card = {
            "language": ["ru", "en"],
            "license": "mit",
        }  # as the Hub reads it from the README
        self.faults = {}  # name of a file -> faults of the next answers with its bytes
        self.told = {}  # name of a file -> what is told of it in place of the truth; "" -> of the repository
        self.locations = {}  # name of a file -> where its redirect leads in place of the storage
        self.requests = []  # (server, method, path, Authorization, Range)
        self.address = self.storage = ""

    def asked(self, method, file):
        return [
            r for r in self.requests if r[1] == method and r[2].partition("?")[0].endswith(file)
        ]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

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
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def send_content(self, content, file, etag):
        fault = (self.hub.faults.get(file) or [""]).pop(0)
        send_content(self, content, f'"{etag}"', fault)


class _HubHandler(_Handler):
    def do_GET(self):
        self.note("hub")
        parts = unquote(urlsplit(self.path).path).strip("/").split("/")
        is_small = parts[:3] == ["api", "resolve-cache", "models"]
        match = re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/([^/]+)", urlsplit(self.path).path)
        if parts[:2] == ["api", "models"]:
            name, revision = "/".join(parts[2:4]), "/".join(parts[5:]) or "main"
            if not self.is_refused(name, revision, ""):
                self.tell(name)
            return
        if is_small:
            name, revision, file = "/".join(parts[3:5]), parts[5], parts[6]
        elif match:
            name, revision, file = match[1], unquote(match[2]), match[3]
        else:
            self.answer(404)
            return
        if not self.is_refused(name, revision, file):
            self.send_file(name, file, is_small)

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
        elif file and name in self.hub.gated and not authorization:
            self.answer(401, X_Error_Code="GatedRepo")  # what it holds is told to anybody
        elif file and file not in files:
            self.answer(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
        else:
            return False
        return True

    def tell(self, name):
        """Describe a repository as ``/api/models`` does: commit, files with size and checksum, metadata of the card, number of weights."""
        files, told = self.hub.repositories[name], self.hub.told
        siblings = []
        for file, content in files.items():
            about = {"rfilename": file, "size": len(content), "blobId": _git(content)}
            if file.endswith(LARGE):
                digest = hashlib.sha256(content).hexdigest()
                about["lfs"] = {"size": len(content), "sha256": digest, "pointerSize": 99}
            siblings.append(about | told.get(file, {}))
        weights = sum(_weights(content) for file, content in files.items() if file.endswith(LARGE))
        about = {"id": name, "sha": COMMIT, "siblings": siblings, "cardData": self.hub.card}
        about["safetensors"] = {"parameters": {"F32": weights}, "total": weights}
        content = json.dumps(about | told.get("", {})).encode()
        self.answer(200, **{"Content-Length": len(content)})
        self.wfile.write(content)

    def send_file(self, name, file, is_small):
        content = self.hub.repositories[name][file]
        if file.endswith(LARGE):
            digest = hashlib.sha256(content).hexdigest()
            address = f"{self.hub.storage}/{digest}?file={file}&Signature=secret-of-storage"
            self.answer(302, X_Repo_Commit=COMMIT, Location=self.hub.locations.get(file, address))
        elif not is_small:
            self.answer(
                307,
                X_Repo_Commit=COMMIT,
                Location=f"/api/resolve-cache/models/{name}/{COMMIT}/{file}",
            )
        else:
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


def _git(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _weights(content):
    """Count the weights that a file of safetensors describes; 0 where it is damaged, of which the Hub tells nothing."""
    try:
        head = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        return sum(int(math.prod(w["shape"])) for name, w in head.items() if name != "__metadata__")
    except (KeyError, TypeError, ValueError, OverflowError):
        return 0


@contextmanager
def running(monkeypatch, repositories):
    """Run a Hub with some repositories, and let ``HF_ENDPOINT`` name it; nobody waits before a download is tried again."""
    hub = Hub()
    hub.repositories = {name: dict(files) for name, files in repositories.items()}
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "KLYUCH_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", os.devnull)  # the developer's own
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 512)  # of 10 MB, which no file here has
    monkeypatch.setattr(file_download, "time", SimpleNamespace(sleep=lambda _: None))
    with serving(_HubHandler, hub=hub) as server, serving(_StorageHandler, hub=hub) as storage:
        hub.address, hub.storage = server.address, storage.address
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        yield hub

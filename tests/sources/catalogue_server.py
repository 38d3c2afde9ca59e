"""A server of this machine that breaks off, lies and sends the wrong file, and the entries that it serves."""

import hashlib
import random
from http.server import BaseHTTPRequestHandler

from embeddings.sources.catalogue import CatalogueEntry, CatalogueFile
from tests.servers import send_content

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

    def do_GET(self):
        server = self.server.state
        server.requested_ranges.append(self.headers.get("Range"))
        self.close_connection = True
        fault = server.faults.pop(0) if server.faults else ""
        body = server.files.get(self.path)
        if body is None:
            self.send_error(404)
        elif fault.startswith("to "):
            self.send_response(302)
            self.send_header("Location", fault[3:])
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            same = self.headers.get("If-Range") in (None, server.tag)
            send_content(self, body, server.tag, fault, ranges=server.ranges and same)


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


def visible(folder):
    """Files under their final names."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    )

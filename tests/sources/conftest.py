"""The server that the tests of downloads ask."""

import threading
from http.server import ThreadingHTTPServer

import pytest

from embeddings.sources import downloads
from tests.sources.catalogue_server import Handler, Server


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    """A download that breaks off is tried again at once."""
    monkeypatch.setattr(downloads, "FIRST_PAUSE", 0.0)


@pytest.fixture
def server():
    """A server of this machine whose next faults a test chooses."""
    state = Server()
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.state = state
    http.handle_error = lambda *_: None  # a client that hangs up is part of the tests
    state.base = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=lambda: http.serve_forever(poll_interval=0.01), daemon=True)
    thread.start()
    yield state
    http.shutdown()
    http.server_close()

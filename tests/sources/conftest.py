"""The server that the tests of downloads ask."""

import pytest

from embeddings.sources import downloads
from tests.servers import serving
from tests.sources.catalogue_server import Handler, Server


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    """A download that breaks off is tried again at once."""
    monkeypatch.setattr(downloads, "FIRST_PAUSE", 0.0)


@pytest.fixture
def server():
    """A server of this machine whose next faults a test chooses."""
    state = Server()
    with serving(Handler, state=state) as http:
        state.base = http.address
        yield state

"""Servers of the benchmarks are waited for until they answer."""

from http.server import BaseHTTPRequestHandler

import pytest

from benchmarks import servers
from benchmarks.servers import free_port, wait_until_healthy
from tests.servers import serving


class Unready(BaseHTTPRequestHandler):
    """A server that is not ready the first two times that it is asked for its health."""

    asked = 0

    def do_GET(self):
        Unready.asked += self.path == "/_stcore/health"
        self.send_response(200 if Unready.asked > 2 else 503)
        self.end_headers()


def test_a_server_is_waited_for_until_it_says_that_it_is_ready():
    with serving(Unready) as server:
        wait_until_healthy(server.server_port)
    assert Unready.asked == 3


def test_a_server_that_never_answers_is_an_error(monkeypatch):
    monkeypatch.setattr(servers, "TRIES", 2)
    port = free_port()
    with pytest.raises(TimeoutError, match=str(port)):
        wait_until_healthy(port)

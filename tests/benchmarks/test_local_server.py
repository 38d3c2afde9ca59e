"""Servers of the benchmarks: waited for until they answer; and the head of what a run measures."""

import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from importlib.metadata import version

import pytest

from benchmarks import local_server
from benchmarks.local_server import free_port, wait_until_healthy
from benchmarks.result_files import about, head_of_run
from benchmarks.speed import head_of_race
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
    monkeypatch.setattr(local_server, "TRIES", 2)
    port = free_port()
    with pytest.raises(TimeoutError, match=str(port)):
        wait_until_healthy(port)


def test_the_head_of_a_run_says_how_it_was_measured_and_how_long_it_took():
    head = head_of_run("python -m benchmarks.x", time.monotonic() - 100, commit="abc")
    assert 100 <= head["seconds"] < 160
    passed = datetime.now(UTC) - datetime.fromisoformat(head["created"])
    assert -1 <= passed.total_seconds() < 60
    known = about(head, "x")
    assert (known["commands"], known["commit"]) == (("python -m benchmarks.x",), "abc")
    assert known["machine"]
    assert "seconds" not in head_of_run("python -m benchmarks.x", commit="abc")


def test_the_head_of_a_race_names_the_versions_of_the_libraries_that_race():
    head = head_of_race("python -m benchmarks.x")
    assert {name: head["machine"][name] for name in ("numpy", "numba", "gensim")} == {
        name: version(name) for name in ("numpy", "numba", "gensim")
    }
    assert "cores" in about(head, "x")["machine"]

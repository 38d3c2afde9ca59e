"""``klyuch app`` starts the pages from any folder, and says why when it cannot."""

import os
import socket
import subprocess
import sys

import pytest

from benchmarks.servers import free_port, wait_until_healthy
from embeddings.cli import tools_commands
from embeddings.errors import InputError
from tests.blocked import ROOT

READ_ONLY = "/proc"  # nobody can write there, root included


@pytest.fixture
def taken():
    """A port that another program listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_taken_port_is_refused_with_a_free_one(run, taken):
    said = run("app", "--port", taken).refusal
    assert said.startswith(f"Port {taken} cannot be used: ")
    free = int(said.split()[-1])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", free))


def test_a_port_is_looked_for_on_the_address_that_the_pages_will_have(monkeypatch):
    other = "127.0.0.2"  # this machine too
    with socket.socket() as listener:
        listener.bind((other, 0))
        listener.listen()
        port = listener.getsockname()[1]
        tools_commands.check_port(port)  # taken there, free on the address of the pages
        monkeypatch.setattr(tools_commands, "ADDRESS", other)
        with pytest.raises(InputError, match=f"^Port {port} cannot"):
            tools_commands.check_port(port)


def test_the_pages_start_in_a_read_only_folder_and_print_their_address():
    port = free_port()
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    hidden = {name: value for name, value in os.environ.items() if name not in screens}
    server = subprocess.Popen(
        [sys.executable, "-m", "embeddings.cli", "app", "--port", str(port)],
        cwd=READ_ONLY,
        env={**hidden, "PYTHONPATH": str(ROOT), "KLYUCH_HOME": f"{READ_ONLY}/home"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        wait_until_healthy(port)
    finally:
        server.terminate()
        said, _ = server.communicate(timeout=60)
    assert f"http://localhost:{port}" in said
    assert "Traceback" not in said

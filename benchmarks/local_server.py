"""A server on this machine: a port that is free for it, and waiting until it answers."""

from __future__ import annotations

import socket
import time
import urllib.request

TRIES, PAUSE = 1200, 0.1  # seconds between two tries


def free_port() -> int:
    """Return a port of this machine on which nothing listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(port: int) -> None:
    """Wait until Streamlit says that the app on a port of this machine answers.

    Raises
    ------
    TimeoutError
        If it does not for two minutes.
    """
    for _ in range(TRIES):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
        except OSError:
            time.sleep(PAUSE)
        else:
            return
    raise TimeoutError(f"nothing answers on port {port}")

"""The proxy configurations of docs/howto/server.md, run as they stand there: pages, websocket, headers, and who is turned away."""

import json
import os
import shutil
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.servers import ONE, configuration, free_port, proxied, served, wait_until_healthy
from benchmarks.visits import Visit

ROOT = Path(__file__).resolve().parents[2]
INNER, NAME = "8501", "klyuch.example.org"
CORS = {"STREAMLIT_SERVER_ENABLE_CORS": "false"}

pytestmark = pytest.mark.slow


@contextmanager
def running(command, **options):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


def installed(name):
    """The path of a proxy; where CI says that they are there, their absence is an error."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if path is None and not os.environ.get("KLYUCH_PROXIES"):
        pytest.skip(f"{name} is not installed")
    assert path, f"{name} is not installed"
    return path


@contextmanager
def nginx(inner, _):
    with proxied([inner]) as port:
        yield port


@contextmanager
def caddy(inner, folder):
    port = free_port()
    text = (
        configuration(ONE, "caddy")
        .replace(NAME, f"http://127.0.0.1:{port}")
        .replace(INNER, str(inner))
    )
    config = folder / "Caddyfile"
    config.write_text("{\n    admin off\n}\n" + text)
    home = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    command = [installed("caddy"), "run", "--config", str(config), "--adapter", "caddyfile"]
    with running(command, env=home):
        wait_until_healthy(port)
        yield port


PROXIES = {"nginx": nginx, "caddy": caddy}


@pytest.mark.parametrize("name", PROXIES)
def test_a_visit_through_the_proxy_has_pages_websocket_and_headers(name, tmp_path):
    installed(name)
    with served(tmp_path, **CORS) as (inner, _), PROXIES[name](inner, tmp_path) as port:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20) as answer:
            assert b"<div id=" in answer.read()
            assert "default-src 'self'" in answer.headers["content-security-policy"]
            assert answer.headers["x-content-type-options"] == "nosniff"
        with Visit(port) as visit:
            visit.open("lang=en")
            assert "shelf" in json.dumps(visit.navigation())


@pytest.mark.parametrize("name", PROXIES)
def test_through_a_proxy_a_server_for_this_machine_turns_visitors_away(name, tmp_path):
    installed(name)
    private = {**CORS, "KLYUCH_PUBLIC": "0"}
    with served(tmp_path, **private) as (inner, _), PROXIES[name](inner, tmp_path) as port:
        visitor = {"X-Forwarded-For": "203.0.113.9"}
        request = urllib.request.Request(f"http://127.0.0.1:{inner}/", headers=visitor)
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(request, timeout=20)
        if name == "nginx":  # Caddy does not believe a visitor's header
            outer = urllib.request.Request(f"http://127.0.0.1:{port}/", headers=visitor)
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(outer, timeout=20)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20) as answer:
            assert answer.status == 200

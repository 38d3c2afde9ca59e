"""The real app in a real chromium, with the models that ship."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from benchmarks.servers import free_port, wait_until_healthy

expect.set_options(timeout=120_000)
ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ELSEWHERE = "http://elsewhere.invalid"  # asked for by a test, and refused by the browser
STARTED = []  # servers that this process has started
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def start_server(home):
    """Start the app with its own data in ``home``, and return its port and process number."""
    port = free_port()
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "streamlit", "run", "app/server.py", "--server.headless=true"),
            *(f"--server.port={port}", "--server.address=127.0.0.1"),
        ],
        cwd=ROOT,
        env={**os.environ, "KLYUCH_HOME": str(home), "KLYUCH_WARM": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until_healthy(port)
    STARTED.append(server)
    return port, server.pid


@contextmanager
def locked(folder):
    """Keep other processes of the test run out."""
    with (folder / "server.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """Address of one app for all processes of the test run: the first starts it, the last one ends it."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    shared = folder / "server.json"
    with locked(folder):
        if not shared.exists():
            home = os.environ.get("KLYUCH_TEST_HOME") or folder / "empty-home"
            shared.write_text(json.dumps([*start_server(home), 0]))
        port, process, users = json.loads(shared.read_text())
        shared.write_text(json.dumps([port, process, users + 1]))
    yield f"http://127.0.0.1:{port}"
    with locked(folder):
        port, process, users = json.loads(shared.read_text())
        shared.write_text(json.dumps([port, process, users - 1]))
        if users == 1:
            shared.unlink()
            os.kill(process, signal.SIGTERM)


@pytest.fixture(scope="session")
def chromium():
    """A browser: the one that KLYUCH_BROWSER names, or the first on the path."""
    named = os.environ.get("KLYUCH_BROWSER")
    path = named or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail("no chromium: install one, or set KLYUCH_BROWSER to its path")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def reader(chromium):
    """An English reader's browser, which fetches Streamlit's scripts (some megabytes) once."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    yield context
    context.close()


@contextmanager
def new_page(reader, address):
    """A page of its own; in the end nothing that it asked for came from elsewhere."""
    page, requested = reader.new_page(), []
    page.on("request", lambda request: requested.append(request.url))
    yield page
    page.close()
    inside = (address, address.replace("http", "ws"), "data:", "blob:", "file:", ELSEWHERE)
    assert [url for url in requested if not url.startswith(inside)] == []


@pytest.fixture
def page(reader, address):
    """A fresh visit in English: of the visits before, only the scripts are kept."""
    with new_page(reader, address) as visited:
        visited.set_default_timeout(120_000)
        yield visited
        visited.evaluate(
            "() => { try { localStorage.clear() } catch { /* no page was opened */ } }"
        )
    reader.clear_cookies()


@pytest.fixture
def visit(chromium):
    """Return a function that opens a file with the network cut; at the end nothing was asked for and nothing went wrong."""
    contexts, trouble = [], []

    def is_opened(request):
        return request.is_navigation_request() and request.url.startswith("file:")

    def opened(path, **options):
        context = chromium.new_context(
            viewport={"width": 1280, "height": 900}, offline=True, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: (trouble.append(dialog.message), dialog.dismiss()))
        page.on(
            "request", lambda request: None if is_opened(request) else trouble.append(request.url)
        )
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert trouble == []

"""``klyuch app``: the pages in the browser, from any folder.

Streamlit takes the place of this process, so that Ctrl+C and a signal reach it. The folder that holds ``app/`` is put on the
path of that process alone: ``embeddings/page`` in a wheel, the repository in a clone.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import webbrowser
from contextlib import ExitStack
from pathlib import Path

from embeddings.cli.nouns import verb
from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.optional import require

PORT, HIGHEST_PORT = 8501, 65_535
ADDRESS = "localhost"  # this machine alone
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
START = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('streamlit', run_name='__main__', alter_sys=True)"
)


@verb("app")
def app(*, port: int = PORT, browser: bool = True) -> None:
    """Start the pages and open them in the browser; Ctrl+C stops them."""
    require("streamlit", "pandas", "plotly")
    check_range("port", port, 1, HIGHEST_PORT)
    check_port(port)
    folder = page_folder()
    options = {
        "server.port": port,
        "server.address": ADDRESS,
        "server.headless": str(not (browser and has_browser())).lower(),
        "server.fileWatcherType": "none",
    }
    sys.stdout.flush()
    # -P: a module in the folder that the person is in must not stand in for one of ours
    command = [sys.executable, "-P", "-c", START, str(folder)]
    command += ["run", str(folder / "app" / "server.py")]
    os.execv(sys.executable, command + [f"--{name}={value}" for name, value in options.items()])


def page_folder() -> Path:
    """Return the folder that holds ``app/``: inside the package in a wheel, next to it in a clone."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "page"
    return inside if inside.is_dir() else package.parent


def check_port(port: int) -> None:
    """Refuse a port that cannot be opened.

    Raises
    ------
    InputError
        If another program has it, or the system keeps it for itself; the sentence names a free one.
    """
    try:
        _bind(port)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        code = "port_taken" if error.errno == errno.EADDRINUSE else "port_right"
        raise InputError(code, port=port, free=free_port(port)) from error


def free_port(after: int) -> int:
    """Return the next port above ``after`` and 1023 that is free, else any that the system gives."""
    for port in range(max(after, 1023) + 1, min(max(after, 1023) + 100, HIGHEST_PORT)):
        try:
            return _bind(port)
        except OSError:
            continue
    return _bind(0)


def _bind(port: int) -> int:
    """Open a port for a moment on every address that `ADDRESS` stands for, and return its number."""
    addresses = socket.getaddrinfo(ADDRESS, port, type=socket.SOCK_STREAM)
    with ExitStack() as probes:
        for family, kind, protocol, _, (host, *_) in addresses:
            probe = probes.enter_context(socket.socket(family, kind, protocol))
            if os.name == "posix":  # a port that was closed a moment ago is free
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            port = int(probe.getsockname()[1])
    return port


def has_browser() -> bool:
    """Whether a browser can be opened: there is one, and a screen to show it on."""
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, SCREENS))

"""The app as servers on this machine: one, or several behind nginx, their ports and their memory.

nginx gets the configurations of docs/howto: one process (server.md) or several (several_processes.md). Their text is changed in its ports
alone; nginx listens to this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from benchmarks.source_tree import ROOT

TRIES, PAUSE = 1200, 0.1  # seconds between two tries
LOOK = 5.0  # seconds between two looks at the memory of servers
HOW_TO = ROOT / "docs" / "howto"
ONE, SEVERAL = "Behind a proxy", "Share visitors between them"  # headings
PAGES = {ONE: HOW_TO / "server.md", SEVERAL: HOW_TO / "several_processes.md"}
PORTS = (8501, 8502)  # of the app on the page
MAX_SERVERS = len(PORTS)
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
MISSING = "nginx is not installed, and several server processes need it: apt-get install nginx-light, or leave --servers out."


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


@contextmanager
def served(
    home: Path, log: IO[str] | None = None, module: str = "streamlit", **settings: str
) -> Iterator[tuple[int, int]]:
    """Port and process number of the app, public unless ``settings`` of its environment say otherwise.

    What it says goes to ``log``, or in the end to standard error. ``module`` is run in Streamlit's place.
    """
    port = free_port()
    command = [sys.executable, "-m", module, "run", "app/server.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1"]
    own = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed below
    server = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "KLYUCH_HOME": str(home), "KLYUCH_PUBLIC": "1", **settings},
        stdout=subprocess.DEVNULL,
        stderr=log or own,
    )
    try:
        wait_until_healthy(port)
        yield port, server.pid
    finally:
        server.terminate()
        server.wait(20)
        own.seek(0)
        sys.stderr.write(own.read()[-20_000:])
        own.close()


def configuration(heading: str, kind: str = "nginx") -> str:
    """Return the configuration of a proxy under a heading of its page."""
    path = PAGES[heading]
    page = path.read_text(encoding="utf-8")
    _, _, below = page.partition(f"\n## {heading}\n")
    section, _, _ = below.partition("\n## ")
    found = re.search(rf"```{kind}\n(.*?)```", section, re.DOTALL)
    if found is None:
        raise ValueError(f"{path.name} has no configuration of {kind} under {heading!r}")
    return found[1]


def with_ports(text: str, ports: Mapping[int, int]) -> str:
    """Return a configuration with other ports, each where it stands behind a colon."""
    return re.sub(r"(?<=:)\d{4}\b", lambda match: str(ports.get(int(match[0]), match[0])), text)


def nginx() -> str | None:
    """Return where nginx is; Debian has it outside a user's path."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


@contextmanager
def proxied(inner: Sequence[int]) -> Iterator[int]:
    """Port of nginx before the app on these ports of this machine, one or two.

    Raises
    ------
    SystemExit
        If nginx is not installed.
    """
    program = nginx()
    if program is None:
        raise SystemExit(MISSING)
    port = free_port()
    text = with_ports(
        configuration(ONE if len(inner) == 1 else SEVERAL), dict(zip(PORTS, inner, strict=False))
    ).replace("listen 80;", f"listen 127.0.0.1:{port};")
    with tempfile.TemporaryDirectory() as folder:
        own = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in TEMPORARY)
        config = Path(folder) / "nginx.conf"
        config.write_text(
            f"pid {folder}/pid;\nerror_log {folder}/error.log;\ndaemon off;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{own}{text}}}\n",
            encoding="utf-8",
        )
        process = subprocess.Popen(
            [program, "-c", str(config), "-p", folder, "-e", f"{folder}/error.log"]
        )
        try:
            wait_until_healthy(port)
            yield port
        finally:
            process.terminate()
            process.wait(20)


@contextmanager
def balanced(
    servers: int, home: Path, log: IO[str] | None = None
) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """Port for visitors, ports and process numbers of so many servers over one home; one alone has no proxy before it.

    Raises
    ------
    SystemExit
        If several are asked for and nginx is not installed.
    """
    if servers > 1 and nginx() is None:
        raise SystemExit(MISSING)
    with ExitStack() as stack:
        started = [stack.enter_context(served(home, log)) for _ in range(servers)]
        ports, processes = zip(*started, strict=True)
        port = stack.enter_context(proxied(ports)) if servers > 1 else ports[0]
        yield port, ports, processes


def memory_of(process: int) -> int:
    """Resident bytes of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def memory_in_all(process: int) -> int:
    """Resident bytes of a process and of those that it started, as UMAP's."""
    started: set[str] = set()
    for task in Path(f"/proc/{process}/task").iterdir():
        with suppress(OSError):  # the thread has ended
            started.update((task / "children").read_text(encoding="ascii").split())
    size = memory_of(process)
    for child in started:
        with suppress(OSError):
            size += memory_of(int(child))
    return size


@contextmanager
def memory_watched(processes: Sequence[int]) -> Iterator[list[tuple[float, int]]]:
    """Minutes since the beginning, and the bytes of processes and their children then, every few seconds and at the end.

    What processes share, as the weights of models, counts in each of them.
    """

    def bytes_now() -> int:
        return sum(map(memory_in_all, processes))

    begun, seen, over = time.monotonic(), [(0.0, bytes_now())], threading.Event()

    def look() -> None:
        ended = False
        while not ended:
            ended = over.wait(LOOK)
            seen.append(((time.monotonic() - begun) / 60, bytes_now()))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()

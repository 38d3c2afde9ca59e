"""The app behind nginx, by the configurations of docs/howto: one process (server.md) or several (several_processes.md).

The text of the page is changed in its ports alone; nginx listens to this machine.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from benchmarks.local_server import free_port, wait_until_healthy
from benchmarks.source_tree import ROOT
from benchmarks.visits import served

HOW_TO = ROOT / "docs" / "howto"
ONE, SEVERAL = "Behind a proxy", "Share visitors between them"  # headings
PAGES = {ONE: HOW_TO / "server.md", SEVERAL: HOW_TO / "several_processes.md"}
PORTS = (8501, 8502)  # of the app on the page
MOST = len(PORTS)
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
MISSING = "nginx is not installed, and several server processes need it: apt-get install nginx-light, or leave --servers out."


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

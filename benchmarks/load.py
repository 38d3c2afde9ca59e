"""What visitors wait when many ask at once: sessions over Streamlit's own websocket, each of which types, reads, and types again.

``python -m benchmarks.load --visits 20 --seconds 120`` starts the app, opens the visits and lets each change the word on Explore, the
sentence on Fill the blank and the formula on Analogies, with pauses as people make them. A wait lasts from the message that a widget
sends until the server says that the page is drawn; what the browser then needs is not in it.
"""

from __future__ import annotations

import argparse
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg  # noqa: TID251
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: TID251
from streamlit.proto.WidgetStates_pb2 import WidgetState  # noqa: TID251
from websockets.sync.client import ClientConnection, connect

from benchmarks.result_files import RESULTS, Measurements, about, table_of, write_results
from benchmarks.source_tree import ROOT, source_commit
from embeddings.results.experiment import Experiment
from embeddings.vectors.formats.card import machine

QUESTION = "How long do many visitors at once wait for the pages?"
WORDS = [
    "spring",
    "dog",
    "bread",
    "queen",
    "river",
    "money",
    "music",
    "window",
    "teacher",
    "summer",
]
FORMULAS = [f"{first} - man + woman" for first in ("king", "uncle", "actor", "prince", "father")]
SENTENCES = [f"The {word} is in the [MASK]." for word in WORDS]
PAGES = {  # page: the widget that is typed into, and what
    "": ("word", WORDS),
    "analogies": ("formula", FORMULAS),
    "fill": ("fill_first", SENTENCES),
}
SHARES = (0.6, 0.25, 0.15)  # of visits that stay on each
PAUSE = 4.0  # seconds that people read, on average
Value = bool | int | str | list[str]  # of a switch, a slider, a field, of buttons in a row
COLUMNS = {"visits": 0, "answers": 0, "median": 2, "p95": 2, "slowest": 2, "memory_bytes": 0}


class Visit:
    """One visitor: a websocket and what the page shows; a context."""

    def __init__(self, port: int, timeout: float = 120.0) -> None:
        self.port, self.timeout = port, timeout
        self.widgets: dict[str, str] = {}  # key: id
        self._states: dict[str, WidgetState] = {}  # what was set, by key
        self._messages: list[ForwardMsg] = []
        self._page = ""

    def __enter__(self) -> Visit:
        address = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        self._opening = connect(
            address,
            subprotocols=["streamlit"],
            max_size=None,
            open_timeout=self.timeout,
            ping_interval=None,
        )
        self.connection: ClientConnection = self._opening.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._opening.__exit__(*error)

    def open(self, query: str = "", page: str = "") -> float:
        """Open a page as a link does; return the seconds until it is drawn."""
        self._page, self.query = page, query
        self._states.clear()
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_name = page
        return self._answered(message)

    def set(self, key: str, value: Value) -> float:
        """Set the widget whose key this is, as typing or sliding does; return the seconds until the page is drawn anew."""
        state = self._states[key] = WidgetState(id=self.widgets[key])
        if isinstance(value, bool):
            state.bool_value = value
        elif isinstance(value, int):
            state.double_array_value.data.append(value)
        elif isinstance(value, list):
            state.string_array_value.data.extend(value)
        else:
            state.string_value = value
        return self.again()

    def again(self) -> float:
        """Ask for the page anew; return the seconds until it is drawn."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_script_hash = self._hash
        message.rerun_script.widget_states.widgets.extend(self._states.values())
        return self._answered(message)

    def navigation(self) -> list[str]:
        """Return the names of the pages."""
        pages = [m.navigation for m in self._messages if m.WhichOneof("type") == "navigation"]
        return [page.url_pathname for page in pages[-1].app_pages]

    def _answered(self, message: BackMsg) -> float:
        """Send, and read until the page is drawn."""
        begun = time.monotonic()
        self.connection.send(message.SerializeToString())
        self._messages.clear()
        while True:
            raw = self.connection.recv(timeout=self.timeout)
            answer = ForwardMsg.FromString(raw if isinstance(raw, bytes) else raw.encode())
            self._messages.append(answer)
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self._hash = answer.new_session.page_script_hash
            elif kind == "navigation":
                self._hash = answer.navigation.page_script_hash or self._hash
            elif kind == "delta":
                self._note(answer)
            elif kind == "script_finished" and answer.script_finished == 0:
                return time.monotonic() - begun

    def _note(self, answer: ForwardMsg) -> None:
        """Remember the widgets, by key."""
        element = answer.delta.new_element
        kind = element.WhichOneof("type")
        if kind and (identity := getattr(getattr(element, kind), "id", "")):
            self.widgets[identity.rpartition("-")[2]] = identity

    def exceptions(self) -> list[str]:
        """Return the tracebacks on the page."""
        elements = (m.delta.new_element for m in self._messages if m.WhichOneof("type") == "delta")
        return [e.exception.message for e in elements if e.WhichOneof("type") == "exception"]


@contextmanager
def served(home: Path, **settings: str) -> Iterator[tuple[int, int]]:
    """Port and process number of the app, public unless ``settings`` of its environment say otherwise."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app/server.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1"]
    log = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed below
    server = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "KLYUCH_HOME": str(home), "KLYUCH_PUBLIC": "1", **settings},
        stdout=subprocess.DEVNULL,
        stderr=log,
    )
    try:
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.1)
        yield port, server.pid
    finally:
        server.terminate()
        server.wait(20)
        log.seek(0)
        sys.stderr.write(log.read()[-20_000:])
        log.close()


def memory_of(process: int) -> int:
    """Resident bytes of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def visit(port: int, number: int, until: float, waits: dict[str, list[float]]) -> None:
    """Be one visitor until the time is over."""
    chance = random.Random(number)
    page = chance.choices(list(PAGES), SHARES)[0]
    key, texts = PAGES[page]
    with Visit(port) as visitor:
        waits[page].append(visitor.open("lang=en&text=en", page))
        while time.monotonic() < until:
            time.sleep(chance.expovariate(1 / PAUSE))
            waits[page].append(visitor.set(key, chance.choice(texts)))
            if errors := visitor.exceptions():
                raise RuntimeError(errors[0])


def measure(port: int, process: int, visits: int, seconds: float) -> dict[str, Any]:
    """Let visitors come for so many seconds; return what they waited."""
    waits: dict[str, list[float]] = {page: [] for page in PAGES}
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(target=visit, args=(port, number, until, waits))
        for number in range(visits)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    every = sorted(wait for page in waits.values() for wait in page)
    return {
        "visits": visits,
        "answers": len(every),
        "median": statistics.median(every),
        "p95": every[int(0.95 * (len(every) - 1))],
        "slowest": every[-1],
        "memory_bytes": memory_of(process),
        "load_average": os.getloadavg()[0],
        "pages": {
            page or "explore": statistics.median(each) for page, each in waits.items() if each
        },
    }


def load_experiment(measured: Measurements) -> Experiment:
    """Return the table."""
    table = table_of("waits", measured["loads"], COLUMNS)
    return Experiment("load", QUESTION, (), (table,), (), **about(measured, "load"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--visits", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--home", type=Path, default=Path("/nonexistent"))
    parser.add_argument("--output", type=Path, default=RESULTS / "load.json")
    options = parser.parse_args()
    begun = time.monotonic()
    with served(options.home) as (port, process):
        with Visit(port) as warm:  # what is opened once is opened before
            for page, (key, texts) in PAGES.items():
                warm.open("lang=en&text=en", page)
                warm.set(key, texts[0])
        loads = [measure(port, process, visits, options.seconds) for visits in (1, options.visits)]
    measured: Measurements = {
        "command": f"python -m benchmarks.load --visits {options.visits} --seconds {options.seconds:g}",
        "commit": source_commit(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "cores": os.cpu_count(),
        "seconds": time.monotonic() - begun,
        "loads": loads,
    }
    write_results(options.output, load_experiment(measured), measured)
    print(loads)


if __name__ == "__main__":
    main()

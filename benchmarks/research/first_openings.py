"""How long the first visitor of each page waits after a start of the server: as it stands, and once the server has opened its pages itself.

    python -m benchmarks.research.first_openings [--before FILE]

Before, each page is opened in a server of its own that has just started (``KLYUCH_WARM=0``), and what Numba compiles is not on disk: a
fresh copy. After, all pages are opened in turn in one server whose log says that the English pages are warmed. Given are seconds on the
clock, which what else runs on the machine prolongs, and milliseconds of the server's processor time until the page is drawn, which it
hardly does. ``--before`` names a file that this script wrote earlier, whose openings of a fresh copy are taken.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from benchmarks.clicks import PAGES, check, processor_time
from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    table_of,
    write_results,
)
from benchmarks.servers import memory_of, served
from benchmarks.visits import Visit
from embeddings.files import read_json
from embeddings.lab.experiment_files import parse
from benchmarks.verdict_rules import below, make_claim
from embeddings.lab.experiment import Experiment, Measured

QUESTION = "How long does the first visitor of a page wait after a start of the server?"
MARK = 1000.0  # milliseconds of processor time of an opening, once the server has opened its pages
LONGEST = 540.0  # seconds for the warm-up
STARTING = 2.0  # seconds that a server rests before it is asked
DIGITS = {
    "page": 0,
    "before_seconds": 1,
    "before": 0,
    "seconds": 2,
    "milliseconds": 0,
}


def opening(port: int, process: int, page: str) -> tuple[float, float]:
    """Return seconds on the clock and milliseconds of the server's processor time until a page is drawn."""
    with Visit(port, timeout=LONGEST) as visitor:
        begun = processor_time(process)
        seconds = visitor.open("lang=en&text=en", "" if page == "explore" else page)
        taken = 1000 * (processor_time(process) - begun)
        check(visitor, page)
    return round(seconds, 2), round(taken, 1)


def wait_until_warmed(process: int) -> None:
    """Wait until the log of a server, its standard error, says that the English pages are warmed."""
    log, until = Path(f"/proc/{process}/fd/2"), time.monotonic() + LONGEST
    while '"warmed", "language": "en"' not in log.read_text(encoding="utf-8"):
        if time.monotonic() > until:
            raise TimeoutError(log.read_text(encoding="utf-8"))
        time.sleep(1.0)


def fresh_server(folder: str, warm: str) -> AbstractContextManager[tuple[int, int]]:
    """Return a server with nothing on its shelf but what ships, and nothing compiled."""
    settings = {"KLYUCH_PUBLIC": "0", "NUMBA_CACHE_DIR": f"{folder}/numba", "LANG": "en"}
    return served(Path(folder) / "home", KLYUCH_WARM=warm, **settings)


def openings_before(page: str) -> dict[str, Any]:
    """Return what the opening of a page costs in a server that has just started."""
    with tempfile.TemporaryDirectory() as fresh, fresh_server(fresh, "0") as (port, process):
        time.sleep(STARTING)
        seconds, taken = opening(port, process, page)
    return {"page": page, "before_seconds": seconds, "before": taken}


def open_warmed(rows: list[dict[str, Any]]) -> int:
    """Add to each row what the opening costs after the warm-up; return the memory of that server."""
    with tempfile.TemporaryDirectory() as fresh, fresh_server(fresh, "1") as (port, process):
        wait_until_warmed(process)
        for row in rows:
            row["seconds"], row["milliseconds"] = opening(port, process, row["page"])
            print(row, flush=True)
        return memory_of(process)


def openings_experiment(measured: Measurements) -> Experiment:
    """Return the openings as a table, and whether the dearest one after the warm-up is within the mark."""
    most = max(row["milliseconds"] for row in measured["rows"])
    claim = make_claim(
        "openings_are_short",
        below,
        {"value": most, "bound": MARK},
        {"most": Measured(most, 0)},
        ours=most,
    )
    table = table_of("openings", measured["rows"], DIGITS, {"page": ""})
    about_run = about(measured, "first_openings")
    return Experiment("first_openings", QUESTION, (claim,), (table,), (), **about_run)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pages", nargs="*", default=list(PAGES))
    parser.add_argument("--before", type=Path, help="a file that this script wrote earlier")
    parser.add_argument("--output", type=Path, default=RESULTS / "first_openings.json")
    options = parser.parse_args()
    begun, loads = time.monotonic(), [os.getloadavg()[0]]
    earlier = parse(read_json(options.before))[1]["rows"] if options.before else ()
    rows = [*earlier] or [openings_before(page) for page in options.pages]
    memory = open_warmed(rows)
    loads.append(os.getloadavg()[0])
    measured: Measurements = {
        **head_of_run("python -m benchmarks.research.first_openings", begun),
        "load_average": loads,
        "memory_bytes": memory,
        "rows": rows,
    }
    write_results(options.output, openings_experiment(measured), measured)


if __name__ == "__main__":
    main()

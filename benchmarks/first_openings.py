"""How long the first visitor of each page waits after a start of the server: as it stands, and once the server has opened its pages itself.

    python -m benchmarks.first_openings

Before, each page is opened in a server of its own that has just started (``KLYUCH_WARM=0``), and what Numba compiles is not on disk: a
fresh copy. After, all pages are opened in turn in one server whose log says that the English pages are warmed. Given are seconds on the
clock, which what else runs on the machine prolongs, and milliseconds of the server's processor time, which it hardly does.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.clicks import PAGES, check, cost
from benchmarks.load import Visit, memory_of, served
from benchmarks.result_files import RESULTS, Measurements, about, table_of, write_results
from benchmarks.source_tree import source_commit
from embeddings.lab.verdict_rules import below, make_claim
from embeddings.results.experiment import Experiment, Measured
from embeddings.vectors.formats.card import machine

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
    seconds = []
    with Visit(port, timeout=LONGEST) as visitor:
        address = "" if page == "explore" else page
        taken = cost(process, lambda: seconds.append(visitor.open("lang=en&text=en", address)))
        check(visitor, page)
    return round(seconds[0], 2), round(taken, 1)


def wait_until_warmed(process: int) -> None:
    """Wait until the log of a server, its standard error, says that the English pages are warmed."""
    log, until = Path(f"/proc/{process}/fd/2"), time.monotonic() + LONGEST
    while '"warmed", "language": "en"' not in log.read_text(encoding="utf-8"):
        if time.monotonic() > until:
            raise TimeoutError(log.read_text(encoding="utf-8"))
        time.sleep(1.0)


def measured_openings(pages: list[str]) -> tuple[list[dict[str, Any]], int]:
    """Return a row for each page, and the memory of the server that opened them itself."""
    rows: list[dict[str, Any]] = []
    for page in pages:
        with tempfile.TemporaryDirectory() as fresh:
            settings = {"KLYUCH_PUBLIC": "0", "NUMBA_CACHE_DIR": f"{fresh}/numba", "LANG": "en"}
            with served(Path(fresh) / "home", KLYUCH_WARM="0", **settings) as (port, process):
                time.sleep(STARTING)
                seconds, taken = opening(port, process, page)
        rows.append({"page": page, "before_seconds": seconds, "before": taken})
        print(rows[-1], flush=True)
    with tempfile.TemporaryDirectory() as fresh:
        settings["NUMBA_CACHE_DIR"] = f"{fresh}/numba"
        with served(Path(fresh) / "home", KLYUCH_WARM="1", **settings) as (port, process):
            wait_until_warmed(process)
            for row in rows:
                row["seconds"], row["milliseconds"] = opening(port, process, row["page"])
                print(row, flush=True)
            return rows, memory_of(process)


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
    parser.add_argument("--output", type=Path, default=RESULTS / "first_openings.json")
    options = parser.parse_args()
    begun, loads = time.monotonic(), [os.getloadavg()[0]]
    rows, memory = measured_openings(options.pages)
    loads.append(os.getloadavg()[0])
    measured: Measurements = {
        "command": "python -m benchmarks.first_openings",
        "commit": source_commit(),
        "machine": machine(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": time.monotonic() - begun,
        "load_average": loads,
        "memory_bytes": memory,
        "rows": rows,
    }
    write_results(options.output, openings_experiment(measured), measured)


if __name__ == "__main__":
    main()

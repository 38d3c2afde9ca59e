"""Where the server's processor time goes after a question: which functions, of which library, spend it.

    python -m benchmarks.clicks --profile PAGE ...

A page is opened in a server of its own, and asked its first question of `benchmarks.clicks.PAGES` with each of its values while the
server is sampled (`benchmarks.research.profiled_server`); the first value warms up. That is done in ``SERVERS`` servers one after the other, since
what was answered once is kept. A share is that of the samples in a function itself, without the Python that it calls and with what is
written in C.
"""

from __future__ import annotations

import os
import signal
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed

from benchmarks.clicks import PAGES, check, cost
from benchmarks.research.profiled_server import SAMPLES_FILE, read_samples
from benchmarks.result_files import Measurements, about, head_of_run, table_of
from benchmarks.source_tree import ROOT
from benchmarks.servers import served
from benchmarks.visits import Visit
from embeddings.lab.experiment import Experiment

QUESTION = "Which libraries and functions take the server's time after a question?"
SERVERS = 4
TRIES = 3  # of a server that a sample ends
MOST = 12  # functions of a page that are named
OWN, PYTHON = "own code", "Python"
INSTALLED = "site-packages"
LIBRARIES = {"google": "protobuf", "_plotly_utils": "plotly"}  # by folder, where it is named so

Function = tuple[str, str]  # file and name


def inside(file: str) -> tuple[str, str]:
    """Return the library that a file is of, `OWN` or `PYTHON`, and its path there."""
    path = Path(file)
    if INSTALLED in path.parts:
        parts = path.parts[path.parts.index(INSTALLED) + 1 :]
        folder = parts[0].removesuffix(".py")
        return LIBRARIES.get(folder, folder), "/".join(parts)
    if path.is_relative_to(ROOT):
        return OWN, path.relative_to(ROOT).as_posix()
    return PYTHON, path.name


def shares(samples: Iterable[Function]) -> dict[str, list[dict[str, Any]]]:
    """Return samples and percent of each library, and of the functions that took most, falling."""
    functions = Counter(samples)
    total = functions.total()
    libraries: Counter[str] = Counter()
    for (file, _), count in functions.items():
        libraries[inside(file)[0]] += count
    rows: dict[str, list[dict[str, Any]]] = {
        "libraries": [
            {"library": library, "samples": count} for library, count in libraries.most_common()
        ],
        "functions": [
            {"library": library, "function": f"{path}: {name}", "samples": count}
            for (file, name), count in functions.most_common(MOST)
            for library, path in [inside(file)]
        ],
    }
    for row in (*rows["libraries"], *rows["functions"]):
        row["percent"] = round(100 * row["samples"] / total, 1)
    return rows


def ask_server(page: str) -> tuple[list[Function], list[float]]:
    """Return the samples of a page's first question in a server that has just started, and the milliseconds of each click."""
    key, (warm, *others) = next(iter(PAGES[page].values()))
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "samples.txt"
        settings = {"KLYUCH_PUBLIC": "0", "KLYUCH_WARM": "0", SAMPLES_FILE: str(path)}
        server = served(Path(home), module="benchmarks.research.profiled_server", **settings)
        with server as (port, process), Visit(port) as visitor:
            visitor.open("lang=en&text=en", "" if page == "explore" else page)
            os.kill(process, signal.SIGUSR1)
            cost(process, partial(visitor.set, key, warm))
            begun, taken = path.stat().st_size, []
            for value in others:
                taken.append(cost(process, partial(visitor.set, key, value)))
                check(visitor, page)
            return read_samples(path.read_text(encoding="utf-8")[begun:]), taken


def ask_again(page: str) -> tuple[list[Function], list[float]]:
    """Do the same, anew where a sample ended the server."""
    for _ in range(TRIES - 1):
        with suppress(ConnectionClosed, OSError):
            return ask_server(page)
    return ask_server(page)


def profile_page(page: str) -> dict[str, Any]:
    """Return the shares of a page's first question, and the median of its clicks while they were sampled."""
    answers = [ask_again(page) for _ in range(SERVERS)]
    taken = [milliseconds for _, clicks in answers for milliseconds in clicks]
    rows = shares(function for samples, _ in answers for function in samples)
    return {
        "page": page,
        "clicks": len(taken),
        "milliseconds": round(statistics.median(taken), 1),
        **{kind: [{"page": page, **row} for row in rows[kind]] for kind in rows},
    }


def measure_profile(pages: Sequence[str]) -> Measurements:
    """Return the shares of some pages."""
    begun, loads, profiles = time.monotonic(), [os.getloadavg()[0]], []
    for page in pages:
        profiles.append(profile_page(page))
        print(page, profiles[-1]["libraries"][:5], flush=True)
        loads.append(os.getloadavg()[0])
    return {
        **head_of_run(f"python -m benchmarks.clicks --profile {' '.join(pages)}", begun),
        "load_average": [min(loads), max(loads)],
        "servers": SERVERS,
        "pages": profiles,
    }


def profile_experiment(measured: Measurements) -> Experiment:
    """Return the shares as two tables, by library and by function."""
    terms = {"page": "", "library": "", "function": ""}
    tables = tuple(
        table_of(
            f"clicks_{kind}",
            [row for profile in measured["pages"] for row in profile[kind]],
            {**dict.fromkeys(terms, 0), "samples": 0, "percent": 1},
            terms,
        )
        for kind in ("libraries", "functions")
    )
    about_run = about(measured, "clicks_profile")
    return Experiment("clicks_profile", QUESTION, (), tables, (), **about_run)

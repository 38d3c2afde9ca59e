"""All works of this project beside well-known programs, in one run: speed, memory, quality, and what limits each.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.bench [--rounds 3] [--works pca neighbours] [--wait 120]

A round runs every program of every work once, ours and the peer in turn, each in a process of its own on the same input
(`benchmarks.bench_works`). Before a round the load is read; while other programs use more than half a core the round waits, two minutes at
most by default, and one that began busy all the same is marked and made again, a bounded number of times (`benchmarks.speed`). What is
held against 0.5 is the use of the cores by others in a pause: the load average of a minute, which is noted beside it, counts the
round before too. Ratios are medians of the ratios within rounds, with their quartiles.

What the machine can do is measured at the beginning: bytes/s of a copy, products in fp32 and bf16. Operations and bytes that a method asks
for are counted; the share of a limit is what was counted over seconds over the limit, and the larger of the two shares says what the work
is nearest to. A share of bytes above 100 % says that caches hold what was counted as memory.

Memory is the most that the process of a program holds while it is timed, with what it has then: libraries, input, what it prepared
(`benchmarks.speed`). What was needed only to make the input, and what scores the answer, do not count. Of the start
of the app it is what the server holds once it answers.

Written to ``benchmarks/results/bench.json``; its races are those of the page Lab and of docs/results/speed.md (`benchmarks.report`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.bench_works import TINY, WORKS, Scale, Work, costs, limits, pair_costs
from benchmarks.result_files import RESULTS, Measurements, head_of_run, write_results
from benchmarks.speed import (
    Figures,
    Load,
    Race,
    Timed,
    in_turn,
    mirror,
    prepare,
    quiet_load,
    races_experiment,
    read_load,
    read_text,
    shape,
    write_speed,
)
from embeddings.lab.experiment import Experiment

QUESTION = "How fast is this project beside well-known programs, in one run?"
ROUNDS, WAIT = 3, 120.0
PACKAGES = ("numpy", "numba", "torch", "gensim", "scikit-learn", "transformers", "streamlit")
TIMES = {"M words/s": 1e6, "M pairs/s": 1e6, "k tokens/s": 1e3}  # of the unit


def run_one(work: str, system: str, folder: Path, scale: Scale) -> Figures:
    """Run a program in this process; add the seconds of its processors."""
    used = time.process_time()
    figures = WORKS[work].programs[system](folder, scale)
    return {**figures, "cpu_seconds": time.process_time() - used}


def run_alone(work: str, system: str, folder: Path, scale: Scale) -> Figures:
    """Run a program in a process of its own.

    Raises
    ------
    SystemExit
        If it fails; the message ends as its output did.
    """
    command = [sys.executable, "-m", "benchmarks.bench", "--one", work, system, str(folder)]
    command += ["--scale", json.dumps(asdict(scale))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{work} by {system} failed:\n{done.stderr[-2000:]}")
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


Run = Callable[[str, str, Path, Scale], Figures]


def measure(
    folder: Path,
    scale: Scale,
    works: Sequence[str],
    rounds: int,
    *,
    run: Run = run_alone,
    load: Callable[[], Load] = read_load,
) -> Timed:
    """Time all programs of all works in turn; one is called ``WORK/SYSTEM``."""
    programs = {
        f"{name}/{system}": partial(run, name, system, folder, scale)
        for name in works
        for system in WORKS[name].programs
    }
    return in_turn(programs, rounds, load=load)


def row_of(
    name: str, timed: Timed, folder: Path, scale: Scale, most: Mapping[str, float]
) -> dict[str, Any]:
    """Return the medians of a work, its ratio with the spread, and its shares of the machine's limits."""
    work = WORKS[name]
    systems = list(work.programs)
    keys = [f"{name}/{system}" for system in systems]
    ours = timed.medians(keys[0])
    row: dict[str, Any] = {"work": name, "unit": work.unit, "size": size_of(name, scale)}
    row |= {"ours": rate(work, ours), **_figures("ours", ours)}
    if len(keys) > 1:
        theirs = timed.medians(keys[1])
        low, high = timed.ratio_quartiles(keys[1], keys[0])
        row |= {"peer": systems[1], "theirs": rate(work, theirs), **_figures("theirs", theirs)}
        row |= {"ratio": timed.ratio(keys[1], keys[0]), "ratio_low": low, "ratio_high": high}
    counted = pair_costs(ours["amount"]) if name == "glove_train" else costs(name, folder, scale)
    if counted is not None:
        operations, moved = counted
        shares = {
            "operations": operations / ours["seconds"] / most[work.precision],
            "bytes": moved / ours["seconds"] / most["bytes"],
        }
        row |= {"operations": operations, "bytes": moved}
        row |= {f"share_of_{key}": value for key, value in shares.items()}
        row["nearest_limit"] = max(shares, key=shares.__getitem__)
    return row


def _figures(prefix: str, figures: Figures) -> dict[str, float]:
    """Memory, processor time and quality of a program."""
    kept = ("memory_mb", "cpu_seconds", "quality")
    return {f"{prefix}_{key}": figures[key] for key in kept if key in figures}


def rate(work: Work, figures: Figures) -> float:
    """Seconds a piece, or so many units a second."""
    if work.unit == "s":
        return figures["seconds"]
    return figures["amount"] / figures["seconds"] / TIMES[work.unit]


def size_of(name: str, scale: Scale) -> str:
    """How much a work does, where its unit does not say."""
    sizes = {
        "pca": (scale.pca_rows, scale.pca_columns),
        "neighbours": (scale.words, scale.vector_size),
    }
    return shape(*sizes[name]) if name in sizes else ""


def races(rows: Sequence[Mapping[str, Any]]) -> list[Race]:
    """The rows that have a peer."""
    return [
        Race(
            row["work"],
            row["size"],
            row["peer"],
            row["unit"],
            row["ours"],
            row["theirs"],
            WORKS[row["work"]].remark,
        )
        for row in rows
        if "peer" in row
    ]


def bench_experiment(measured: Measurements) -> Experiment:
    """Return the run as an experiment: the table of its races."""
    return races_experiment("bench", QUESTION, races(measured["rows"]), measured)


def versions() -> dict[str, str]:
    """Versions of what was measured."""
    return {name: version(name) for name in PACKAGES}


def main() -> None:
    """Measure, print, and write unless it is a trial of some works or a tiny one."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--rounds", type=int, default=ROUNDS)
    ask.add_argument("--works", nargs="+", choices=WORKS, default=list(WORKS))
    ask.add_argument("--wait", type=float, default=WAIT, help="seconds a round waits for quiet")
    ask.add_argument("--tiny", action="store_true", help="next to no input, nothing written")
    ask.add_argument("--one", nargs=3, metavar=("WORK", "SYSTEM", "FOLDER"))
    ask.add_argument("--scale", type=json.loads, default={})
    chosen = ask.parse_args()
    if chosen.one:
        work, system, name = chosen.one
        print(json.dumps(run_one(work, system, Path(name), Scale(**chosen.scale))))
        return
    begun = time.perf_counter()
    questions = mirror("evaluation", "analogies_en", "questions-words.txt")
    scale = TINY if chosen.tiny else Scale(questions=str(questions))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, read_text(mirror("corpora"), scale.text_bytes))
        most = limits(*((1 << 12, 16, 1) if chosen.tiny else ()))
        load = partial(quiet_load, chosen.wait)
        timed = measure(folder, scale, chosen.works, chosen.rounds, load=load)
        rows = [row_of(work, timed, folder, scale, most) for work in chosen.works]
    measured: Measurements = {
        **head_of_run("python -m benchmarks.bench"),
        "seconds": round(time.perf_counter() - begun),
        "cores": os.cpu_count(),
        "versions": versions(),
        "scale": {key: value for key, value in asdict(scale).items() if key != "questions"},
        "limits": most,
        "rows": rows,
        "load": timed.load(),
        "rounds": timed.rows(),
    }
    for row in rows:
        print(json.dumps(row), flush=True)
    if not chosen.tiny and chosen.works == list(WORKS):
        write_results(RESULTS / "bench.json", bench_experiment(measured), measured)
        write_speed()


if __name__ == "__main__":
    main()

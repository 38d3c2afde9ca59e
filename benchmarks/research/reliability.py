"""Promises held by trying to break them: mutated inputs of every reader, and work killed at random moments.

``python -m benchmarks.research.reliability --inputs 1000000 --kills 500 --work WORK`` (``make soak``: hours). Each reader's result is kept in
WORK, and a run that was stopped goes on there with its seed; one of other numbers or of another commit is refused. What is found is kept
in ``tests/hostile/found`` and read by the tests from then on; notes/reliability.md names each promise and the test that holds it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    table_of,
    write_results,
)
from benchmarks.source_tree import ROOT, source_commit
from embeddings.files import read_json, write_json
from embeddings.results.trainings import Experiment
from tests.hostile.fuzzing import MEMORY, SECONDS, Fuzzer, Outcome, input_of
from tests.hostile.seeds import FOUND, all_seeds, keep

QUESTION = "Does every reader end well or in a sentence, and does nothing stay half done?"
FUZZING = {"reader": 0, "inputs": 0, "read": 0, "refused": 0, "failures": 0, "seconds_slowest": 2}
KILLS = {"work": 0, "kills": 0, "in_time": 0, "failures": 0}


def fuzz(inputs: int, seed: int, folder: Path, work: Path) -> list[dict[str, Any]]:
    """Fuzz each reader with its share of the inputs, if ``work`` does not hold its result; keep those that fail."""
    rows = []
    with Fuzzer() as fuzzer:
        for reader in fuzzer.readers:
            record = work / f"{reader}.json"
            if not record.exists():
                outcome = fuzzer.fuzz(reader, -(-inputs // len(fuzzer.readers)), seed)
                keep_failures(outcome, seed, folder)
                write_json(record, row_of(outcome))
                sys.stderr.write(f"{row_of(outcome)}\n")
            rows.append(read_json(record))
    return rows


def resumed(work: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """Return what is measured in ``work``: what is asked, with the seed that it began with."""
    record = work / "asked.json"
    if record.exists():
        begun = read_json(record)
        if {**asked, "seed": asked["seed"] or begun["seed"]} != begun:
            raise SystemExit(f"{work} holds a run of {begun}; take another folder.")
        return begun
    begun = {**asked, "seed": asked["seed"] or int(datetime.now(UTC).strftime("%y%m%d"))}
    work.mkdir(parents=True, exist_ok=True)
    write_json(record, begun)
    return begun


def row_of(outcome: Outcome) -> dict[str, Any]:
    return {
        "reader": outcome.reader,
        "inputs": outcome.inputs,
        "read": outcome.ended["read"],
        "refused": outcome.ended["refused"],
        "failures": len(outcome.failures),
        "seconds_slowest": outcome.slowest,
        "how": sorted({f"{ended}: {text[-200:]}" for _, ended, text in outcome.failures})[:20],
    }


def keep_failures(outcome: Outcome, seed: int, folder: Path) -> None:
    """Keep one input of each kind of failure, the smallest."""
    if not outcome.failures:
        return
    (place := folder / outcome.reader).mkdir()
    seeds = all_seeds(place)
    kinds: dict[tuple[str, str], list[int]] = {}
    for number, ended, text in outcome.failures:
        kinds.setdefault((ended, text.strip().split("\n")[-1][:80]), []).append(number)
    for numbers in kinds.values():
        made = {number: input_of(seeds, outcome.reader, seed, number) for number in numbers[:50]}
        number = min(made, key=lambda each: sum(map(len, made[each].files.values())))
        keep(made[number], FOUND / outcome.reader / f"{seed}-{number}.zip")


def kill(kills: int, seed: int) -> dict[str, Any]:
    """Kill so often; return what the process that kills has found."""
    command = [sys.executable, "-m", "tests.hostile.kills", str(kills), str(seed)]
    run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def reliability_experiment(measured: Measurements) -> Experiment:
    """Return the two tables."""
    failures = [work for _, work, _ in measured["killing"]["failures"]]
    killed = [
        {
            "work": work,
            "kills": number,
            "in_time": measured["killing"]["in_time"].get(work),  # before the work had ended
            "failures": failures.count(work),
        }
        for work, number in sorted(measured["killing"]["kills"].items())
    ]
    return Experiment(
        "reliability",
        QUESTION,
        (),
        (
            table_of("fuzzing", measured["fuzzing"], FUZZING, {"reader": ""}),
            table_of("kills", killed, KILLS, {"work": ""}),
        ),
        (),
        **about(measured, "reliability"),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=1_000_000, help="mutated inputs in all")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, help="the date, if none is given")
    parser.add_argument("--work", type=Path, help="kept between runs; none: nothing is kept")
    parser.add_argument("--output", type=Path, default=RESULTS / "reliability.json")
    options = parser.parse_args()
    begun = time.monotonic()
    numbers = {"inputs": options.inputs, "kills": options.kills, "commit": source_commit()}
    with tempfile.TemporaryDirectory() as name:
        work = options.work or Path(name) / "work"
        asked = resumed(work, {**numbers, "seed": options.seed})
        (scratch := Path(name) / "seeds").mkdir()
        fuzzing = fuzz(asked["inputs"], asked["seed"], scratch, work)
    killing = kill(asked["kills"], asked["seed"])
    measured: Measurements = {
        **head_of_run(
            f"python -m benchmarks.research.reliability --inputs {asked['inputs']} --kills {asked['kills']} --seed {asked['seed']}",
            commit=asked["commit"],
        ),
        "cores": os.cpu_count(),
        "seconds": time.monotonic() - begun,
        "memory_bound_bytes": MEMORY,
        "seconds_bound": SECONDS,
        "fuzzing": fuzzing,
        "killing": killing,
    }
    write_results(options.output, reliability_experiment(measured), measured)
    failures = sum(row["failures"] for row in fuzzing) + len(killing["failures"])
    sys.stderr.write(f"{failures} failures\n")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

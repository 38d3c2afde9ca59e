"""Vectors of millions of words: import, first answer of a command, exact search, words by their first letters.

Run ``python -m benchmarks.research.millions FOLDER --words 3000000 --vector-size 300``: FOLDER takes the synthetic files and a shelf of its own
(3.6 GB each at that size), deleted when it ends. Each step is a process of its own; an import is held by the operating system to
`DATA_MB` of private memory. Told are seconds of processor time, which a busy machine does not change, beside those of the clock, which
it does, and the load average of the minute. Vectors are 32 latent dimensions around 2 000 centres, and noise.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    table_of,
    write_results,
)
from benchmarks.source_tree import source_commit
from embeddings.lab.experiment import Experiment

DATA_MB = 1536
LATENT, CENTRES = 32, 2000
ROWS_AT_A_TIME = 20_000
ALPHABET = "etaoinshrdlcumwfgypbvkjxqz"
QUERIES = 9
LETTERS = 200  # beginnings of words that are completed
QUESTION = "What do vectors of millions of words cost in time and memory?"


def word(number: int) -> str:
    """A distinct word of letters that are as uneven as in a text, with its number in base 36 behind."""
    state, letters = number * 2654435761 % (1 << 32), []
    for _ in range(3 + state % 7):
        letters.append(ALPHABET[state % 26])
        state = (state * 1103515245 + 12345) % (1 << 31)
    return "".join(letters) + np.base_repr(number, 36).lower()


def write_synthetic(path: Path, words: int, size: int, *, is_text: bool) -> None:
    """Write vectors as word2vec binary or text, block by block."""
    rng = np.random.default_rng(1)
    basis = 0.1 * rng.standard_normal((LATENT, size), dtype=np.float32)
    centres = rng.standard_normal((CENTRES, LATENT), dtype=np.float32)
    form = " ".join(["%.4f"] * size) + "\n"
    with path.open("wb") as file:
        file.write(f"{words} {size}\n".encode())
        for start in range(0, words, ROWS_AT_A_TIME):
            count = min(ROWS_AT_A_TIME, words - start)
            latent = centres[rng.integers(0, CENTRES, count)]
            latent += rng.standard_normal((count, LATENT), dtype=np.float32)
            rows = latent @ basis + 0.2 * rng.standard_normal((count, size), dtype=np.float32)
            names = [word(start + i) for i in range(count)]
            if is_text:
                lines = zip(names, rows.tolist(), strict=True)
                file.write("".join(f"{name} " + form % tuple(row) for name, row in lines).encode())
            else:
                pairs = zip(names, rows.astype("<f4"), strict=True)
                file.write(b"".join(name.encode() + b" " + row.tobytes() for name, row in pairs))


def timed(action: Callable[[], object], times: int) -> dict[str, float]:
    """Medians of the milliseconds of one action, after a first that is not counted."""
    action()
    clock, processor = [], []
    for _ in range(times):
        begun, used = time.perf_counter(), time.process_time()
        action()
        clock.append(1000 * (time.perf_counter() - begun))
        processor.append(1000 * (time.process_time() - used))
    return {"clock_ms": statistics.median(clock), "cpu_ms": statistics.median(processor)}


def step_import(source: str, dtype: str) -> dict[str, float]:
    """Import a file under the limit of the operating system."""
    from embeddings import shelf

    resource.setrlimit(resource.RLIMIT_DATA, (DATA_MB << 20,) * 2)
    shelf.import_model(Path(source), f"m-{dtype}", dtype=dtype)  # type: ignore[arg-type]
    return {}


def step_first_answer(name: str) -> dict[str, float]:
    """Ask one question by the command in this process, as a person's shell would."""
    from embeddings.cli import main

    sys.argv = ["klyuch", "words", "neighbours", word(1000), "--model", name, "--json"]
    code: object = 0
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    if code:
        raise SystemExit(f"the command ended with {code}")
    return {}


def opened(name: str) -> Any:
    """The vectors of a model."""
    from embeddings import shelf

    return shelf.load_vectors(name)


def step_exact_search(name: str) -> dict[str, float]:
    """Ten neighbours over all rows."""
    from embeddings.vectors.cosine_search import nearest

    vectors = opened(name)
    query = vectors[word(1000)]
    return timed(lambda: nearest(vectors, query, 10), QUERIES)


def step_completion(name: str) -> dict[str, float]:
    """Words that begin with one to four letters, over many beginnings; the slowest too."""
    vectors = opened(name)
    beginnings = [word(37 * number)[: 1 + number % 4] for number in range(LETTERS)]
    vectors.beginning_with("a")
    taken = []
    for letters in beginnings:
        begun = time.process_time()
        assert vectors.beginning_with(letters)
        taken.append(1000 * (time.process_time() - begun))
    return {"cpu_ms": statistics.median(taken), "slowest_ms": max(taken)}


def step_index(name: str) -> dict[str, float]:
    """Build the index beside a model, and measure its recall."""
    from embeddings import shelf

    report = shelf.build_index(shelf.find(name))
    return {"recall": 100 * report.recall, "file_mb": report.size / 2**20}


def step_index_search(name: str) -> dict[str, float]:
    """Ten neighbours by the index, of a word after another."""
    from embeddings import shelf
    from embeddings.vectors.cosine_search import nearest

    vectors = opened(name)
    assert shelf.open_index(shelf.find(name), vectors)
    queries = iter(vectors.unit_rows(range(0, len(vectors), len(vectors) // 1000)))
    return timed(lambda: nearest(vectors, next(queries), 10, approximate=True), 200)


def run_step(step: str, arguments: list[str]) -> None:
    """Run a step in this process and print what it took as JSON."""
    begun = time.perf_counter()
    figures = globals()[f"step_{step}"](*arguments)
    seconds = time.perf_counter() - begun
    used = resource.getrusage(resource.RUSAGE_SELF)
    memory = Path("/proc/self/status").read_text(encoding="utf-8")
    own = int(memory.split("RssAnon:")[1].split()[0]) >> 10
    cpu = used.ru_utime + used.ru_stime
    peak = int(memory.split("VmHWM:")[1].split()[0]) >> 10
    figures |= {"cpu_s": cpu, "clock_s": seconds, "peak_mb": peak, "own_mb": own}
    print(json.dumps({key: round(value, 2) for key, value in figures.items()}))


def alone(home: Path, step: str, *arguments: str) -> dict[str, Any]:
    """Run a step in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.research.millions", "--step", step, *arguments]
    environment = {**os.environ, "KLYUCH_HOME": str(home)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    figures = json.loads(done.stdout.splitlines()[-1])
    return {**figures, "load": round(os.getloadavg()[0], 1)}


STEPS = ("first_answer", "exact_search", "completion")
INDEX_STEPS = ("index", "index_search")


def measure(
    folder: Path, words: int, size: int, kinds: list[str], steps: tuple[str, ...] = STEPS
) -> list[dict[str, Any]]:
    """Import by each kind of file and number, and ask; what was written is deleted."""
    rows: list[dict[str, Any]] = []
    home = folder / "home"
    for kind in kinds:
        form, _, dtype = kind.partition(":")
        source = folder / f"vectors.{form}"
        home.mkdir(parents=True, exist_ok=True)
        if not source.exists():
            write_synthetic(source, words, size, is_text=form == "text")
        name, dtype = f"m-{dtype or 'float32'}", dtype or "float32"
        head: dict[str, Any] = {"words": words, "vector_size": size, "form": form, "dtype": dtype}
        head["commit"] = source_commit()
        rows.append({**head, "step": "import", **alone(home, "import", str(source), dtype)})
        print(json.dumps(rows[-1]))
        for step in steps:
            rows.append({**head, "step": step, **alone(home, step, name)})
            print(json.dumps(rows[-1]), flush=True)
        shutil.rmtree(home)
    for form in ("text", "binary"):
        (folder / f"vectors.{form}").unlink(missing_ok=True)
    return rows


def main() -> None:
    """Measure one size and write it beside those that were measured before."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--vector-size", type=int, default=300)
    parser.add_argument("--kinds", nargs="+", default=["binary:float32"])
    parser.add_argument("--output", type=Path, default=RESULTS / "millions.json")
    parser.add_argument("--index", action="store_true", help="build and ask the HNSW index too")
    parser.add_argument("--step", nargs="+")
    chosen = parser.parse_args()
    if chosen.step:
        run_step(chosen.step[0], chosen.step[1:])
        return
    steps = (*STEPS, *INDEX_STEPS) if chosen.index else STEPS
    rows = measure(chosen.folder, chosen.words, chosen.vector_size, chosen.kinds, steps)
    from embeddings.files import read_json

    command = (
        f"python -m benchmarks.research.millions FOLDER --words {chosen.words} --vector-size"
        f" {chosen.vector_size} --kinds {' '.join(chosen.kinds)}{' --index' * chosen.index}"
    )
    before: list[dict[str, Any]] = []
    commands: list[str] = []
    if chosen.output.exists():
        written: dict[str, Any] = read_json(chosen.output)
        before, commands = written["measurements"]["rows"], written["commands"]
    measured: Measurements = {
        **head_of_run(command),
        "commands": list(dict.fromkeys([*commands, command])),
        "rows": before + rows,
    }
    write_results(chosen.output, millions_experiment(measured), measured)


def millions_experiment(measured: Measurements) -> Experiment:
    """The table that Lab and docs/results/speed.md show."""
    columns = {"step": 0, "words": 0, "vector_size": 0, "form": 0, "dtype": 0}
    columns |= {"cpu_s": 1, "cpu_ms": 1, "clock_s": 1, "peak_mb": 0, "own_mb": 0, "load": 1}
    columns |= {"recall": 1, "file_mb": 0}
    table = table_of("millions", measured["rows"], columns, {"step": "", "form": "", "dtype": ""})
    return Experiment("millions", QUESTION, (), (table,), (), **about(measured, "millions"))


if __name__ == "__main__":
    main()

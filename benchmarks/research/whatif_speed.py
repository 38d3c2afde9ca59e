"""How long `klyuch words whatif` takes: from text to the words that moved, with documents left out.

    python -m benchmarks.research.whatif_speed TEXT... [--words 5000000] [--workers 2]

So many words of the texts are copied, every tenth document is left out, and the command runs as a person runs it, at its defaults: two
trainings, four more with other seeds. Beside the seconds of the clock stand the processor's, and how busy the machine was: where others
work on the same cores, the clock measures them too. The same with one epoch tells what is training, which all threads share, from the
rest, which one thread does.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.research.concordance_speed import copied
from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    head_of_run,
    table_of,
    write_results,
)
from benchmarks.speed import load_summary, read_load
from benchmarks.verdict_rules import below, make_claim
from embeddings.lab.experiment import Experiment, Measured
from embeddings.static.settings import Word2VecConfig

QUESTION = "How long does it take to see what a corpus without some documents says?"
BOUND = 60.0  # seconds
EVERY = 10  # one document of so many is left out
COLUMNS = {
    "corpus_words": 0,
    "documents": 0,
    "left_out": 0,
    "workers": 0,
    "trainings": 0,
    "epochs": 0,
    "seconds": 1,
    "processor_seconds": 1,
}
EPOCHS = (Word2VecConfig().epochs, 1)


def documents_of(text: Path) -> int:
    """Return how many documents a text that `copied` wrote has."""
    return text.read_text(encoding="utf-8").count("\n\n")


def time_whatif(text: Path, workers: int, epochs: int) -> dict[str, object]:
    """Run the command once; seconds of the clock and of the processor, of all its threads."""
    documents = documents_of(text)
    left_out = range(1, documents + 1, EVERY)
    command = [sys.executable, "-m", "embeddings.cli", "words", "whatif", str(text), "--json"]
    command += ["--without", ",".join(map(str, left_out)), "--workers", str(workers)]
    command += ["--epochs", str(epochs)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(done.stdout)
    return {
        "documents": documents,
        "left_out": len(left_out),
        "corpus_words": answer["tokens"][0],
        "workers": workers,
        "trainings": 2 + answer["retrainings"],
        "epochs": epochs,
        "seconds": round(seconds, 1),
        "processor_seconds": round(
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1
        ),
        "moved": answer["changed"],
        "words_measured": len(answer["words"]),
    }


def free_seconds(runs: Sequence[Mapping[str, float]]) -> float:
    """Return the seconds that the first run takes where every thread has a core: what grows with the epochs is shared out among them."""
    whole, once = (run["processor_seconds"] for run in runs)
    an_epoch = (whole - once) / (runs[0]["epochs"] - runs[1]["epochs"])
    shared = an_epoch * runs[0]["epochs"]
    return round(whole - shared + shared / runs[0]["workers"], 1)


def whatif_experiment(measured: Measurements) -> Experiment:
    """Return the bound with its verdict, and the runs as a table; on a busy machine the claim is held to `free_seconds`."""
    runs = measured["runs"]
    seconds = free_seconds(runs) if measured["load"]["rounds_busy"] else runs[0]["seconds"]
    claims = (
        make_claim(
            "whatif_within_a_minute",
            below,
            {"value": seconds, "bound": BOUND},
            {"seconds": Measured(seconds, 1)},
        ),
    )
    tables = (table_of("runs", runs, COLUMNS),)
    return Experiment("whatif", QUESTION, claims, tables, (), **about(measured, "whatif"))


def main() -> None:
    """Measure and write the result."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("texts", nargs="+", type=Path)
    ask.add_argument("--words", type=int, default=5_000_000)
    ask.add_argument("--workers", type=int, default=2)
    options = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        copied(options.texts, options.words, text)
        loads, runs = [], []
        for epochs in EPOCHS:
            loads.append(read_load())
            runs.append(time_whatif(text, options.workers, epochs))
    measured: Measurements = {
        **head_of_run("python -m benchmarks.research.whatif_speed CORPORA/en_wikipedia.1.txt.xz"),
        "load": load_summary(loads),
        "runs": runs,
    }
    write_results(RESULTS / "whatif.json", whatif_experiment(measured), measured)
    print(json.dumps(measured, indent=2))


if __name__ == "__main__":
    main()

"""A trainer of ours against gensim's: the same text, settings and machine, one of the two at a time.

Text: the first 10^8 bytes of en_wikipedia.1, encoded by this project (words with at least 5 uses); gensim reads the same words as lines
from a plain file (``corpus_file``, its fastest way). Each run is a process of its own; rates are of training alone, in words of the text
a second; cpu_seconds are those of all threads, reading and tables included, and say what a busy machine hides; memory is the peak of the
process. Both trainers run in turn, `ROUNDS` rounds of each method, and medians are held against medians (`benchmarks.timing`).
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.races import Race, write_races
from benchmarks.result_files import RESULTS, Measurements, head_of_run
from benchmarks.text_speed import machine
from benchmarks.timing import Figures, Timed, in_turn
from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig, encode
from embeddings.errors import MissingFileError
from embeddings.vectors.table import Vectors

SETTINGS = {"vector_size": 100, "window": 5, "negative": 5, "sample": 1e-4, "seed": 1, "workers": 2}
METHODS = ("skipgram", "cbow")
SYSTEMS = ("klyuch", "gensim")
ROUNDS, AGAIN = 3, 2  # of both trainers; how many busy ones are made again


@dataclass(frozen=True, slots=True)
class Contest:
    """One trainer of ours and gensim's of the same method.

    Attributes
    ----------
    name : str
        Of the result's file; the contest is the module ``benchmarks.NAME_speed``.
    train : callable
        ``train(corpus, settings, rates)``: a row for each word of the vocabulary; appends words a second to ``rates``.
    peer : str
        Class of ``gensim.models``.
    settings : mapping
        What both take beside `SETTINGS`.
    quick_bytes : int
        How much of the text ``--quick`` reads, once.
    """

    name: str
    train: Callable[[EncodedCorpus, Mapping[str, Any], list[float]], np.ndarray]
    peer: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    quick_bytes: int = 10**7

    @property
    def module(self) -> str:
        """What ``python -m`` runs."""
        return f"benchmarks.{self.name}_speed"


def mirror(*parts: str) -> Path:
    """Find a file of the mirror, or say in a sentence how to name it."""
    path = Path(os.environ.get("KLYUCH_MIRROR", "KLYUCH_MIRROR"), *parts)
    if not path.exists():
        way_out = "Set KLYUCH_MIRROR to the folder that holds corpora/ and evaluation/."
        raise MissingFileError("file_missing", path=path, way_out=way_out)
    return path


def prepare(folder: Path, size: int) -> EncodedCorpus:
    """Encode the first ``size`` bytes, and write the same words as lines for gensim."""
    with lzma.open(mirror("corpora", "en_wikipedia.1.txt.xz")) as file:
        text = file.read(size)
    (folder / "text.txt").write_bytes(text[: text.rindex(b"\n")])
    corpus = encode([folder / "text.txt"], folder / "ids", EncodingConfig(min_count=5))
    with (folder / "lines.txt").open("w", encoding="utf-8") as lines:
        lines.writelines(" ".join(sentence) + "\n" for sentence in corpus.sentences())
    return corpus


def train_klyuch(contest: Contest, folder: Path, sg: bool, epochs: int) -> tuple[np.ndarray, float]:
    """Return vectors in the order of the vocabulary, and the seconds of training alone."""
    corpus = EncodedCorpus.open(folder / "ids")
    rates: list[float] = []
    settings = {"sg": sg, "epochs": epochs, **SETTINGS, **contest.settings}
    matrix = contest.train(corpus, settings, rates)
    return matrix, len(corpus.ids) * epochs / rates[-1]


def train_gensim(contest: Contest, folder: Path, sg: bool, epochs: int) -> tuple[np.ndarray, float]:
    """Do the same with gensim."""
    import gensim.models

    trainer = getattr(gensim.models, contest.peer)
    model = trainer(sg=int(sg), epochs=epochs, min_count=5, **SETTINGS, **contest.settings)
    lines = str(folder / "lines.txt")
    model.build_vocab(corpus_file=lines)
    begun = time.perf_counter()
    model.train(
        corpus_file=lines,
        total_words=model.corpus_total_words,
        total_examples=model.corpus_count,
        epochs=epochs,
    )
    seconds = time.perf_counter() - begun
    words = EncodedCorpus.open(folder / "ids").vocabulary.words
    return model.wv[list(words)], seconds


def run_alone(contest: Contest, folder: Path, system: str, method: str, epochs: int) -> None:
    """Train in this process; leave vectors in the folder and print time and memory."""
    train = {"klyuch": train_klyuch, "gensim": train_gensim}[system]
    begun = time.process_time()
    matrix, seconds = train(contest, folder, method == "skipgram", epochs)
    processor = time.process_time() - begun
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
    np.save(folder / "vectors.npy", matrix)
    print(json.dumps({"seconds": seconds, "cpu_seconds": processor, "memory_mb": peak}))


def measure(module: str, folder: Path, system: str, method: str, epochs: int) -> Figures:
    """Make one run in a process of its own, and score it."""
    arguments = ("--alone", str(folder), system, method, str(epochs))
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    row = json.loads(done.stdout.splitlines()[-1])
    corpus = EncodedCorpus.open(folder / "ids")
    vectors = Vectors(corpus.vocabulary.words, np.load(folder / "vectors.npy"))
    similar = mirror("evaluation", "similarity_en")
    questions = mirror("evaluation", "analogies_en", "questions-words.txt")
    analogies = evaluate_analogies(vectors, questions, 30_000)
    return {
        "words_per_second": len(corpus.ids) * epochs / row["seconds"],
        **row,
        "analogies": analogies.accuracy,
        "analogies_covered": analogies.covered,
        "wordsim353": evaluate_pairs(vectors, similar / "EN-WS-353-ALL.txt").spearman,
        "simlex999": evaluate_pairs(vectors, similar / "EN-SIMLEX-999.txt").spearman,
    }


def rows_of(method: str, timed: Timed) -> list[dict[str, object]]:
    """Return the medians of both trainers."""
    return [
        {
            "system": system,
            "method": method,
            **{key: round(value, 4) for key, value in timed.medians(system).items()},
            "runs": len(timed.counted),
        }
        for system in SYSTEMS
    ]


def against_gensim(timed: Timed) -> dict[str, object]:
    """Return how many times faster ours is, with the quartiles of the rounds, and how much better."""
    rates = ("klyuch", "gensim", "words_per_second")
    return {
        "speed": timed.ratio(*rates),
        "speed_quartiles": timed.ratio_quartiles(*rates),
        "cpu": timed.ratio("gensim", "klyuch", "cpu_seconds"),
        "analogies": timed.median("klyuch", "analogies") - timed.median("gensim", "analogies"),
    }


def compare(contest: Contest, size: int, epochs: int, rounds: int, again: int) -> Measurements:
    """Make all runs over ``size`` bytes, both trainers in turn, and set them against each other."""
    timed: dict[str, Timed] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = prepare(folder, size)
        for method in METHODS:
            trainers = {
                system: partial(measure, contest.module, folder, system, method, epochs)
                for system in SYSTEMS
            }
            timed[method] = in_turn(trainers, rounds, again)
            print(json.dumps(rows_of(method, timed[method])), flush=True)
        words = {"words": len(corpus.ids), "vocabulary": len(corpus.vocabulary), "bytes": size}
    return {
        "corpus": words,
        "epochs": epochs,
        "settings": {**SETTINGS, **contest.settings},
        "rows": [row for method, runs in timed.items() for row in rows_of(method, runs)],
        "against_gensim": {method: against_gensim(runs) for method, runs in timed.items()},
        "loads": {method: runs.load() for method, runs in timed.items()},
        "rounds": {method: runs.rows() for method, runs in timed.items()},
    }


def races(measured: Measurements) -> list[Race]:
    """Both methods against gensim."""
    rates = {
        (row["system"], row["method"]): row["words_per_second"] / 1e6 for row in measured["rows"]
    }
    return [
        Race(method, "", "gensim", "M words/s", rates["klyuch", method], rates["gensim", method])
        for method in METHODS
    ]


def head_of_race(command: str) -> Measurements:
    """Return the head of what is measured in this run, with the versions of the libraries that race."""
    return {**head_of_run(command), "machine": machine()}


def run(contest: Contest, question: str, description: str) -> None:
    """Compare, print, and write ``benchmarks/results/NAME.json`` unless it was quick."""
    if sys.argv[1:2] == ["--alone"]:
        folder, system, method, epochs = sys.argv[2:]
        run_alone(contest, Path(folder), system, method, int(epochs))
        return
    ask = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument(
        "--quick", action="store_true", help="less text, one epoch, one round, nothing written"
    )
    quick = ask.parse_args().quick
    plan = (contest.quick_bytes, 1, 1, 0) if quick else (10**8, 5, ROUNDS, AGAIN)
    compared = compare(contest, *plan)
    head = head_of_race(f"python -m {contest.module}")
    print(json.dumps(compared["against_gensim"]))
    if not quick:
        measured = head | compared
        result = RESULTS / f"{contest.name}.json"
        write_races(result, question, races(measured), measured)

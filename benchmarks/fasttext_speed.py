"""fastText against gensim's: the same text, settings and machine, one trainer at a time.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.fasttext_speed [--quick]

Text, processes, rounds and columns are those of `benchmarks.word2vec_speed`: gensim's ``FastText`` reads the same words as lines from a
plain file (``corpus_file``, its fastest way). Rates are of training alone; cpu_seconds and the peak of memory are of the whole process,
n-grams hashed and tables made. Written to ``benchmarks/results/fasttext.json``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.races import Race, write_races
from benchmarks.result_files import RESULTS, Measurements
from benchmarks.source_tree import source_commit
from benchmarks.text_speed import machine
from benchmarks.timing import Figures, Timed, in_turn
from benchmarks.word2vec_speed import (
    AGAIN,
    METHODS,
    ROUNDS,
    SETTINGS,
    against_gensim,
    mirror,
    prepare,
    rows_of,
)
from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.static.fasttext import FastTextConfig, train_fasttext
from embeddings.vectors.table import Vectors

RESULT = RESULTS / "fasttext.json"
QUESTION = "How fast is fastText trained, and how good is it?"
NGRAMS = {"min_n": 3, "max_n": 6, "bucket": 2_000_000}
SIZES = {"full": (10**8, 5, ROUNDS, AGAIN), "quick": (4 * 10**6, 1, 1, 0)}
"""Bytes of text, epochs, rounds of both trainers, how many busy ones are made again."""


def train_klyuch(folder: Path, sg: bool, epochs: int) -> tuple[np.ndarray, float]:
    """Return vectors in the order of the vocabulary, and the seconds of training alone."""
    corpus = EncodedCorpus.open(folder / "ids")
    rates: list[float] = []
    config = FastTextConfig(sg=sg, epochs=epochs, **SETTINGS, **NGRAMS)
    model = train_fasttext(corpus, config, report=lambda at: rates.append(at.per_second))
    return model.vectors.matrix, len(corpus.ids) * epochs / rates[-1]


def train_gensim(folder: Path, sg: bool, epochs: int) -> tuple[np.ndarray, float]:
    """Do the same with gensim."""
    from gensim.models import FastText

    model = FastText(sg=int(sg), epochs=epochs, min_count=5, **SETTINGS, **NGRAMS)
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


def run_alone(folder: Path, system: str, method: str, epochs: int) -> None:
    """Train in this process; leave vectors in the folder and print time and memory."""
    train = {"klyuch": train_klyuch, "gensim": train_gensim}[system]
    begun = time.process_time()
    matrix, seconds = train(folder, method == "skipgram", epochs)
    processor = time.process_time() - begun
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
    np.save(folder / "vectors.npy", matrix)
    print(json.dumps({"seconds": seconds, "cpu_seconds": processor, "memory_mb": peak}))


def measure(folder: Path, system: str, method: str, epochs: int) -> Figures:
    """Make one run in a process of its own, and score it."""
    arguments = ("--alone", str(folder), system, method, str(epochs))
    command = [sys.executable, "-m", __spec__.name, *arguments]
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


def compare(size: int, epochs: int, rounds: int, again: int) -> Measurements:
    """Make all runs, both trainers in turn, and set them against each other."""
    timed: dict[str, Timed] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = prepare(folder, size)
        for method in METHODS:
            trainers = {
                system: partial(measure, folder, system, method, epochs)
                for system in ("klyuch", "gensim")
            }
            timed[method] = in_turn(trainers, rounds, again)
            print(json.dumps(rows_of(method, timed[method])), flush=True)
        words = {"words": len(corpus.ids), "vocabulary": len(corpus.vocabulary), "bytes": size}
    return {
        "corpus": words,
        "epochs": epochs,
        "settings": SETTINGS | NGRAMS,
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


def main() -> None:
    """Compare, print, and write the result unless it was quick."""
    if sys.argv[1:2] == ["--alone"]:
        folder, system, method, epochs = sys.argv[2:]
        run_alone(Path(folder), system, method, int(epochs))
        return
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument(
        "--quick", action="store_true", help="4 MB of text, one epoch, one round, nothing written"
    )
    quick = ask.parse_args().quick
    compared = compare(*SIZES["quick" if quick else "full"])
    head = {
        "command": "python -m benchmarks.fasttext_speed",
        "commit": source_commit(),
        "machine": machine(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    print(json.dumps(compared["against_gensim"]))
    if not quick:
        measured = head | compared
        write_races(RESULT, QUESTION, races(measured), measured)


if __name__ == "__main__":
    main()

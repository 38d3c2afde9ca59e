"""Word2Vec and fastText against gensim's: the same text, settings and machine, one of two trainers at a time.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.gensim_speed [--only fasttext] [--quick]

Text: the first 10^8 bytes of en_wikipedia.1, encoded by this project (words with at least 5 uses); gensim reads the same words as lines
from a plain file (``corpus_file``, its fastest way). Each run is a process of its own; rates are of training alone, in words of the text
a second; cpu_seconds are those of all threads, reading, n-grams and tables included, and say what a busy machine hides; memory is the
peak of the process. Both trainers run in turn, `ROUNDS` rounds of each method, and medians are compared with medians (`benchmarks.speed`).
Written to ``benchmarks/results/word2vec.json`` and ``fasttext.json``.
"""

from __future__ import annotations

import argparse
import json
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

from benchmarks.result_files import RESULTS, Measurements
from benchmarks.speed import (
    Figures,
    Race,
    Timed,
    head_of_race,
    in_turn,
    mirror,
    peak_mb,
    prepare,
    read_text,
    write_races,
)
from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.static.fasttext import FastTextConfig, train_fasttext
from embeddings.static.word2vec import Word2VecConfig, train_word2vec
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
    question : str
        Of the experiment.
    train, config : callable
        ``train(corpus, config(**settings), report=...)`` returns a model; its vectors have a row for each word of the vocabulary.
    peer : str
        Class of ``gensim.models``.
    settings : mapping
        What both take beside `SETTINGS`.
    quick_bytes : int
        How much of the text ``--quick`` reads, once.
    """

    question: str
    train: Callable[..., Any]
    config: Callable[..., object]
    peer: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    quick_bytes: int = 10**7


CONTESTS = {
    "word2vec": Contest(
        "How fast is Word2Vec trained, and how good is it?",
        train_word2vec,
        Word2VecConfig,
        "Word2Vec",
    ),
    "fasttext": Contest(
        "How fast is fastText trained, and how good is it?",
        train_fasttext,
        FastTextConfig,
        "FastText",
        {"min_n": 3, "max_n": 6, "bucket": 2_000_000},
        quick_bytes=4 * 10**6,
    ),
}


def train_klyuch(contest: Contest, folder: Path, sg: bool, epochs: int) -> tuple[np.ndarray, float]:
    """Return vectors in the order of the vocabulary, and the seconds of training alone."""
    corpus = EncodedCorpus.open(folder / "ids")
    rates: list[float] = []
    settings = {"sg": sg, "epochs": epochs, **SETTINGS, **contest.settings}
    model = contest.train(
        corpus, contest.config(**settings), report=lambda at: rates.append(at.per_second)
    )
    return model.vectors.matrix, len(corpus.ids) * epochs / rates[-1]


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


def run_alone(name: str, folder: Path, system: str, method: str, epochs: int) -> None:
    """Train in this process; leave vectors in the folder and print time and memory."""
    train = {"klyuch": train_klyuch, "gensim": train_gensim}[system]
    begun = time.process_time()
    matrix, seconds = train(CONTESTS[name], folder, method == "skipgram", epochs)
    processor = time.process_time() - begun
    figures = {"seconds": seconds, "cpu_seconds": processor, "memory_mb": peak_mb()}
    np.save(folder / "vectors.npy", matrix)
    print(json.dumps(figures))


def measure(name: str, folder: Path, system: str, method: str, epochs: int) -> Figures:
    """Make one run in a process of its own, and score it."""
    arguments = (name, str(folder), system, method, str(epochs))
    command = [sys.executable, "-m", "benchmarks.gensim_speed", "--alone", *arguments]
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


def compare(name: str, size: int, epochs: int, rounds: int, again: int) -> Measurements:
    """Make all runs over ``size`` bytes, both trainers in turn, and set them against each other."""
    timed: dict[str, Timed] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        corpus = prepare(folder, read_text(mirror("corpora"), size))
        for method in METHODS:
            trainers = {
                system: partial(measure, name, folder, system, method, epochs) for system in SYSTEMS
            }
            timed[method] = in_turn(trainers, rounds, again)
            print(json.dumps(rows_of(method, timed[method])), flush=True)
        words = {"words": len(corpus.ids), "vocabulary": len(corpus.vocabulary), "bytes": size}
    return {
        "corpus": words,
        "epochs": epochs,
        "settings": {**SETTINGS, **CONTESTS[name].settings},
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
    """Compare and print; write ``benchmarks/results/NAME.json`` unless it was quick."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--only", nargs="+", choices=CONTESTS, default=list(CONTESTS))
    ask.add_argument(
        "--quick", action="store_true", help="less text, one epoch, one round, nothing written"
    )
    ask.add_argument(
        "--alone", nargs=5, metavar=("CONTEST", "FOLDER", "SYSTEM", "METHOD", "EPOCHS")
    )
    chosen = ask.parse_args()
    if chosen.alone:
        name, folder, system, method, epochs = chosen.alone
        run_alone(name, Path(folder), system, method, int(epochs))
        return
    for name in chosen.only:
        contest = CONTESTS[name]
        plan = (contest.quick_bytes, 1, 1, 0) if chosen.quick else (10**8, 5, ROUNDS, AGAIN)
        compared = compare(name, *plan)
        print(json.dumps(compared["against_gensim"]))
        if not chosen.quick:
            measured = head_of_race(f"python -m benchmarks.gensim_speed --only {name}") | compared
            write_races(RESULTS / f"{name}.json", contest.question, races(measured), measured)


if __name__ == "__main__":
    main()

"""How cost grows: with the corpus, the vocabulary, the dimensions and the threads, in seconds of processor time.

Run ``KLYUCH_MIRROR=FOLDER python -m benchmarks.research.scaling --work WORK [--wait SECONDS]``. Processor time is told since a busy machine
changes it least; before each axis it waits, at most so long, until nobody else computes, and notes the load. An
exponent is the slope of the logarithm of the cost over the logarithm of the size, by least squares: 1 is proportional growth, 0 none.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
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
from benchmarks.speed import mirror, quiet_load, read_text
from embeddings.analysis.pca import PCA
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.corpora.text_counting import count_files
from benchmarks.verdict_rules import below, make_claim
from embeddings.lab.experiment import Claim, Drawing, Experiment, Measured, Series
from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences
from embeddings.static.word2vec import Word2VecConfig, train_ids
from embeddings.vectors.cosine_search import nearest
from embeddings.vectors.table import Vectors

QUESTION = "How does cost grow with the corpus, the vocabulary, the dimensions and the threads?"
SMALLEST = 5_000_000  # bytes of the corpus that counts as 1
CORPORA = (1, 2, 4, 8, 24)
VOCABULARIES = (10_000, 100_000, 1_000_000, 3_000_000)
SIZES = (50, 100, 200, 300, 600)
THREADS = (1, 2)
AXES = ("corpus", "vocabulary", "vector_size", "threads")
ONE_EPOCH = Word2VecConfig(sample=1e-4, epochs=1, workers=1)
ROUNDS = 3


def cpu_seconds(action: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The least processor time of some rounds."""
    taken = []
    for _ in range(rounds):
        begun = time.process_time()
        action()
        taken.append(time.process_time() - begun)
    return min(taken)


def train(corpus: EncodedCorpus, config: Word2VecConfig) -> None:
    """One epoch of skip-gram."""
    train_ids(corpus.ids, corpus.sentence_bounds, corpus.vocabulary.counts, config)


def measure_corpus(work: Path, text: bytes) -> list[dict[str, Any]]:
    """Encoding, co-occurrences and an epoch over a text, its half and so on."""
    rows = []
    for times in CORPORA:
        path = work / f"{times}.txt"
        path.write_bytes(text[: text.rfind(b"\n", 0, times * SMALLEST) + 1])
        folder = work / f"{times}.ids"
        config = EncodingConfig(min_count=5)
        seconds = {"encode": cpu_seconds(lambda: encode([path], folder, config, workers=1))}  # noqa: B023
        corpus = EncodedCorpus.open(folder)
        counting = CooccurrenceConfig(workers=1)
        seconds["cooccurrence"] = cpu_seconds(lambda: count_cooccurrences(corpus, counting))  # noqa: B023
        seconds["skipgram"] = cpu_seconds(lambda: train(corpus, ONE_EPOCH))  # noqa: B023
        size = {"axis": "corpus", "size": times, "words": len(corpus.ids)}
        rows += [{**size, "work": work_name, "cpu_s": s} for work_name, s in seconds.items()]
        types = {
            "types": len(corpus.vocabulary),
            "distinct": len(count_files([path], lower=True).table),
        }
        rows += [{**size, "work": "types", "cpu_s": None, **types}]
    return rows


def random_vectors(words: int, size: int) -> Vectors:
    """Vectors without meaning, of words that are numbers."""
    matrix = np.random.default_rng(1).standard_normal((words, size), dtype=np.float32)
    return Vectors([str(number) for number in range(words)], matrix)


def measure_vocabulary() -> list[dict[str, Any]]:
    """Exact search, PCA, and an epoch over a million words, at 50 dimensions."""
    rows: list[dict[str, Any]] = []
    for words in VOCABULARIES:
        vectors = random_vectors(words, 50)
        seconds = {"exact_search": cpu_seconds(lambda: nearest(vectors, vectors.matrix[7], 10), 9)}  # noqa: B023
        seconds["pca"] = cpu_seconds(lambda: PCA(2).fit(vectors.matrix))  # noqa: B023
        rows += [
            {"axis": "vocabulary", "size": words, "work": work, "cpu_s": s}
            for work, s in seconds.items()
        ]
        draw = np.random.default_rng(2)
        ranks = np.exp(draw.random(1_000_000) * np.log(words)).astype(np.int32) - 1  # Zipf's law
        counts = np.bincount(ranks, minlength=words)
        bounds = np.arange(0, len(ranks) + 1, 20)
        config = replace(ONE_EPOCH, vector_size=50)
        once = replace(config, epochs=2)

        def run(settings: Word2VecConfig) -> float:
            return cpu_seconds(lambda: train_ids(ranks, bounds, counts, settings))  # noqa: B023

        epoch = run(once) - run(config)  # tables and copies are made once
        rows.append({"axis": "vocabulary", "size": words, "work": "skipgram", "cpu_s": epoch})
    return rows


def measure_sizes(corpus: EncodedCorpus) -> list[dict[str, Any]]:
    """An epoch, exact search and PCA over 100 000 words, by the dimensions."""
    rows = []
    for size in SIZES:
        vectors = random_vectors(100_000, size)
        config = replace(ONE_EPOCH, vector_size=size)
        seconds = {
            "skipgram": cpu_seconds(lambda: train(corpus, config)),  # noqa: B023
            "exact_search": cpu_seconds(lambda: nearest(vectors, vectors.matrix[7], 10), 9),  # noqa: B023
            "pca": cpu_seconds(lambda: PCA(2).fit(vectors.matrix)),  # noqa: B023
        }
        rows += [
            {"axis": "vector_size", "size": size, "work": work, "cpu_s": s}
            for work, s in seconds.items()
        ]
    return rows


def measure_threads(corpus: EncodedCorpus, path: Path, work: Path) -> list[dict[str, Any]]:
    """The processor time of all threads together: what they cost more than one."""
    rows = []
    for threads in THREADS:
        config = replace(ONE_EPOCH, workers=threads)
        counting = CooccurrenceConfig(workers=threads)
        folder = work / "threads.ids"
        encoding = EncodingConfig(min_count=5)
        seconds = {
            "encode": cpu_seconds(lambda: encode([path], folder, encoding, workers=threads)),  # noqa: B023
            "cooccurrence": cpu_seconds(lambda: count_cooccurrences(corpus, counting)),  # noqa: B023
            "skipgram": cpu_seconds(lambda: train(corpus, config)),  # noqa: B023
        }
        rows += [
            {"axis": "threads", "size": threads, "work": work, "cpu_s": s}
            for work, s in seconds.items()
        ]
    return rows


def exponent(sizes: list[float], costs: list[float]) -> float:
    """Slope of log cost over log size, by least squares."""
    slope, _ = np.polyfit(np.log(sizes), np.log(costs), 1)
    return round(float(slope), 9)  # libraries differ in the last digits


def grown(measured: Measurements) -> dict[tuple[str, str], tuple[list[float], list[float]]]:
    """Sizes and costs of each kind of work, by axis; of a corpus, the types of its vocabulary too."""
    lines: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for row in measured["rows"]:
        sizes, costs = lines.setdefault((row["axis"], row["work"]), ([], []))
        sizes.append(row["size"])
        costs.append(row["types"] if row["cpu_s"] is None else row["cpu_s"])
    return lines


def scaling_experiment(measured: Measurements) -> Experiment:
    """What Lab draws: the cost as a multiple of the smallest, and the exponents."""
    lines = grown(measured)
    drawings = []
    for axis in AXES:
        series = [
            Series(work, tuple(sizes), tuple(cost / costs[0] for cost in costs))
            for (on, work), (sizes, costs) in lines.items()
            if on == axis
        ]
        drawings.append(Drawing(axis, "lines", f"{axis}_size", "times_cost", tuple(series)))
    exponents = [
        {"axis": axis, "work": work, "exponent": exponent(sizes, costs)}
        for (axis, work), (sizes, costs) in lines.items()
    ]
    names = tuple(f"grows_{row['axis']}|{row['work']}" for row in exponents)
    values = tuple(round(row["exponent"], 3) for row in exponents)
    bars = Drawing(
        "exponents", "bars", "growing_work", "exponent", (Series("exponent", names, values),), 1
    )
    terms = {"axis": "grows_", "work": ""}
    table = table_of("exponents", exponents, {"axis": 0, "work": 0, "exponent": 2}, terms)
    costs = [row | {"cpu_seconds": row["cpu_s"]} for row in measured["rows"] if row["cpu_s"]]
    shown = {"axis": 0, "size": 0, "work": 0, "cpu_seconds": 4}
    seconds = table_of("seconds", costs, shown, terms)
    head = about(measured, "scaling")
    return Experiment(
        "scaling",
        QUESTION,
        (vocabulary_claim(exponents),),
        (table, seconds),
        (*drawings, bars),
        **head,
    )


def vocabulary_claim(exponents: list[dict[str, Any]]) -> Claim:
    """Heaps' law: the vocabulary grows more slowly than the text."""
    value = next(row["exponent"] for row in exponents if row["work"] == "types")
    fields = {"exponent": Measured(value, 2)}
    numbers = {"value": value, "bound": 1.0}
    return make_claim(
        "vocabulary_grows_slower", below, numbers, fields, source="Heaps 1978", ours=value
    )


def loaded(rows: list[dict[str, Any]], wait: float) -> list[dict[str, Any]]:
    """The load before an axis is measured, as a row beside those that are already there."""
    load = quiet_load(wait)
    others = None if load.others is None else round(load.others, 2)
    figures = {"load_average": round(load.average, 1), "cores_used_by_others": others}
    return [*rows, {"axis": AXES[len(rows)], **figures, "busy": load.is_busy}]


def main() -> None:
    """Measure all and write the file of results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--wait", type=float, default=60, help="seconds an axis waits for quiet")
    parser.add_argument("--output", type=Path, default=RESULTS / "scaling.json")
    chosen = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    begun = time.perf_counter()
    rows: list[dict[str, Any]] = []
    loads: list[dict[str, Any]] = []
    with TemporaryDirectory(dir=chosen.work) as name:
        work = Path(name)
        text = read_text(mirror("corpora"), CORPORA[-1] * SMALLEST)
        corpus_of = partial(EncodedCorpus.open, work / "2.ids")
        for measure in (
            lambda: measure_corpus(work, text),
            measure_vocabulary,
            lambda: measure_sizes(corpus_of()),
            lambda: measure_threads(corpus_of(), work / "2.txt", work),
        ):
            loads = loaded(loads, chosen.wait)
            print(loads[-1], flush=True)
            rows += measure()
    for row in rows:
        row["cpu_s"] = None if row["cpu_s"] is None else round(row["cpu_s"], 4)
    measured: Measurements = {
        **head_of_run("KLYUCH_MIRROR=FOLDER python -m benchmarks.research.scaling --work WORK"),
        "seconds": round(time.perf_counter() - begun, 1),
        "loads": loads,
        "rows": rows,
    }
    write_results(chosen.output, scaling_experiment(measured), measured)


if __name__ == "__main__":
    main()

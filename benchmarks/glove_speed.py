"""GloVe: how fast co-occurrences are counted and vectors trained, and how good they are.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.glove_speed [--quick]

Text: the first 10^8 bytes of en_wikipedia.1, encoded by this project (words with at least 5 uses).
Window 10, x_max 10, 15 iterations, 100 dimensions, two threads: the settings at which GloVe's own C
program was timed once (`C_PROGRAM`). It does not install here, so that its rates are constants and the
ratios to them indirect. Counting and training are repeated (`benchmarks.speed`) and medians kept. Loops
are compiled before the clock starts; seconds of both threads together stand beside, since other work
slows the clock's. Training time holds the packing and shuffling of the pairs (the C program's shuffle
takes 13.5 s more, not held against it). Written to ``benchmarks/results/glove.json``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

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
from embeddings.analysis.cooccurrence_ratios import ratios
from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.results import plain
from embeddings.static.cooccurrence import CooccurrenceConfig, Cooccurrences, count_cooccurrences
from embeddings.static.glove import (
    EXAMPLES,
    GloveConfig,
    GloveModel,
    cooccurrence_table,
    train_glove,
)
from embeddings.vectors.cooccurrence_table import save_cooccurrence

RESULT = RESULTS / "glove.json"
QUESTION = "How fast are co-occurrences counted and GloVe trained, and how good is it?"
SIZES = {"full": (10**8, 15), "quick": (10**7, 3)}  # bytes of text, iterations
ROUNDS, TRAININGS, AGAIN = 5, 3, 2  # of counting, of training; how many busy ones are made again
C_PROGRAM = {"words_per_second": 16_885_878 / 15.6, "pairs_per_second": 1.48e6}
ORIGIN = (
    "typed-in constants, not measured in this run: the C program of Pennington et al. 2014 (gcc 12.2, -O3 -march=native), "
    "timed once by hand on a 2-core AMD EPYC over 16 885 878 words of the first 10^8 bytes of a 2018 English Wikipedia "
    "cleaned to a-z, 2 threads: 15.6 s for co-occurrences, 1.48 million pairs/s for training"
)
MARKS = {"cooccurrence": 6.0, "training": 4.5}
MEMORY_MB = 100


def warm_up(folder: Path) -> None:
    """Compile the loops, for ids in memory and for ids mapped from disk."""
    small = EncodedCorpus.from_sentences([["a", "b", "c", "a"]] * 50)
    train_glove(count_cooccurrences(small), small.vocabulary, GloveConfig(iterations=1))
    count_cooccurrences(EncodedCorpus.open(folder / "ids"), CooccurrenceConfig(window=1))


def timed_by_both(call: Callable[[], object]) -> Figures:
    """Seconds of the clock and of the processor."""
    began, used = time.perf_counter(), time.process_time()
    call()
    return {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - used}


def clocks(timed: Timed) -> dict[str, object]:
    """Seconds of every round, and the load."""
    all_figures = [one_round.figures["klyuch"] for one_round in timed.rounds]
    return {
        **{
            key: [round(figures[key], 2) for figures in all_figures]
            for key in ("seconds", "cpu_seconds")
        },
        "load": timed.load(),
        "rounds": timed.rows(),
    }


def count(corpus: EncodedCorpus, folder: Path) -> tuple[Cooccurrences, dict[str, object]]:
    """Count several times in memory and once on disk, and hold the two to each other."""
    timed = in_turn(
        {"klyuch": lambda: timed_by_both(lambda: count_cooccurrences(corpus))}, ROUNDS, AGAIN
    )
    counts = count_cooccurrences(corpus)
    memory = int(peak_mb())
    began = time.perf_counter()
    spilled = count_cooccurrences(
        corpus, CooccurrenceConfig(memory_mb=MEMORY_MB), folder=folder / "counts"
    )
    on_disk = time.perf_counter() - began
    equal = np.array_equal(spilled.columns, counts.columns)
    equal = equal and np.array_equal(spilled.values, counts.values)
    return counts, {
        **clocks(timed),
        "words_per_second": round(len(corpus.ids) / timed.median("klyuch")),
        "pairs": counts.pairs,
        "peak_mb": memory,
        "on_disk": {"memory_mb": MEMORY_MB, "seconds": round(on_disk, 2), "equal": bool(equal)},
    }


def train(
    corpus: EncodedCorpus, counts: Cooccurrences, iterations: int
) -> tuple[GloveModel, dict[str, object]]:
    """Train several times; the rate is that of everything from counts to vectors."""
    rates: dict[int, float] = {}
    models: list[GloveModel] = []

    def train_once() -> None:
        models[:] = [
            train_glove(
                counts,
                corpus.vocabulary,
                GloveConfig(iterations=iterations),
                report=lambda at: rates.__setitem__(at.epoch, at.per_second),
            )
        ]

    timed = in_turn({"klyuch": lambda: timed_by_both(train_once)}, TRAININGS, AGAIN)
    (model,) = models
    return model, {
        **clocks(timed),
        "pairs_per_second": round(counts.pairs * iterations / timed.median("klyuch")),
        "pairs_per_second_of_an_iteration": round(statistics.median(rates.values())),
        "peak_mb": int(peak_mb()),
        "costs": [round(cost, 5) for cost in model.costs],
    }


def score(model: GloveModel) -> dict[str, object]:
    """Score on the English sets."""
    sets = {
        name: mirror("evaluation", "similarity_en", f"EN-{name}.txt")
        for name in ("WS-353-ALL", "SIMLEX-999")
    }
    questions = mirror("evaluation", "analogies_en", "questions-words.txt")
    google = evaluate_analogies(model.vectors, questions)
    pairs = {name: evaluate_pairs(model.vectors, path) for name, path in sets.items()}
    return {
        "google_analogies": {
            "accuracy": round(google.accuracy, 4),
            "covered": google.covered,
            "total": google.total,
        },
        **{name: round(result.spearman, 4) for name, result in pairs.items()},
    }


def ice_and_steam(
    corpus: EncodedCorpus, counts: Cooccurrences, model: GloveModel, folder: Path
) -> dict[str, object]:
    """Table 1 of the GloVe paper on this text, and what its file weighs."""
    examples = EXAMPLES["en"].split()
    table = cooccurrence_table(counts, model, corpus.vocabulary, examples)
    save_cooccurrence(table, folder)
    size = len(table.words)
    answer = ratios(table, "ice", "steam", ["solid", "gas", "water", "fashion"])
    return {
        "rows": plain(answer.rows),
        "words": size,
        "density": round(float(np.count_nonzero(table.counts) / size**2), 3),
        "bytes": (folder / "cooccurrence.safetensors").stat().st_size,
    }


def against_c(counted: dict[str, object], trained: dict[str, object]) -> dict[str, object]:
    """Ratios to the C program's rates, which are constants, and whether the marks are met."""
    ratios_to_c = {
        "cooccurrence": counted["words_per_second"] / C_PROGRAM["words_per_second"],
        "training": trained["pairs_per_second"] / C_PROGRAM["pairs_per_second"],
    }
    met = {name: bool(value >= MARKS[name]) for name, value in ratios_to_c.items()}
    rounded = {name: round(value, 1) for name, value in ratios_to_c.items()}
    return rounded | {
        "marks": MARKS,
        "met": met,
        "indirect": True,
        "c_program": {name: round(rate) for name, rate in C_PROGRAM.items()},
        "origin": ORIGIN,
    }


def races(measured: Measurements) -> list[Race]:
    """Counting and training against the rates of the C program."""
    theirs = measured["against_c"]["c_program"]
    return [
        Race(work, "", "GloVe (C)", unit, measured[part][key] / 1e6, theirs[key] / 1e6, "indirect")
        for work, part, key, unit in (
            ("glove_count", "cooccurrence", "words_per_second", "M words/s"),
            ("glove_train", "training", "pairs_per_second", "M pairs/s"),
        )
    ]


def main() -> None:
    """Measure, print, and write the result unless it was quick."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument(
        "--quick",
        action="store_true",
        help="a tenth of the text, three iterations, nothing written",
    )
    quick = ask.parse_args().quick
    size, iterations = SIZES["quick" if quick else "full"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = prepare(folder, read_text(mirror("corpora"), size))
        warm_up(folder)
        counts, counted = count(corpus, folder)
        model, trained = train(corpus, counts, iterations)
        measured = {
            **head_of_race("python -m benchmarks.glove_speed"),
            "corpus": {"words": len(corpus.ids), "vocabulary": len(corpus.vocabulary)},
            "cooccurrence": counted,
            "training": trained,
            "against_c": against_c(counted, trained),
            "scores": score(model),
            "ice_and_steam": ice_and_steam(corpus, counts, model, folder),
        }
    print(json.dumps(measured, indent=2))
    if not quick:
        write_races(RESULT, QUESTION, races(measured), measured)


if __name__ == "__main__":
    main()

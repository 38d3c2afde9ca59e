"""Senses of Russian words that were annotated for RUSSE 2018, on all five open sets, beside AdaGram's published answers.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.sense_sets [--output FILE]

Each way to weigh the words of a context is clustered once. How the tree of agreement is cut (smallest share of a sense, least lifetime
of a number of senses) is chosen leave-one-set-out: for each set, the setting with the best mean adjusted Rand index on the four others.
Told of each set: the index, the senses found beside those annotated, and in how many of the words of which one sense has four fifths of
the contexts more than one sense was found.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.clustering import DEFAULT, agreement, cut
from embeddings.analysis.sense_induction import (
    VIEWS,
    WordSpace,
    adjusted_rand_index,
    context_vectors,
    weighted,
    word_space,
)
from embeddings.corpora.sense_contexts import Context, by_word, read_contexts, surroundings
from embeddings.results.induced_senses import SurroundingWord
from embeddings.shelf import load_vectors
from embeddings.text.lemmas import lemma_key
from embeddings.vectors.table import normalize_rows

SETS = {
    "wiki-wiki": "wiki-wiki/train.csv",
    "active-dict": "active-dict/train.csv",
    "active-rnc": "additional/active-rnc.csv",
    "active-rutenten": "additional/active-rutenten.csv",
    "bts-rutenten": "additional/bts-rutenten.csv",
}
DOMINANT = 0.8
SMALLEST = (0.03, 0.05, 0.08, 0.12, 0.2)
LIFETIMES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)
SETTINGS = tuple(product(SMALLEST, LIFETIMES))
SHIPPED = (DEFAULT.smallest, 0.0)
Points = NDArray[np.float32]


@dataclass(frozen=True)
class Scored:
    """A word's index with every setting, and how many senses were found; ``gold`` annotated ones, ``dominant`` the share of the first."""

    contexts: int
    gold: int
    dominant: float
    scores: dict[tuple[float, float], tuple[float, int]]


def associated(contexts: Sequence[Sequence[SurroundingWord]], space: WordSpace) -> Points:
    """Contexts by the words that stand in several of them oftener than by chance: log(n / expected), over the root of the distance."""
    rows = [[(space.find(w.keys), w.distance) for w in words] for words in contexts]
    known = [[(row, far) for row, far in words if row is not None] for words in rows]
    counts = np.bincount([row for words in known for row, _ in words], minlength=len(space.matrix))
    expected = np.maximum(counts.sum() * space.shares, 1e-9)
    weights = np.where(counts >= 2, np.log(np.maximum(counts, 1) / expected), 0).clip(0)
    points = np.zeros((len(contexts), space.matrix.shape[1]), np.float32)
    for number, words in enumerate(known):
        for row, far in words:
            points[number] += weights[row] / far**0.5 * space.matrix[row]
    return normalize_rows(points)


def labels_of(together: Points, smallest: float, least: float) -> NDArray[np.int64]:
    """Senses of the contexts; one where no number of them lives for ``least``."""
    found = cut(together, replace(DEFAULT, smallest=smallest))
    lives = max((life for _, life in found.lifetimes), default=0.0)
    return found.labels if lives >= least else np.zeros_like(found.labels)


def score(contexts: Sequence[Context], space: WordSpace) -> dict[str, Scored]:
    """Score one word by each way to weigh the words of a context."""
    beside = [surroundings(context, "ru", strict=False) for context in contexts]
    plain = [context_vectors(beside, space, contexts[0].word, view) for view in VIEWS]
    by_association = associated(beside, space)
    ways = {
        "views": plain,
        "association": [by_association],
        "both": [*plain, by_association, by_association],
    }
    golds = [context.gold for context in contexts]
    sizes = [golds.count(gold) for gold in set(golds)]
    scored = {}
    for way, points in ways.items():
        together = agreement(points)
        scores = {}
        for setting in SETTINGS:
            labels = labels_of(together, *setting)
            index = adjusted_rand_index(golds, [str(label) for label in labels])
            scores[setting] = (index, int(labels.max()) + 1)
        scored[way] = Scored(len(golds), len(sizes), max(sizes) / len(golds), scores)
    return scored


def of_set(words: Sequence[Scored], setting: tuple[float, float]) -> dict[str, float | None]:
    """Index, senses found and annotated, and how many dominated words were split, of one set."""
    dominated = [word for word in words if word.dominant >= DOMINANT]
    split = [word.scores[setting][1] > 1 for word in dominated]
    return {
        "ari": weighted([(word.scores[setting][0], word.contexts) for word in words]),
        "senses": float(np.mean([word.scores[setting][1] for word in words])),
        "annotated": float(np.mean([word.gold for word in words])),
        "split": float(np.mean(split)) if split else None,
        "dominated": len(dominated),
    }


def left_out(by_set: dict[str, list[Scored]], name: str) -> tuple[float, float]:
    """Return the setting with the best mean index on all sets but one."""

    def mean(setting: tuple[float, float]) -> float:
        others = (words for other, words in by_set.items() if other != name)
        return float(np.mean([of_set(words, setting)["ari"] for words in others]))

    return max(SETTINGS, key=mean)


def adagram(path: Path) -> float | None:
    """Return the index of AdaGram's published answers; None where there are none."""
    answers = path.with_suffix(".baseline-adagram.csv")
    if not answers.exists():
        return None
    contexts = read_contexts(answers)
    chosen = ([contexts[row] for row in rows] for rows in by_word(contexts).values())
    scores = [
        (adjusted_rand_index([c.gold for c in word], [c.predicted for c in word]), len(word))
        for word in chosen
    ]
    return weighted(scores)


def main() -> None:
    """Score all sets and print them."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--mirror", type=Path, default=os.environ.get("KLYUCH_MIRROR"))
    ask.add_argument("--output", type=Path, help="JSON with all figures")
    options = ask.parse_args()
    if options.mirror is None:
        raise SystemExit("Set KLYUCH_MIRROR to the folder that holds evaluation/senses_ru.")
    begun = time.perf_counter()
    space = word_space(load_vectors("ru-lemmas"), partial(lemma_key, language="ru"))
    by_way: dict[str, dict[str, list[Scored]]] = {}
    baseline: dict[str, float | None] = {}
    for name, file in SETS.items():
        path = options.mirror / "evaluation" / "senses_ru" / file
        contexts, baseline[name] = read_contexts(path), adagram(path)
        for rows in by_word(contexts).values():
            for way, scored in score([contexts[row] for row in rows], space).items():
                by_way.setdefault(way, {}).setdefault(name, []).append(scored)
    results = {
        way: {
            name: {
                "shipped": of_set(words, SHIPPED),
                "setting": (chosen := left_out(by_set, name)),
                "left_out": of_set(words, chosen),
                "adagram": baseline[name],
            }
            for name, words in by_set.items()
        }
        for way, by_set in by_way.items()
    }
    for way, sets in results.items():
        for name, figures in sets.items():
            print(way, name, json.dumps(figures), flush=True)
    print(f"{time.perf_counter() - begun:.0f} s")
    if options.output:
        options.output.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

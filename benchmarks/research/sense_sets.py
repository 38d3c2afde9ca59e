"""Senses of Russian words that were annotated for RUSSE 2018, on all five open sets, beside AdaGram's published answers.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.research.sense_sets [--seeds N] [--cache FOLDER] [--output FILE]

Ways: static vectors of the words of a context, alone and with the network of the language beside them: the state of the word itself,
the same less what the word's form brings, the states of the words around, or the first and the last of these, each of a length (the
number in its name) beside static vectors of length 1. How the tree of agreement is cut (smallest share of a sense, least lifetime
of a number of senses) is chosen leave-one-set-out: for each set, the setting with the best mean adjusted Rand index on the four others.
Told of each set: the index as it ships and with the setting chosen, its standard deviation over the seeds of the clusterings, the
senses found beside those annotated, and in how many of the words of which one sense has four fifths of the contexts more than one sense
was found. Of a word with more than a hundred contexts in the additional sets a hundred are drawn (seed 1); AdaGram is scored on the same.
``--cache`` keeps the network's vectors on disk.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.research.sense_methods import Models, Word, make_vectors, views
from embeddings.analysis.number_of_groups import DEFAULT, agreement, cut
from embeddings.analysis.sense_induction import WordSpace, adjusted_rand_index, weighted
from embeddings.corpora.sense_contexts import Context, by_word, read_contexts, surroundings
from embeddings.corpora.corpus_answers import SurroundingWord
from embeddings.vectors.vector_rows import normalize_rows

SETS = {
    "wiki-wiki": "wiki-wiki/train.csv",
    "active-dict": "active-dict/train.csv",
    "active-rnc": "additional/active-rnc.csv",
    "active-rutenten": "additional/active-rutenten.csv",
    "bts-rutenten": "additional/bts-rutenten.csv",
}
MOST = 100  # contexts of a word in the additional sets
DOMINANT = 0.8
SMALLEST = (0.03, 0.05, 0.08, 0.12, 0.2)
LIFETIMES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)
SETTINGS = tuple(product(SMALLEST, LIFETIMES))
SHIPPED = (DEFAULT.smallest, 0.0)
STATIC = ("lemmas_views", 1.0)
BESIDE = {
    "own": ("word_state",),
    "form": ("form_centred",),
    "around": ("around",),
    "both": ("word_state", "around"),
}
SHARES = (0.35, 0.5, 0.7)
WAYS: dict[str, tuple[tuple[str, float], ...]] = {"static": (STATIC,)} | {
    f"{name}_{share}": (STATIC, *((kind, share) for kind in kinds))
    for name, kinds in BESIDE.items()
    for share in SHARES
}
ASSOCIATED = ("association", "static_and_association")
Points = NDArray[np.float32]
Setting = tuple[float, float]


@dataclass(frozen=True)
class Scored:
    """A word's index with every setting, and how many senses were found; ``gold`` annotated ones, ``dominant`` the share of the first."""

    contexts: int
    gold: int
    dominant: float
    scores: dict[Setting, tuple[float, int]]


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


def labels_of(together: Points, smallest: float) -> dict[float, NDArray[np.int64]]:
    """Senses of the contexts by least lifetime; one where no number of them lives so long."""
    clusters = cut(together, replace(DEFAULT, smallest=smallest))
    lives = max((life for _, life in clusters.lifetimes), default=0.0)
    one = np.zeros_like(clusters.labels)
    return {least: clusters.labels if lives >= least else one for least in LIFETIMES}


def vectors(word: Word, models: Models, cache: Path | None) -> dict[str, list[Points]]:
    """What each way clusters; the network's vectors are read from ``cache`` where they lie there, else written to it."""
    for kind in {kind for kinds in BESIDE.values() for kind in kinds}:
        path = cache and cache / f"{word.name}-{word.contexts[0].word}-{kind}.npy"
        if path and path.exists():
            word.vectors[kind] = [np.load(path, allow_pickle=False)], 0.0
        made = make_vectors(word, models, kind)[0]
        if path and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, made[0])
    by_way = {way: views(word, models, parts)[0] for way, parts in WAYS.items()}
    by_association = associated(word.beside, models.companion(word.language))
    mixed = [*by_way["static"], by_association, by_association]
    return by_way | dict(zip(ASSOCIATED, ([by_association], mixed), strict=True))


def score(points: Sequence[Points], golds: Sequence[str], seed: int) -> Scored:
    """Score one word by one way, with every setting."""
    together = agreement(points, replace(DEFAULT, seed=seed))
    scores = {}
    for smallest in SMALLEST:
        for least, labels in labels_of(together, smallest).items():
            index = adjusted_rand_index(golds, [str(label) for label in labels])
            scores[smallest, least] = (index, int(labels.max()) + 1)
    sizes = [golds.count(gold) for gold in set(golds)]
    return Scored(len(golds), len(sizes), max(sizes) / len(golds), scores)


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


def mean_index(by_seed: Sequence[Sequence[Scored]], setting: Setting) -> tuple[float, float]:
    """Index of a set, mean and standard deviation over the seeds."""
    values = [of_set(words, setting)["ari"] for words in by_seed]
    return float(np.mean(values)), float(np.std(values))


def left_out(by_set: Mapping[str, Sequence[Sequence[Scored]]], name: str) -> Setting:
    """Return the setting with the best mean index on all sets but one; of each set its words by seed."""

    def mean(setting: Setting) -> float:
        others = (by_seed for other, by_seed in by_set.items() if other != name)
        return float(np.mean([mean_index(by_seed, setting)[0] for by_seed in others]))

    return max(SETTINGS, key=mean)


def drawn(contexts: Sequence[Context], most: int) -> list[Context]:
    """Some of a word's contexts, in their order, the same ones each time."""
    if len(contexts) <= most:
        return list(contexts)
    rows = np.random.default_rng(1).choice(len(contexts), most, replace=False)
    return [contexts[row] for row in np.sort(rows)]


def words_of(name: str, path: Path) -> list[Word]:
    """Return the words of a set."""
    contexts, words = read_contexts(path), []
    for rows in by_word(contexts).values():
        most = MOST if path.parent.name == "additional" else len(rows)
        chosen = drawn([contexts[row] for row in rows], most)
        beside = [surroundings(context, "ru", strict=False) for context in chosen]
        words.append(Word(name, "ru", chosen, beside, [True] * len(chosen)))
    return words


def adagram(path: Path, words: Sequence[Word]) -> float | None:
    """Return the index of AdaGram's published answers on the same contexts; None where there are none."""
    answers = path.with_suffix(".baseline-adagram.csv")
    if not answers.exists():
        return None
    predicted = {context.context_id: context.predicted for context in read_contexts(answers)}
    scores = [
        (
            adjusted_rand_index(word.golds, [predicted[c.context_id] for c in word.contexts]),
            len(word.golds),
        )
        for word in words
    ]
    return weighted(scores)


def options_given() -> argparse.Namespace:
    """Return the options of the command line."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--mirror", type=Path, default=os.environ.get("KLYUCH_MIRROR"))
    ask.add_argument("--seeds", type=int, default=1, help="Seeds of the clusterings, from 1.")
    ask.add_argument("--cache", type=Path, help="Folder for the network's vectors.")
    ask.add_argument("--output", type=Path, help="JSON with all figures")
    options = ask.parse_args()
    if options.mirror is None:
        raise SystemExit("Set KLYUCH_MIRROR to the folder that holds evaluation/senses_ru.")
    return options


def main() -> None:
    """Score all sets and print them."""
    options = options_given()
    begun = time.perf_counter()
    torch.set_num_threads(1)
    models, seeds = Models(), range(1, options.seeds + 1)
    by_way: dict[str, dict[str, list[list[Scored]]]] = {}
    baseline: dict[str, float | None] = {}
    for name, file in SETS.items():
        path = options.mirror / "evaluation" / "senses_ru" / file
        words = words_of(name, path)
        baseline[name] = adagram(path, words)
        for word in words:
            for way, points in vectors(word, models, options.cache).items():
                by_seed = by_way.setdefault(way, {}).setdefault(name, [[] for _ in seeds])
                for scored, seed in zip(by_seed, seeds, strict=True):
                    scored.append(score(points, word.golds, seed))
        print(f"{name} done, {time.perf_counter() - begun:.0f} s", flush=True)
    results = {
        way: {name: figures(by_set, name) | {"adagram": baseline[name]} for name in by_set}
        for way, by_set in by_way.items()
    }
    for way, sets in results.items():
        for name, of_name in sets.items():
            print(way, name, json.dumps(of_name), flush=True)
    if options.output:
        options.output.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def figures(by_set: Mapping[str, Sequence[Sequence[Scored]]], name: str) -> dict[str, object]:
    """Return what is told of a set: as it ships, and with the setting that the other sets choose; counts from the first seed."""
    chosen = left_out(by_set, name)
    told: dict[str, object] = {"setting": chosen}
    for key, setting in (("shipped", SHIPPED), ("left_out", chosen)):
        ari, deviation = mean_index(by_set[name], setting)
        first = of_set(by_set[name][0], setting)
        told[key] = first | {"ari": ari, "deviation": deviation}
    return told


if __name__ == "__main__":
    main()

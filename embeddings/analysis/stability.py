"""Ranges over several trainings: of neighbours, of the cosine of two words, of an association test.

The share of runs that agree is the reliability of an order (Antoniak and Mimno 2018 recommend averages over such runs). A significance
test would not do: the number of runs is ours to choose, and with enough runs any order becomes significant.

Of a single table `check_vectors` says whether it can be trusted. After too few updates all vectors point the same way, and every word is
every other's neighbour near 1. The mean cosine of random words lies near 0 to 0.4 in tables that learnt something, above that in those
that have not (Mu and Viswanath 2018 on the common part).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.analysis.analogies import formula_scores
from embeddings.analysis.association import association_scores, effect_size
from embeddings.analysis.comparison_answers import (
    MIN_RUNS,
    MIN_SHARE_OF_RUNS,
    NeighbourSpread,
    NeighbourSpreads,
    RunRange,
    RunScores,
)
from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs
from embeddings.analysis.vector_answers import Analogy, AssociationTest
from embeddings.arrays import Float32s, Float64s
from embeddings.errors import InputError
from embeddings.results import Result
from embeddings.vectors.run_spread import RunSpread, rows_of_all
from embeddings.vectors.table import Vectors


def neighbour_spreads(
    spread: RunSpread, word: str, neighbours: Sequence[str] | None = None
) -> NeighbourSpreads:
    """Return the neighbours of a word with their ranges, by falling mean cosine.

    Parameters
    ----------
    spread : RunSpread
    word : str
    neighbours : sequence of str, optional
        A list whose order is judged; those that the spread does not keep are left out. Without it all that are kept.

    Raises
    ------
    InputError
        If the spread keeps no neighbours of the word.
    """
    row = spread.row(word)
    if row is None:
        raise InputError("stability_word", word=word, rows=len(spread.neighbours))
    names = [spread.words[number] for number in spread.neighbours[row]]
    order = list(range(len(names)))
    if neighbours is not None:
        place = {name: number for number, name in enumerate(names)}
        order = [place[name] for name in neighbours if name in place]
    values = spread.cosines[row, order].astype(np.float64)
    return _in_order([names[place] for place in order], values, spread.ranks[row, order].tolist())


def answer_spreads(spread: RunSpread, analogy: Analogy) -> NeighbourSpreads:
    """Return the answers to a formula with the ranges of their scores, in their order; ranks among all words are not known.

    Answers whose vectors the spread does not keep are left out.

    Raises
    ------
    InputError
        If the spread lacks the vectors of one of the formula's words.
    """
    kept = {spread.words[number] for number in spread.kept}
    if missing := [term.word for term in analogy.terms if term.word not in kept]:
        raise InputError("stability_formula", word=missing[0], kept=len(kept))
    names = [answer.word for answer in analogy.answers if answer.word in kept]
    weights = np.array([term.weight for term in analogy.terms], np.float32)
    values = np.empty((len(names), spread.runs))
    for number in range(spread.runs):
        table = spread.run(number)
        rows = [table.row(term.word) for term in analogy.terms]
        scores = formula_scores(table, rows, weights, analogy.method)
        values[:, number] = scores[[table.row(name) for name in names]]
    return _in_order(names, values)


def _in_order(
    names: Sequence[str], values: Float64s, ranks: Sequence[tuple[int, int]] | None = None
) -> NeighbourSpreads:
    """Return words of a list with their values in every run, shape (words, runs), each next to the next."""
    spreads = []
    for at, name in enumerate(names):
        agreeing = None
        if at + 1 < len(names) and values.shape[1] > 1:
            agreeing = int((values[at] > values[at + 1]).sum())
        lowest, highest = ranks[at] if ranks is not None else (None, None)
        span = RunRange.of(values[at].tolist())
        spreads.append(NeighbourSpread(name, span, lowest, highest, agreeing))
    return NeighbourSpreads(spreads)


def reliable_orders(spread: RunSpread) -> float:
    """Return the share of adjacent neighbours, of all words with neighbours, whose order is reliable; NaN of fewer than `MIN_RUNS` runs."""
    if spread.runs < MIN_RUNS:
        return float("nan")
    agreeing = (spread.cosines[:, :-1] > spread.cosines[:, 1:]).mean(axis=-1)
    return float((agreeing >= MIN_SHARE_OF_RUNS).mean())


def cosine_range(spread: RunSpread, first: str, second: str) -> RunRange | None:
    """Return the range of two words' cosine; None where the spread keeps neither both vectors nor one as the other's neighbour."""
    numbers = [spread.index.get(w.lower() if spread.lower else w) for w in (first, second)]
    a, b = numbers
    if a is None or b is None:
        return None
    rows = [spread.row_of_number[number] for number in (a, b) if number in spread.row_of_number]
    if len(rows) == 2:
        cosines = np.einsum("ij,ij->i", spread.vectors[:, rows[0]], spread.vectors[:, rows[1]])
        lengths = np.linalg.norm(spread.vectors[:, rows], axis=-1).prod(axis=1)
        return RunRange.of((cosines / lengths).astype(np.float64).tolist())
    for word, near in ((a, b), (b, a)):
        if word < len(spread.neighbours) and near in spread.neighbours[word]:
            place = int(np.flatnonzero(spread.neighbours[word] == near)[0])
            return RunRange.of(spread.cosines[word, place].astype(np.float64).tolist())
    return None


def effect_size_range(spread: RunSpread, answer: AssociationTest) -> RunRange | None:
    """Return the range of an association test's effect size; None where the spread lacks the vectors of one of its words."""
    kept = {spread.words[number] for number in spread.kept}
    if not all(word in kept for covered in answer.sets for word in covered.words):
        return None
    size = len(answer.sets[0].words)
    values = [
        effect_size(association_scores(spread.run(number), answer.sets), size)
        for number in range(spread.runs)
    ]
    return RunRange.of(values) if np.isfinite(values).all() else None


def score_runs(
    tables: Sequence[Float32s],
    words: Sequence[str],
    analogies: Sequence[Path] = (),
    pairs: Sequence[Path] = (),
    *,
    lower: bool = True,
) -> dict[str, RunScores]:
    """Return how every run scores on test sets, by the names of their files.

    Parameters
    ----------
    tables : sequence of NDArray of float32, shape (words, vector_size)
        Unit vectors, a table a run; words that some run lacks (a row of zeros) count as not covered in all.
    words : sequence of str
        Their words, by falling frequency.
    analogies, pairs : sequence of Path
        As for `evaluate_analogies` and `evaluate_pairs`.
    lower : bool
        Whether the words are in lower case.
    """
    rows = rows_of_all(tables)
    runs = [Vectors([words[row] for row in rows.tolist()], np.asarray(t)[rows]) for t in tables]
    for table in runs:
        table.lower = lower
    scores = {}
    sets: list[tuple[Path, Callable[..., Any], str]]
    sets = [(path, evaluate_analogies, "accuracy") for path in analogies]
    sets += [(path, evaluate_pairs, "spearman") for path in pairs]
    for path, evaluate, measure in sets:
        answers = [evaluate(table, path) for table in runs]
        values = tuple(getattr(answer, measure) for answer in answers)
        scores[path.name] = RunScores(measure, values, answers[0].covered, answers[0].total)
    return scores


DRAWN = 400  # random words whose cosines are looked at
COLLAPSED = 0.8  # mean cosine of random words above which neighbours say next to nothing
ENOUGH = 30_000  # words of text below which a model has hardly seen any word often enough


class VectorHealth(Result):
    """What speaks against trusting a table of vectors.

    ``random_cosine``: mean cosine of two random words, in [-1, 1]; ``words_read``: words of text that its counts add up to, None where
    it has none.
    """

    random_cosine: float
    words_read: int | None

    @property
    def has_collapsed(self) -> bool:
        """Whether nearly all vectors point the same way."""
        return self.random_cosine > COLLAPSED

    @property
    def has_read_little(self) -> bool:
        """Whether the text was too short for vectors to mean much."""
        return self.words_read is not None and self.words_read < ENOUGH


def check_vectors(vectors: Vectors, seed: int = 1) -> VectorHealth:
    """Return the mean cosine of random words of a table, and how much text its counts add up to.

    Parameters
    ----------
    vectors : Vectors
    seed : int, default 1
        Of the draw; a table of up to 400 words is looked at whole.
    """
    size = len(vectors)
    drawn = np.random.default_rng(seed).permutation(size)[:DRAWN]
    rows = vectors.unit_rows(drawn.tolist()).astype(np.float64)
    count = len(rows)
    total = float(np.square(rows.sum(0)).sum() - np.square(rows).sum())
    cosine = total / (count * (count - 1)) if count > 1 else 0.0
    read = None if vectors.counts is None else int(np.sum(vectors.counts))
    return VectorHealth(cosine, read)

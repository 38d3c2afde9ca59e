"""Answers on two models, on several trainings of one, and on words that changed between two corpora."""

from __future__ import annotations

import math

import numpy as np

from embeddings.arrays import Float64s
from embeddings.results import Result, Rows, Table, Value


class ComparedWord(Value):
    """One word in two models.

    ``overlap``: Jaccard index of its two neighbourhoods, in [0, 1]. ``movement``: 1 - cosine of its
    two vectors after the alignment, in [0, 2]. ``shared`` neighbours are named by both models, the
    others by one; each list is ordered by nearness, ``shared`` in that of the first model.
    """

    word: str
    overlap: float
    movement: float
    shared: tuple[str, ...] = ()
    first_only: tuple[str, ...] = ()
    second_only: tuple[str, ...] = ()


class Comparison(Result):
    """Two models over some words.

    ``overlap`` is the mean over ``words``; ``procrustes_error`` the mean movement of all ``common``
    words; ``spearman`` the rank correlation of the two models' cosines over all pairs of ``words``
    (NaN for fewer than three words); ``missing`` words are not in both vocabularies.
    """

    first: str
    second: str
    topn: int
    common: int
    dimensions: tuple[int, int]
    overlap: float
    procrustes_error: float
    spearman: float
    words: tuple[ComparedWord, ...]
    missing: tuple[str, ...] = ()


class CommonMap(Result):
    """Words of two models in one plane: ``first`` and ``second`` of shape (words, 2), PCA's share of variance each."""

    words: tuple[str, ...]
    first: Float64s
    second: Float64s
    explained_variance_ratio: tuple[float, ...]

    def table(self) -> Table:
        """Return a line a word, with its place in both models."""
        places = np.hstack([self.first, self.second]).tolist()
        columns = ["word", "first x", "first y", "second x", "second y"]
        return columns, [[word, *place] for word, place in zip(self.words, places, strict=True)]


MIN_RUNS = 10  # the fewest of which a share of 90 % can be told from all: 9 of 10
MIN_SHARE_OF_RUNS = 0.9  # of the runs that must agree on an order that is called reliable


class RunRange(Result):
    """A number over several trainings: ``lowest`` and ``highest``, ``mean``, and the standard ``deviation`` (n - 1), None of one run."""

    lowest: float
    highest: float
    mean: float
    deviation: float | None
    runs: int

    @classmethod
    def of(cls, values: list[float]) -> RunRange:
        """Return the range of values, one a run.

        Examples
        --------
        >>> RunRange.of([1.0, 3.0]).table()[1]
        [['lowest', 1.0], ['highest', 3.0], ['mean', 2.0], ['deviation', 1.4142135623730951], ['runs', 2]]
        >>> RunRange.of([1.0]).deviation is None
        True
        """
        mean = math.fsum(values) / len(values)
        squares = math.fsum((value - mean) ** 2 for value in values)
        deviation = math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else None
        return cls(min(values), max(values), mean, deviation, len(values))


class RunOverlap(Value):
    """How far two trainings of one model agree: ``share``, the mean Jaccard index of the ``nearest`` words of a word."""

    share: float
    nearest: int


class RunScores(Value):
    """How several trainings of one model score on a test set.

    Attributes
    ----------
    measure : str
        "accuracy" (a fraction) or "spearman".
    values : tuple of float
        One a run; NaN where nothing is covered.
    covered, total : int
        Questions or pairs, of words that all runs have.
    """

    measure: str
    values: tuple[float, ...]
    covered: int
    total: int


class ScoreRange(Value):
    """The range of a score over several trainings of one model.

    Attributes
    ----------
    measure : str
        "accuracy" (a fraction) or "spearman".
    span : RunRange
    total : int
        Questions or pairs of the test set.
    is_resampled : bool
        Whether each training drew its documents again; else the seed alone differed.
    """

    measure: str
    span: RunRange
    total: int
    is_resampled: bool


class NeighbourSpread(Value):
    """A neighbour, or the answer to a formula, over several trainings.

    Attributes
    ----------
    word : str
    cosine : RunRange
        Of the word asked about and this one; of an answer its score.
    lowest_rank, highest_rank : int or None
        Among all words, from 1; None where it is not known.
    agreeing_runs : int or None
        Runs in which this neighbour has a larger cosine than the next of the list; a tie is no agreement. None after the last.
    """

    word: str
    cosine: RunRange
    lowest_rank: int | None
    highest_rank: int | None
    agreeing_runs: int | None

    @property
    def is_reliable(self) -> bool:
        """Whether there are `MIN_RUNS` runs, and `MIN_SHARE_OF_RUNS` of them put this neighbour before the next."""
        runs, agreeing = self.cosine.runs, self.agreeing_runs
        return runs >= MIN_RUNS and agreeing is not None and agreeing / runs >= MIN_SHARE_OF_RUNS


class NeighbourSpreads(Rows[NeighbourSpread]):
    """Neighbours of a word, or answers to a formula, over several trainings."""

    __slots__ = ()

    def table(self) -> Table:
        """Return a line a word, with mean and range of its cosine."""
        names = ["mean", "lowest", "highest"]
        ranks = ["lowest_rank", "highest_rank", "agreeing_runs"]
        lines = [
            [
                near.word,
                *(getattr(near.cosine, n) for n in names),
                *(getattr(near, n) for n in ranks),
            ]
            for near in self
        ]
        return ["word", *names, *ranks], lines


CHANGE_KINDS = ("change", "whatif")
LEVEL = 0.05  # false discovery rate


class WordChange(Value):
    """A word on both sides.

    Attributes
    ----------
    word : str
    movement : float
        1 - cosine of its two vectors after the rotation.
    retraining : float
        Mean movement between two trainings on one side, which differ in the seed alone.
    p, q : float
        p value under the null (documents shuffled between the sides, or another seed alone), and the same corrected for all words
        (Benjamini and Hochberg).
    count_first, count_second : int
        Occurrences on either side.
    lost, gained : tuple of str
        Neighbours on the first side alone, and on the second alone.
    """

    word: str
    movement: float
    retraining: float
    p: float
    q: float
    count_first: int
    count_second: int
    lost: tuple[str, ...]
    gained: tuple[str, ...]


class ChangeReport(Result):
    """All that was measured between two sides.

    Attributes
    ----------
    kind : str
        "change": two corpora; "whatif": a corpus, and the same with documents left out or swapped.
    first, second : str
        Names of the sides.
    documents, tokens : tuple of two int
        Of either side.
    permutations, retrainings : int
        How often documents were shuffled (0 of a "whatif"), and how often a side was trained again with another seed.
    words : tuple of WordChange
        By rising p and falling movement.
    settings : dict
        Of the trainings and the comparison, and the minimum count of a word; older reports have those of the trainings alone.
    alone : tuple of two tuples of str, or None
        The commonest words that the first side has and the second lacks, and the other way round: they cannot be compared. None of a
        report that was made before they were recorded.
    undated : int
        Rows of a table of texts that were left out, without a year or a text.
    """

    kind: str
    first: str
    second: str
    documents: tuple[int, int]
    tokens: tuple[int, int]
    permutations: int
    retrainings: int
    words: tuple[WordChange, ...]
    settings: dict[str, object]
    alone: tuple[tuple[str, ...], tuple[str, ...]] | None = ((), ())
    undated: int = 0

    def smallest_p(self, measured: int) -> tuple[float, float]:
        """Return the smallest p value that a word can have, and the same corrected where no other word changed.

        Parameters
        ----------
        measured : int
            Words measured: p is a share of the null movements of all of them.
        """
        p = 1 / (1 + measured * (self.permutations or self.retrainings))
        return p, min(1.0, measured * p)

    def largest(self, most: int) -> tuple[WordChange, ...]:
        """Return the words that moved furthest, significant or not."""
        return tuple(sorted(self.words, key=lambda word: -word.movement)[:most])

    def changed(self, level: float = LEVEL) -> tuple[WordChange, ...]:
        """Return the significant words: those whose q is at most ``level``."""
        return tuple(word for word in self.words if word.q <= level)

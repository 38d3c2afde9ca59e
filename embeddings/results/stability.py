"""How sure a number is: its range over several trainings of one model."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunRange:
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
        >>> RunRange.of([1.0, 3.0])
        RunRange(lowest=1.0, highest=3.0, mean=2.0, deviation=1.4142135623730951, runs=2)
        >>> RunRange.of([1.0]).deviation is None
        True
        """
        mean = math.fsum(values) / len(values)
        squares = math.fsum((value - mean) ** 2 for value in values)
        deviation = math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else None
        return cls(min(values), max(values), mean, deviation, len(values))


@dataclass(frozen=True, slots=True)
class RunOverlap:
    """How far two trainings of one model agree: ``share``, the mean Jaccard index of the ``nearest`` words of a word."""

    share: float
    nearest: int


@dataclass(frozen=True, slots=True)
class RunScores:
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


@dataclass(frozen=True, slots=True)
class ScoreRange:
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


@dataclass(frozen=True, slots=True)
class NeighbourSpread:
    """A neighbour, or the answer to a formula, over several trainings.

    Attributes
    ----------
    word : str
    cosine : RunRange
        Of the word asked about and this one; of an answer its score.
    lowest_rank, highest_rank : int or None
        Among all words, from 1; None where it is not known.
    next_above : int or None
        Runs in which the next neighbour of the list has the larger cosine; None behind the last.
    order_p : float or None
        Two-sided p value of a sign test: do the runs put this neighbour before the next more often than a coin would?
    """

    word: str
    cosine: RunRange
    lowest_rank: int | None
    highest_rank: int | None
    next_above: int | None
    order_p: float | None

    @property
    def is_noise(self) -> bool:
        """Whether the runs do not settle the order of this neighbour and the next."""
        return self.order_p is not None and self.order_p > 0.05

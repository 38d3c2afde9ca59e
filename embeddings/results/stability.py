"""How sure a number is: its range over several trainings of one model."""

from __future__ import annotations

import math
from dataclasses import dataclass

MIN_RUNS = 10  # the fewest of which a share of 90 % can be told from all: 9 of 10
MIN_SHARE_OF_RUNS = 0.9  # of the runs that must agree on an order that is called reliable


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

"""Scores of models on test sets, and how sure an accuracy is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from embeddings.results import Result, Table, Value


class ModelScore(Value):
    """A model's score on a test set, as its card tells it.

    ``measure``: "accuracy" (a fraction), "spearman" (in [-1, 1]) or the name that the card gives;
    ``covered`` of ``total`` questions or pairs have all their words in the model (None: not recorded).
    """

    model: str
    kind: str
    method: str
    language: str
    test_set: str
    measure: str
    value: float
    covered: int | None = None
    total: int | None = None


class SectionScore(Value):
    """One category of an analogy set: ``covered`` of ``total`` questions have all four words in the model."""

    name: str
    correct: int
    covered: int
    total: int


class AnalogyScore(Result):
    """``accuracy`` = correct / covered, a fraction (NaN when nothing is covered)."""

    accuracy: float
    covered: int
    total: int
    sections: tuple[SectionScore, ...]

    def table(self) -> Table:
        """Return a line a section."""
        lines = [[part.name, part.correct, part.covered, part.total] for part in self.sections]
        return ["section", "correct", "covered", "total"], lines

    def title(self) -> str:
        """Return accuracy and coverage."""
        return f"<accuracy {self.accuracy:.4f}, {self.covered} of {self.total} questions covered>"


class PairScore(Result):
    """Spearman's rank correlation of the model's cosines with people's judgements, over the ``covered`` of ``total`` pairs."""

    file: str
    spearman: float
    covered: int
    total: int


def standard_error(share: float, count: int) -> float:
    """Return the standard error of a share that was counted over ``count`` independent trials.

    Parameters
    ----------
    share : float
        In [0, 1].
    count : int
        At least 1.

    Examples
    --------
    >>> standard_error(0.5, 10_000)
    0.005
    """
    return math.sqrt(share * (1 - share) / count)


def sign_test(successes: int, count: int) -> float:
    """Return the two-sided p value of so many successes in independent trials that succeed by chance in one of two.

    The exact binomial test; 1 for no trials.

    Parameters
    ----------
    successes : int
        From 0 to ``count``.
    count : int
        Trials without ties.

    Examples
    --------
    >>> sign_test(6, 6)
    0.03125
    """
    extreme = max(successes, count - successes)
    tail = sum(math.comb(count, number) for number in range(extreme, count + 1))
    return min(1.0, float(2 * tail / 2**count))


def clustered_standard_error(shares: Sequence[float], counts: Sequence[int]) -> float:
    """Return the standard error of a share whose trials are alike within clusters, such as the pairs of one template.

    Miller (2024), section 2.2, with the correction G / (G - 1) for few clusters; NaN of fewer than two.

    Parameters
    ----------
    shares : sequence of float
        The share within each cluster.
    counts : sequence of int
        The trials of each cluster, at least 1.

    Examples
    --------
    >>> clustered_standard_error([1.0, 0.0], [2, 2])
    0.5
    >>> round(clustered_standard_error([1.0, 0.0, 1.0, 0.0], [1, 1, 1, 1]), 3)
    0.289
    """
    clusters, total = len(shares), sum(counts)
    if clusters < 2:
        return math.nan
    pairs = list(zip(shares, counts, strict=True))
    mean = math.fsum(share * count for share, count in pairs) / total
    squares = math.fsum((count * (share - mean)) ** 2 for share, count in pairs)
    return math.sqrt(squares * clusters / (clusters - 1)) / total

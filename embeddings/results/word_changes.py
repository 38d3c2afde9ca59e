"""What moved between two trainings: two corpora compared, or one without some of its documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

KINDS = ("change", "whatif")
LEVEL = 0.05  # false discovery rate


@dataclass(frozen=True, slots=True)
class WordChange:
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


@dataclass(frozen=True, slots=True)
class ChangeReport:
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
        Of the trainings.
    alone : tuple of two tuples of str, or None
        The commonest words that the first side has and the second lacks, and the other way round: they cannot be compared. None of a
        report that was made before they were recorded.
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


@dataclass(frozen=True, slots=True)
class ComparisonSize:
    """How much text two sides have, counted before anything is trained.

    Attributes
    ----------
    documents, tokens : tuple of two int
        Of either side; of a long text, about so many.
    common : NDArray of int64, shape (words of both sides,)
        How often each word of both stands on the side that has it less often; of a long text, in its beginning.
    undated : int
        Texts that were left out, since they have no year.
    is_whole : bool
        Whether both sides were counted to their ends.
    """

    documents: tuple[int, int]
    tokens: tuple[int, int]
    common: NDArray[np.int64]
    undated: int = 0
    is_whole: bool = True

    def measured(self, least: int) -> int:
        """Return how many words occur ``least`` times on both sides."""
        return int(np.count_nonzero(self.common >= least))

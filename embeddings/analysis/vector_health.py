"""Whether a table of vectors says anything: vectors that collapsed into one direction, and models that have read too little.

After too few updates all vectors point the same way, and every word is every other's neighbour near 1. The mean cosine of random words
tells: it lies near 0 to 0.4 in tables that learnt something, above that in those that have not (Mu and Viswanath 2018 on the common part).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from embeddings.vectors.table import Vectors

DRAWN = 400  # random words whose cosines are looked at
COLLAPSED = 0.8  # mean cosine of random words above which neighbours say next to nothing
ENOUGH = 30_000  # words of text below which a model has hardly seen any word often enough


@dataclass(frozen=True, slots=True)
class VectorHealth:
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

"""How common a word is: uses per million tokens, and three tiers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from embeddings.vectors.table import Vectors

TIERS = (100.0, 10.0)  # uses per million from which a word is common, less common


def per_million(vectors: Vectors, count: int | None) -> float | None:
    """Return ``count`` per million tokens of the model; None where not known.

    The tokens are the sum of all counts of the model's vocabulary, so rarer words that the
    model dropped are not in it.
    """
    if vectors.counts is None or count is None:
        return None
    return 1e6 * count / max(int(vectors.counts.sum()), 1)


def tier(rate: float | None) -> int:
    """Return 3 from 100 uses per million on, 2 from 10 on, 1 below, 0 where not known."""
    if rate is None:
        return 0
    return 1 + sum(rate >= bound for bound in TIERS)


def magnitudes(vectors: Vectors, words: Sequence[str]) -> tuple[float, ...]:
    """Return the logarithm to base 10 of each word's count (0 where it is not known)."""
    counts = [vectors.count(vectors.row(word)) or 1 for word in words]
    return tuple(math.log10(count) for count in counts)

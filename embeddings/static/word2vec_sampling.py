"""What Word2Vec draws by: how often a frequent word is kept, how often a word is a negative."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SCALE = 2.0**32


def keep_shares(counts: NDArray[np.int64], sample: float) -> NDArray[np.float64]:
    """Share of each word's occurrences that training sees, in (0, 1].

    With f the word's share of the text: sqrt(sample / f) + sample / f, at most 1; ``sample`` 0
    keeps all, and so does a word that never occurs.

    References
    ----------
    Mikolov et al. (2013), section 2.3, in the form of the authors' program.
    """
    if sample == 0:
        return np.ones(counts.size)
    ratio = sample * counts.sum() / np.maximum(counts, 1)
    return np.asarray(np.minimum(np.sqrt(ratio) + ratio, 1.0))


def keep_thresholds(counts: NDArray[np.int64], sample: float) -> NDArray[np.uint32]:
    """`keep_shares` as thresholds: 32 random bits that do not exceed a word's keep it."""
    return np.clip(keep_shares(counts, sample) * _SCALE - 1, 0, _SCALE - 1).astype(np.uint32)


def negative_shares(counts: NDArray[np.int64], exponent: float) -> NDArray[np.float64]:
    """Probability of each word as a negative: count to the power ``exponent``, scaled to sum 1."""
    powers = np.where(counts > 0, np.maximum(counts, 1).astype(np.float64) ** exponent, 0.0)
    return np.asarray(powers / powers.sum())


def alias_table(shares: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Table to draw a row with probability ``shares[row]`` from one random number.

    Returns
    -------
    NDArray of uint32, shape (rows, 2)
        Pick a row evenly, then 32 random bits: below ``table[row, 0]`` the row stands, else
        ``table[row, 1]`` is drawn.

    References
    ----------
    Walker (1977); built as in Vose (1991).
    """
    heights = shares * shares.size
    thresholds = np.ones(shares.size)
    aliases = np.arange(shares.size)
    low = np.flatnonzero(heights < 1).tolist()
    high = np.flatnonzero(heights >= 1).tolist()
    rest = heights.tolist()
    while low and high:
        row, giver = low.pop(), high.pop()
        thresholds[row], aliases[row] = rest[row], giver
        rest[giver] -= 1 - rest[row]
        (low if rest[giver] < 1 else high).append(giver)
    table = np.empty((shares.size, 2), np.uint32)
    table[:, 0] = np.clip(thresholds * _SCALE, 0, _SCALE - 1)
    table[:, 1] = aliases
    return table

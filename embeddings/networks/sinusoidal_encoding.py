"""The sine positions of the Transformer, in numpy: what networks add to their inputs and what pages draw of it.

PE(pos, 2i) = sin(pos / 10000^(2i / size)), PE(pos, 2i + 1) = cos(same) (Vaswani et al. 2017, section 3.5).
The two plain ways do not work: an index grows without bound and drowns the word;
the share of the sentence (index / last) means another position in each sentence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BASE = 10_000


def sinusoidal_encoding(positions: int, size: int) -> NDArray[np.float64]:
    """Return the vectors of positions 0, 1, 2 ..., shape (positions, size).

    The cosine of two rows depends on their distance alone, where ``size`` is even.

    References
    ----------
    Vaswani et al. (2017), section 3.5.

    Examples
    --------
    >>> sinusoidal_encoding(2, 2).round(3).tolist()
    [[0.0, 1.0], [0.841, 0.54]]
    """
    even = np.arange(0, size, 2)
    angle = np.arange(positions)[:, None] / BASE ** (even / size)  # (positions, ceil(size / 2))
    both = np.stack([np.sin(angle), np.cos(angle)], axis=-1)
    return both.reshape(positions, -1)[:, :size]


def wavelength(column: int, size: int) -> float:
    """Return after how many positions a column repeats: 2 pi 10000^(2i / size)."""
    return float(2 * np.pi * BASE ** (column // 2 * 2 / size))


class NumberedPosition(NamedTuple):
    """One position of a sentence, numbered in three ways.

    ``short_share`` and ``long_share``: position / last position of either sentence, None past the end of the shorter.
    ``sine``: the first column of the sinusoidal encoding.
    """

    position: int
    short_share: float | None
    long_share: float
    sine: float


def number_positions(shorter: int, longer: int, size: int) -> list[NumberedPosition]:
    """Number the positions of two sentences in three ways: index, share of the sentence, first sine.

    Parameters
    ----------
    shorter, longer : int
        Tokens of the two sentences; one entry comes back for each position of the longer.
    size : int
        Columns of the sinusoidal encoding.

    Returns
    -------
    list of NumberedPosition
        The shares are index / last index.
    """
    sines = sinusoidal_encoding(longer, size)[:, 0]
    return [
        NumberedPosition(
            index,
            index / (shorter - 1) if index < shorter else None,
            index / (longer - 1),
            float(sines[index]),
        )
        for index in range(longer)
    ]

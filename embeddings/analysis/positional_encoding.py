"""Positions as numbers: sine waves, and the two plain ways that do not work.

PE(pos, 2i) = sin(pos / 10000^(2i / size)), PE(pos, 2i + 1) = cos(same) (Vaswani et al. 2017,
section 3.5). A plain index grows without bound and drowns the word; the share of the sentence
(index / last) means another place in each sentence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_range


def waves(positions: int, size: int) -> NDArray[np.float64]:
    """Return the waves, shape (positions, size).

    The cosine of two rows depends on their distance alone, where ``size`` is even.

    Examples
    --------
    >>> waves(2, 2).round(3).tolist()
    [[0.0, 1.0], [0.841, 0.54]]
    """
    check_range("positions", positions, 1, 1_000_000)
    check_range("size", size, 1, 100_000)
    even = np.arange(0, size, 2)
    angle = np.arange(positions)[:, None] / 10_000 ** (even / size)
    both = np.stack([np.sin(angle), np.cos(angle)], axis=-1)
    return both.reshape(positions, -1)[:, :size]


def wave_length(column: int, size: int) -> float:
    """Return after how many positions the wave of a column repeats: 2 pi 10000^(2i / size)."""
    check_range("column", column, 0, size - 1)
    return float(2 * np.pi * 10_000 ** (column // 2 * 2 / size))


def cosines(table: NDArray[np.floating]) -> NDArray[np.float64]:
    """Cosine of each row with each, shape (rows, rows)."""
    rows = np.asarray(table, np.float64)
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    found: NDArray[np.float64] = unit @ unit.T
    return found


def ways(shorter: int, longer: int, size: int) -> list[tuple[int, float | None, float, float]]:
    """Compare three ways to number the places of a sentence, a row a place of the longer one.

    Returns
    -------
    list of (index, share of the shorter sentence, share of the longer, first sine wave)
        The share is index / last index, None past the end.
    """
    wave = waves(longer, size)[:, 0]
    return [
        (
            place,
            place / (shorter - 1) if place < shorter else None,
            place / (longer - 1),
            float(wave[place]),
        )
        for place in range(longer)
    ]

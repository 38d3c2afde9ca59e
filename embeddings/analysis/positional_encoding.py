"""Positions as numbers: the sinusoidal encoding of the Transformer, and the two plain ways that do not work.

`embeddings.networks.layers` has the formula (Vaswani et al. 2017, section 3.5). A plain index grows without
bound and drowns the word; the share of the sentence (index / last) means another position in each sentence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.networks.sinusoidal_encoding import sinusoidal_encoding
from embeddings.vectors.table import normalize_rows


class NumberedPosition(NamedTuple):
    """One position of a sentence, numbered in three ways.

    ``short_share`` and ``long_share``: position / last position of either sentence, None past the end of the shorter.
    ``sine``: the first column of the sinusoidal encoding.
    """

    position: int
    short_share: float | None
    long_share: float
    sine: float


def cosines(table: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the cosine of each row with each, in [-1, 1], shape (rows, rows)."""
    unit = normalize_rows(np.asarray(table, np.float64))
    return unit @ unit.T


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

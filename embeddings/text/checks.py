"""Whether ids and bounds are sound, at the speed of memory; the trainers' loops rely on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PIECE = 1 << 20  # numbers looked at together: 4 MiB of ids


def lie_within(ids: NDArray[np.int32], size: int) -> bool:
    """Whether all ``ids`` lie in [0, size); a negative one reads as a large one without its sign."""
    unsigned = ids.view(np.uint32)
    pieces = (unsigned[start : start + PIECE] for start in range(0, len(ids), PIECE))
    return all(int(piece.max()) < size for piece in pieces)


def are_bounds(bounds: NDArray[np.int64], end: int) -> bool:
    """Whether ``bounds`` rise, never staying, from 0 to ``end``."""
    if len(bounds) == 0 or bounds[0] != 0 or bounds[-1] != end:
        return False
    pieces = (bounds[start : start + PIECE + 1] for start in range(0, len(bounds), PIECE))
    return all(bool((piece[1:] > piece[:-1]).all()) for piece in pieces)

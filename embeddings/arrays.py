"""Names for arrays of one type of number, whatever their shape (docstrings say the shapes); the bounds of parts of an array."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]
Floats = NDArray[np.floating]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Ints = NDArray[np.integer]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]


def bounds_of(sizes: ArrayLike) -> Int64s:
    """Return where parts of these sizes begin and end, one after the other, shape (parts + 1,).

    Examples
    --------
    >>> bounds_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def slices(size: int, most: int) -> list[slice]:
    """Return parts of at most ``most`` places that follow each other, for work that holds one part at a time.

    Examples
    --------
    >>> slices(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + most, size)) for start in range(0, size, most)]

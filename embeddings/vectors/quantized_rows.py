"""Rows kept as int8 with one float32 scale each, read as the float32 numbers that they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.mapped_files import check_mapped


class QuantizedRows:
    """A table that looks like an array of float32 and is held as bytes; only rows that are asked for become numbers.

    Parameters
    ----------
    codes : NDArray of int8, shape (words, vector_size)
        May be a memory map.
    scale : NDArray of float32, shape (words,)
        A row is its codes times its scale.

    Examples
    --------
    >>> table = QuantizedRows(np.array([[1, -2]], np.int8), np.array([0.5], np.float32))
    >>> table[0].tolist(), table.shape
    ([0.5, -1.0], (1, 2))
    """

    dtype = np.dtype(np.float32)
    ndim = 2

    def __init__(self, codes: NDArray[np.int8], scale: NDArray[np.float32]) -> None:
        self.codes, self.scale = codes, scale

    @property
    def shape(self) -> tuple[int, ...]:
        """Words and dimensions."""
        return self.codes.shape

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.codes.size

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, key: Any) -> Any:
        check_mapped(self.codes)
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        scale = np.asarray(self.scale[rows])[..., None]
        values = np.asarray(self.codes[rows]).astype(np.float32) * scale
        return values[..., columns]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the numbers of a table of bytes are always made anew")
        return np.asarray(self[:], dtype=dtype)

"""Rows of two tables under one another, read as one table; nothing of either is copied until rows are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.mapped_files import check_mapped
from embeddings.vectors.quantized_rows import QuantizedRows


class StackedRows:
    """A table that looks like an array of float32 and is held as two, of which the first may be large, mapped or quantised.

    Parameters
    ----------
    first, second : arrays, shapes (words, vector_size) and (more, vector_size)

    Examples
    --------
    >>> table = StackedRows(np.zeros((2, 3)), np.ones((1, 3)))
    >>> table.shape, table[1:].tolist(), table[-1].tolist()
    ((3, 3), [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [1.0, 1.0, 1.0])
    """

    dtype = np.dtype(np.float32)
    ndim = 2

    def __init__(
        self, first: NDArray[np.floating] | QuantizedRows, second: NDArray[np.floating]
    ) -> None:
        self.first, self.second = first, second

    @property
    def shape(self) -> tuple[int, ...]:
        """Words of both, and dimensions."""
        return (len(self.first) + len(self.second), *self.second.shape[1:])

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self) * self.shape[1]

    def __len__(self) -> int:
        return len(self.first) + len(self.second)

    def __getitem__(self, key: Any) -> Any:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        return self._rows(rows)[..., columns]

    def _rows(self, rows: Any) -> NDArray[np.float32]:
        """Return some rows; a range of those of the first alone is read as a range."""
        check_mapped(self.first)
        border = len(self.first)
        if isinstance(rows, slice):
            start, stop, step = rows.indices(len(self))
            if step == 1 and stop <= border:
                return np.asarray(self.first[start:stop], np.float32)
            rows = np.arange(start, stop, step)
        places = np.asarray(rows)
        if places.dtype == bool:
            places = np.flatnonzero(places)
        places = places.astype(np.int64) if not places.size else places
        places = np.where(places < 0, places + len(self), places)
        if (places < 0).any():
            raise IndexError(f"a row before the first of {len(self)}")
        is_first = places < border
        out = np.empty((*places.shape, self.shape[1]), np.float32)
        out[is_first] = self.first[places[is_first]]
        out[~is_first] = self.second[places[~is_first] - border]
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("two tables become one array by a copy alone")
        return np.asarray(self[:], dtype=dtype)

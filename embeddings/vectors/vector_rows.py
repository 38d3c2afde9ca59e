"""Rows of numbers, one a vector: their lengths, and tables of them that are held as bytes."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Float32s

Number = TypeVar("Number", bound=np.floating)


def normalize_rows(rows: NDArray[Number]) -> NDArray[Number]:
    """Return vectors scaled to length one, in the precision given; a zero vector stays zero.

    Parameters
    ----------
    rows : NDArray of float32 or float64, shape (..., vector_size)
        A vector, a table, or a stack of tables: the last axis is what has a length.

    Examples
    --------
    >>> normalize_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    unit: NDArray[Number] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit


def inverse_lengths(rows: Float32s) -> Float32s:
    """Return one over the length of each row, shape (rows,); 0 for a zero row, or one so short that float32 cannot hold it.

    Lengths whose squares float32 cannot hold are taken in float64.

    Examples
    --------
    >>> [f"{x:.3g}" for x in inverse_lengths(np.array([[3, 4], [0, 0], [3e30, 4e30]], np.float32))]
    ['0.2', '0', '2e-31']
    """
    with np.errstate(over="ignore", under="ignore"):
        squares = np.einsum("ij,ij->i", rows, rows)
        lengths = np.sqrt(squares).astype(np.float64)
        extreme = (squares < 1e-30) | (squares == np.inf)
        if extreme.any():
            lengths[extreme] = np.linalg.norm(rows[extreme].astype(np.float64), axis=1)
        inverse = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        inverse[inverse > np.finfo(np.float32).max] = 0
    single: Float32s = inverse.astype(np.float32)
    return single


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

    def __init__(self, codes: NDArray[np.int8], scale: Float32s) -> None:
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
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        scale = np.asarray(self.scale[rows])[..., None]
        values = np.asarray(self.codes[rows]).astype(np.float32) * scale
        return values[..., columns]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the numbers of a table of bytes are always made anew")
        return np.asarray(self[:], dtype=dtype)

"""Nearest rows by cosine: exact, one query or many, filters applied before the cut; approximate when asked.

Small tables take one float32 product. A large table is passed block by block where it lies, of each block only the best rows are kept,
and nothing becomes float32 as a whole: float32 rows by numpy's own loop, float16 and int8 ones by a compiled one, on all cores. Such a
pass takes about as long as memory takes to give the rows. The index that may miss some is `embeddings.vectors.hnsw_index`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings.arrays import Bools, Float32s, Floats, Int64s, slices
from embeddings.vectors.vector_rows import QuantizedRows, normalize_rows

if TYPE_CHECKING:
    from embeddings.vectors.table import Vectors

BLOCKS_PAST = 1 << 25  # numbers in the table: 128 MiB of float32
ROWS_AT_A_TIME = 1 << 16  # rows of a large table that are compared at one time
MANY_NUMBERS = 1 << 24  # cosines held at one time by `nearest_many`


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads for the pass, one a core (numba's own pool must not be entered by two threads)."""
    return ThreadPoolExecutor(min(os.cpu_count() or 1, 8), thread_name_prefix="search")


def nearest(
    vectors: Vectors,
    query: Floats,
    topn: int,
    *,
    allowed: Bools | None = None,
    excluded: Sequence[int] = (),
    approximate: bool = False,
) -> tuple[Int64s, Float32s]:
    """Return the rows nearest to ``query`` by cosine, falling, ties by row.

    Parameters
    ----------
    vectors : Vectors
        The table to search.
    query : NDArray, shape (vector_size,)
        Of any length; a zero vector has cosine 0 with everything.
    topn : int
        At most so many rows come back.
    allowed : NDArray of bool, shape (words,), optional
        True where a row may come back; applied before the cut, so that ``topn`` rows come back
        if there are so many.
    excluded : sequence of int
        Rows that may not come back (the inputs of an analogy).
    approximate : bool, default False
        Ask the table's HNSW index, which the first such query builds in memory: milliseconds past
        some 300 000 words, a few rows missed. Where ``allowed`` filters, the search stays exact.

    Returns
    -------
    rows : NDArray of int64
    cosines : NDArray of float32
        In [-1, 1].

    Examples
    --------
    >>> from embeddings import Vectors
    >>> table = Vectors(["a", "b", "c"], np.array([[1, 0], [1, 1], [0, 1]], np.float32))
    >>> nearest(table, np.array([1.0, 0.0]), 2, excluded=[0])[0].tolist()
    [1, 2]
    """
    if approximate and allowed is None:
        rows, cosines = vectors.near_index.nearest(query, topn + len(excluded))
        inside = ~np.isin(rows, excluded)
        return rows[inside][:topn], cosines[inside][:topn]
    is_large = vectors.matrix.size > BLOCKS_PAST
    product = _product(vectors.matrix, unit_length(query), is_large)
    out_of, inverse_norms = np.array(excluded, np.int64), vectors.inverse_norms

    def best(start: int) -> tuple[Int64s, Float32s]:
        part = slice(start, start + ROWS_AT_A_TIME)
        near = product(part)
        near *= inverse_norms[part]
        if allowed is not None:
            near[~allowed[part]] = -np.inf
        near[out_of[(out_of >= start) & (out_of < start + ROWS_AT_A_TIME)] - start] = -np.inf
        rows = _candidates(near, topn)
        return rows + start, near[rows]

    starts = range(0, max(len(vectors), 1), ROWS_AT_A_TIME)
    blocks = list(_pool().map(best, starts) if is_large else map(best, starts))
    rows = np.concatenate([rows for rows, _ in blocks])
    cosines = np.concatenate([near for _, near in blocks])
    order = np.argsort(-cosines, kind="stable")[: max(topn, 0)]
    return rows[order], np.clip(cosines[order], -1, 1)


def nearest_many(
    vectors: Vectors, queries: Floats, topn: int, *, excluded: Sequence[Sequence[int]] = ()
) -> list[tuple[Int64s, Float32s]]:
    """Do `nearest` for every row of ``queries``, shape (queries, vector_size), by matrix products.

    ``excluded`` holds one sequence of rows a query, or nothing.
    """
    unit_queries = unit_length(queries)
    step = max(1, MANY_NUMBERS // max(len(vectors), 1))
    results = []
    for start in range(0, len(unit_queries), step):
        near = _cosines(vectors, unit_queries[start : start + step].T).T
        for number, cosines in enumerate(near, start=start):
            if excluded:
                cosines[list(excluded[number])] = -np.inf
            rows = _candidates(cosines, topn)
            rows = rows[np.argsort(-cosines[rows], kind="stable")[: max(topn, 0)]]
            results.append((rows, np.clip(cosines[rows], -1, 1)))
    return results


def unit_length(queries: Floats) -> Float32s:
    """Return a query, or a row for each, scaled to length one in float64 and rounded once to float32."""
    return normalize_rows(np.asarray(queries, dtype=np.float64)).astype(np.float32)


def _product(
    table: Floats | QuantizedRows, query: Float32s, is_large: bool
) -> Callable[[slice], Float32s]:
    """Return what multiplies a block of rows with the query.

    Large tables are read as they lie in memory: float32 rows by numpy's own loop, which waits for no other thread, float16 and int8 ones
    by a compiled one.
    """
    is_quantized = isinstance(table, QuantizedRows)
    if not is_large:
        return lambda part: np.matmul(np.asarray(table[part], np.float32), query)
    if table.dtype == np.float32 and not is_quantized:
        return lambda part: np.einsum("ij,j->i", np.asarray(table[part]), query)
    # numba: only large tables wait for it
    from embeddings.vectors.compiled_loops import product_of_bytes, product_of_halves

    multiply: Any = product_of_bytes if is_quantized else product_of_halves
    rows = table.codes if isinstance(table, QuantizedRows) else table.view(np.uint16)

    def product(part: slice) -> Float32s:
        out = np.empty(len(rows[part]), np.float32)
        multiply(rows[part], query, out)
        return out * table.scale[part] if isinstance(table, QuantizedRows) else out

    return product


def _cosines(vectors: Vectors, unit_queries: Float32s) -> Float32s:
    """Cosines of all rows with several queries, shape (words, queries), in float32 block by block."""
    out = np.empty((len(vectors), unit_queries.shape[1]), dtype=np.float32)
    for part in slices(len(vectors), ROWS_AT_A_TIME):
        block = np.asarray(vectors.matrix[part], dtype=np.float32)
        np.matmul(block, unit_queries, out=out[part])
    out *= vectors.inverse_norms[:, None]
    return out


def _candidates(near: Float32s, topn: int) -> Int64s:
    """Rows that may be among the ``topn`` nearest, by rising row; those at -inf never.

    A bound from below: of the maxima of blocks, the ``topn``-th largest; that many rows reach it.
    """
    if topn < 1 or not len(near):
        return np.zeros(0, dtype=np.int64)
    width = max(1, min(256, len(near) // (4 * topn)))
    whole = len(near) // width * width
    maxima = near[:whole].reshape(-1, width).max(axis=1)
    bound = np.partition(maxima, -topn)[-topn] if topn <= len(maxima) else -np.inf
    rows = np.flatnonzero(near >= max(bound, np.finfo(np.float32).min))
    if len(rows) > 4 * topn:
        cut = np.partition(near[rows], -topn)[-topn]
        rows = rows[near[rows] >= cut]
    return rows.astype(np.int64)

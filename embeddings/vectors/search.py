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

import numpy as np
from numpy.typing import NDArray

from embeddings.vectors.table import QuantizedRows, Vectors, normalize_rows

BLOCKS_PAST = 1 << 25  # numbers in the table: 128 MiB of float32
ROWS_AT_A_TIME = 1 << 16  # rows of a large table that are compared at one time
MANY_NUMBERS = 1 << 24  # cosines held at one time by `nearest_many`


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads for the pass, one a core (numba's own pool must not be entered by two threads)."""
    return ThreadPoolExecutor(min(os.cpu_count() or 1, 8), thread_name_prefix="search")


def nearest(
    vectors: Vectors,
    query: NDArray[np.floating],
    topn: int,
    *,
    allowed: NDArray[np.bool_] | None = None,
    excluded: Sequence[int] = (),
    approximate: bool = False,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
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
    >>> table = Vectors(["a", "b", "c"], np.array([[1, 0], [1, 1], [0, 1]], np.float32))
    >>> nearest(table, np.array([1.0, 0.0]), 2, excluded=[0])[0].tolist()
    [1, 2]
    """
    if approximate and allowed is None:
        rows, cosines = vectors.near_index.nearest(query, topn + len(excluded))
        inside = ~np.isin(rows, excluded)
        return rows[inside][:topn], cosines[inside][:topn]
    unit_query = unit_length(query)
    if vectors.matrix.size > BLOCKS_PAST:
        rows, cosines = _best_of_blocks(vectors, unit_query, topn, allowed, excluded)
    else:
        near = _cosines(vectors, unit_query)
        rows = _best(near, topn, allowed, np.array(excluded, np.int64))
        cosines = near[rows]
    order = np.argsort(-cosines, kind="stable")[: max(topn, 0)]
    return rows[order], np.clip(cosines[order], -1, 1)


def _best_of_blocks(
    vectors: Vectors,
    unit_query: NDArray[np.float32],
    topn: int,
    allowed: NDArray[np.bool_] | None,
    excluded: Sequence[int],
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the rows of each block that may be among the nearest, rising, with their cosines."""
    out_of = np.array(excluded, np.int64)

    def best(start: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        part = slice(start, start + ROWS_AT_A_TIME)
        near = product(part)
        near *= vectors.inverse_norms[part]
        inside = out_of[(out_of >= start) & (out_of < start + ROWS_AT_A_TIME)] - start
        rows = _best(near, topn, None if allowed is None else allowed[part], inside)
        return rows + start, near[rows]

    is_plain = vectors.matrix.dtype == np.float32 and not isinstance(vectors.matrix, QuantizedRows)
    product = (
        _plain_product(vectors, unit_query) if is_plain else _compiled_product(vectors, unit_query)
    )
    starts = range(0, len(vectors), ROWS_AT_A_TIME)
    _ = vectors.inverse_norms  # once, not in every thread
    blocks = list(_pool().map(best, starts))
    return np.concatenate([rows for rows, _ in blocks]), np.concatenate(
        [near for _, near in blocks]
    )


def nearest_many(
    vectors: Vectors,
    queries: NDArray[np.floating],
    topn: int,
    *,
    allowed: NDArray[np.bool_] | None = None,
    excluded: Sequence[Sequence[int]] = (),
) -> list[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """Do `nearest` for every row of ``queries``, shape (queries, vector_size), by matrix products.

    ``excluded`` holds one sequence of rows a query, or nothing.
    """
    unit_queries = unit_length(queries)
    step = max(1, MANY_NUMBERS // max(len(vectors), 1))
    results = []
    for start in range(0, len(unit_queries), step):
        near = _cosines(vectors, unit_queries[start : start + step].T).T
        if allowed is not None:
            near[:, ~allowed] = -np.inf
        for number, cosines in enumerate(near, start=start):
            if excluded:
                cosines[list(excluded[number])] = -np.inf
            rows = _candidates(cosines, topn)
            rows = rows[np.argsort(-cosines[rows], kind="stable")[: max(topn, 0)]]
            results.append((rows, np.clip(cosines[rows], -1, 1)))
    return results


def unit_length(queries: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return a query, or a row for each, scaled to length one in float64 and rounded once to float32."""
    return normalize_rows(np.asarray(queries, dtype=np.float64)).astype(np.float32)


def _plain_product(
    vectors: Vectors, unit_query: NDArray[np.float32]
) -> Callable[[slice], NDArray[np.float32]]:
    """Return what multiplies a block of float32 rows with the query: one pass of numpy's own loop, which waits for no other thread."""

    def product(part: slice) -> NDArray[np.float32]:
        out: NDArray[np.float32] = np.einsum(
            "ij,j->i", np.asarray(vectors.matrix[part]), unit_query
        )
        return out

    return product


def _compiled_product(
    vectors: Vectors, unit_query: NDArray[np.float32]
) -> Callable[[slice], NDArray[np.float32]]:
    """Return what multiplies a block of float16 or int8 rows with the query as they lie in memory."""
    from embeddings.vectors.compiled_loops import (
        product_of_bytes,
        product_of_halves,
    )  # numba: only large tables wait for it

    table = vectors.matrix
    halves = None if isinstance(table, QuantizedRows) else table.view(np.uint16)

    def product(part: slice) -> NDArray[np.float32]:
        if halves is not None:
            out = np.empty(len(halves[part]), np.float32)
            product_of_halves(halves[part], unit_query, out)
            return out
        assert isinstance(table, QuantizedRows)
        out = np.empty(len(table.codes[part]), np.float32)
        product_of_bytes(table.codes[part], unit_query, out)
        out *= table.scale[part]
        return out

    return product


def _cosines(vectors: Vectors, unit_queries: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosines of all rows, shape (words,) or (words, queries), in float32 block by block."""
    out = np.empty((len(vectors), *unit_queries.shape[1:]), dtype=np.float32)
    for start in range(0, len(vectors), ROWS_AT_A_TIME):
        part = slice(start, start + ROWS_AT_A_TIME)
        block = np.asarray(vectors.matrix[part], dtype=np.float32)
        np.matmul(block, unit_queries, out=out[part])
    out *= vectors.inverse_norms.reshape(-1, *[1] * (out.ndim - 1))
    return out


def _best(
    near: NDArray[np.float32],
    topn: int,
    allowed: NDArray[np.bool_] | None,
    excluded: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Rows that may be among the ``topn`` nearest of those that may come back; the others are set to -inf."""
    if allowed is not None:
        near[~allowed] = -np.inf
    near[excluded] = -np.inf
    return _candidates(near, topn)


def _candidates(near: NDArray[np.float32], topn: int) -> NDArray[np.int64]:
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

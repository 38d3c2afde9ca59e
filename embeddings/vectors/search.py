"""Nearest rows by cosine: exact, one query or many, filters applied before the cut; approximate when asked.

Small tables take one float32 product. Past `SCREEN_PAST` numbers a first pass reads one byte a number
instead of four (`Screen`) and finds the rows that could be among the nearest; only they are compared
in float32, and the answer is the same. The index that may miss some is `embeddings.vectors.hnsw_index`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from embeddings.vectors.table import Vectors, normalize_rows

SCREEN_BLOCK = 1 << 16
ROUNDING = np.float32(1e-5)  # of float32 sums and of the query in 16 bits, with room
SCREEN_PAST = 1 << 26  # numbers in the table: 256 MiB of float32
BLOCK = 1 << 16  # rows of a large table that are float32 at one time
MANY_NUMBERS = 1 << 24  # cosines held at one time by `nearest_many`


@dataclass(frozen=True, slots=True)
class Screen:
    """``codes``: int8, shape (words, vector_size); ``scale``, ``lost``: float32, shape (words,)."""

    codes: NDArray[np.int8]
    scale: NDArray[np.float32]
    lost: NDArray[np.float32]

    @classmethod
    def build(cls, vectors: Vectors) -> Screen:
        """Round the unit rows of ``vectors``."""
        codes = np.empty((len(vectors), vectors.vector_size), dtype=np.int8)
        scale = np.empty(len(vectors), dtype=np.float32)
        lost = np.empty(len(vectors), dtype=np.float32)
        for start in range(0, len(vectors), SCREEN_BLOCK):
            part = slice(start, start + SCREEN_BLOCK)
            rows = vectors.unit_rows(part)
            step = np.abs(rows).max(axis=1, initial=0) / np.float32(127)
            rounded = np.rint(rows / np.where(step > 0, step, 1)[:, None])
            rows -= rounded * step[:, None]
            codes[part], scale[part] = rounded, step
            lost[part] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return cls(codes, scale, lost)

    def cosines(self, unit_query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return rounded cosines, each at most ``lost + ROUNDING`` from the true one; all cores."""
        from embeddings.vectors.compiled_loops import scan  # numba: only large tables wait for it

        size = len(unit_query)
        top = min(32767, (2**31 - 1) // (127 * max(size, 1)))  # so that a sum fits 32 bits
        step = float(np.abs(unit_query).max(initial=0)) / top or 1.0
        query = np.rint(unit_query / step).astype(np.int16)
        out = np.empty(len(self.codes), dtype=np.float32)
        count = max(1, min(len(_pool()[1]), len(out) // 4096))
        edges = np.linspace(0, len(out), count + 1).astype(int).tolist()
        jobs = [
            _pool()[0].submit(scan, self.codes[a:b], self.scale[a:b], query, step, out[a:b])
            for a, b in pairwise(edges)
        ]
        for job in jobs:
            job.result()
        return out


@cache
def _pool() -> tuple[ThreadPoolExecutor, range]:
    """Threads for the pass, one a core (numba's own pool must not be entered by two threads)."""
    cores = min(os.cpu_count() or 1, 8)
    return ThreadPoolExecutor(cores, thread_name_prefix="screen"), range(cores)


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
    if vectors.matrix.size > SCREEN_PAST:
        near = vectors.screen.cosines(unit_query)
        slack: NDArray[np.float32] | None = vectors.screen.lost + ROUNDING
    else:
        near, slack = _cosines(vectors, unit_query), None
    if allowed is not None:
        near[~allowed] = -np.inf
    near[list(excluded)] = -np.inf
    rows = _candidates(near, slack, topn)
    cosines = near[rows]
    if slack is not None:
        chosen = np.asarray(vectors.matrix[rows], dtype=np.float32)
        cosines = (chosen @ unit_query) * vectors.inverse_norms[rows]
    order = np.argsort(-cosines, kind="stable")[: max(topn, 0)]
    return rows[order], np.clip(cosines[order], -1, 1)


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
            rows = _candidates(cosines, None, topn)
            rows = rows[np.argsort(-cosines[rows], kind="stable")[: max(topn, 0)]]
            results.append((rows, np.clip(cosines[rows], -1, 1)))
    return results


def unit_length(queries: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return a query, or a row for each, scaled to length one in float64 and rounded once to float32."""
    return normalize_rows(np.asarray(queries, dtype=np.float64)).astype(np.float32)


def _cosines(vectors: Vectors, unit_queries: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosines of all rows, shape (words,) or (words, queries), in float32 block by block."""
    out = np.empty((len(vectors), *unit_queries.shape[1:]), dtype=np.float32)
    for start in range(0, len(vectors), BLOCK):
        part = slice(start, start + BLOCK)
        block = np.asarray(vectors.matrix[part], dtype=np.float32)
        np.matmul(block, unit_queries, out=out[part])
    out *= vectors.inverse_norms.reshape(-1, *[1] * (out.ndim - 1))
    return out


def _candidates(
    near: NDArray[np.float32], slack: NDArray[np.float32] | None, topn: int
) -> NDArray[np.int64]:
    """Rows that may be among the ``topn`` nearest, by rising row; those at -inf never.

    A bound from below: of the maxima of blocks, the ``topn``-th largest; that many rows reach it.
    """
    if topn < 1 or not len(near):
        return np.zeros(0, dtype=np.int64)
    low, high = (near, near) if slack is None else (near - slack, near + slack)
    width = max(1, min(256, len(low) // (4 * topn)))
    whole = len(low) // width * width
    maxima = low[:whole].reshape(-1, width).max(axis=1)
    bound = np.partition(maxima, -topn)[-topn] if topn <= len(maxima) else -np.inf
    rows = np.flatnonzero(high >= max(bound, np.finfo(np.float32).min))
    if slack is None and len(rows) > 4 * topn:
        cut = np.partition(near[rows], -topn)[-topn]
        rows = rows[near[rows] >= cut]
    return rows.astype(np.int64)

"""Nearest rows by cosine, exact, and close spellings of a word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embeddings.vectors.table import Vectors


def nearest(
    vectors: Vectors,
    query: NDArray[np.floating],
    topn: int,
    *,
    allowed: NDArray[np.bool_] | None = None,
    excluded: Sequence[int] = (),
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the rows nearest to ``query`` by cosine, falling, ties by row.

    Parameters
    ----------
    vectors : Vectors
        The table to search.
    query : NDArray, shape (vector_size,)
        Any length; a zero vector has cosine 0 with everything.
    topn : int
        At most so many rows come back.
    allowed : NDArray of bool, shape (words,), optional
        True where a row may come back; applied before the cut, so that ``topn`` rows come back
        if there are so many.
    excluded : sequence of int
        Rows that may not come back (the inputs of an analogy).

    Returns
    -------
    rows : NDArray of int64
    cosines : NDArray of float32
        In [-1, 1].
    """
    length = float(np.linalg.norm(query))
    unit_query = np.asarray(query, dtype=np.float32) / (length or 1.0)
    cosines = vectors.unit @ unit_query
    if allowed is not None:
        cosines[~allowed] = -np.inf
    cosines[list(excluded)] = -np.inf
    topn = min(topn, int(np.isfinite(cosines).sum()))
    if topn < 1:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    cut = np.partition(cosines, len(cosines) - topn)[len(cosines) - topn]
    rows = np.flatnonzero(cosines >= cut)
    rows = rows[np.argsort(-cosines[rows], kind="stable")][:topn]
    return rows.astype(np.int64), np.clip(cosines[rows], -1, 1)


def close_spellings(word: str, vectors: Vectors, limit: int = 3) -> tuple[str, ...]:
    """Return up to ``limit`` words of the model that are spelled like ``word``."""
    lowered = word.lower()
    return tuple(spelling for spelling in vectors.words if spelling.lower() == lowered)[:limit]

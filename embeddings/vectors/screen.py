"""A first pass over a large table that reads one byte a number instead of four, and loses nothing.

Unit rows are kept as int8 with a scale, and with the length of what rounding took from each row. By
Cauchy and Schwarz a cosine lies no further than that length from its rounded value, so every row
that could be among the nearest is known after the pass; those few are compared in float32.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from embeddings.vectors.table import Vectors

BLOCK = 1 << 16
ROUNDING = np.float32(1e-5)  # of float32 sums and of the query in 16 bits, with room


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
        for start in range(0, len(vectors), BLOCK):
            part = slice(start, start + BLOCK)
            rows = vectors.unit_rows(part)
            step = np.abs(rows).max(axis=1, initial=0) / np.float32(127)
            rounded = np.rint(rows / np.where(step > 0, step, 1)[:, None])
            rows -= rounded * step[:, None]
            codes[part], scale[part] = rounded, step
            lost[part] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return cls(codes, scale, lost)

    def cosines(self, unit_query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return rounded cosines, each at most ``lost + ROUNDING`` from the true one; all cores."""
        from embeddings.vectors.scan import scan  # numba: only large tables wait for it

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

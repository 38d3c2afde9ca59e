"""Compiled loops of GloVe: one AdaGrad step per pair, and pairs packed into tiles.

A word's weights and AdaGrad sums lie side by side, each padded to whole registers: ``parameters[side, word, 0 or 1, :]``. Behind the
``vector_size`` weights stand two more numbers, (b_i, 1) on the word's side and (1, b~_j) on the context's, so that one dot product gives
w_i . w~_j + b_i + b~_j and one loop updates all of it; the ones are put back after each step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from embeddings.static.kernels.lanes import (
    LANES,
    clip,
    fma,
    load,
    prefetch,
    root,
    source_digest,
    splat,
    store,
    total,
)

TILE = 1024  # rows and columns of a tile: of 256 to 4096 the fastest, at equal scores
PAIRS_AHEAD = 3  # pairs from use to prefetch: 35.6 to 50 M pairs/s on two cores
CLIP = 100.0
_LINE = 16  # float32 of a cache line


@njit(nogil=True, cache=True)
def padded(vector_size: int) -> int:
    """Room for a vector, its bias and a one, in whole cache lines."""
    return (vector_size + 2 + _LINE - 1) // _LINE * _LINE


def _compiled(digest: str) -> Any:
    """Return the kernel; ``digest`` is in its closure and so in the key of numba's cache, which watches this file alone."""

    @njit(nogil=True, cache=True)
    def adagrad_pass(
        rows: NDArray[np.uint16],
        columns: NDArray[np.uint16],
        logs: NDArray[np.float32],
        words: NDArray[np.float32],
        contexts: NDArray[np.float32],
        vector_size: int,
        log_x_max: float,
        alpha: float,
        learning_rate: float,
    ) -> float:
        """Take one step per pair, in their order; return the sum of f(X) difference^2 / 2.

        With g the gradient of f(X) difference^2 / 2, clipped: step = rate g; weight -= step / sqrt(sum); sum += step^2.

        Parameters
        ----------
        rows, columns : NDArray of uint16, shape (pairs,)
            Which of ``words`` and of ``contexts`` meet.
        logs : NDArray of float32, shape (pairs,)
            log X.
        words, contexts : NDArray of float32, flat, of shape (words of the tile, 2, padded size)
            Weights and AdaGrad sums; changed in place.
        vector_size : int
            Numbers of a vector without its bias.
        log_x_max, alpha, learning_rate : float
            f(X) = min(1, (X / x_max)^alpha), and the rate that AdaGrad divides.
        """
        _ = digest
        size = padded(vector_size)
        rate, power = np.float32(learning_rate), np.float32(alpha)
        log_full = np.float32(log_x_max)
        bound = splat(np.float32(CLIP) * rate)
        last = len(rows) - 1
        cost = 0.0
        for pair in range(len(rows)):
            a, b = np.int64(rows[pair]) * 2 * size, np.int64(columns[pair]) * 2 * size
            later = min(pair + PAIRS_AHEAD, last)
            soon_a, soon_b = np.int64(rows[later]) * 2 * size, np.int64(columns[later]) * 2 * size
            for k in range(0, 2 * size, _LINE):
                prefetch(words, soon_a + k)
                prefetch(contexts, soon_b + k)

            product = load(words, a) * load(contexts, b)
            for k in range(LANES, size, LANES):
                product = fma(load(words, a + k), load(contexts, b + k), product)
            difference = total(product) - logs[pair]
            pull = difference * np.exp(power * min(np.float32(0), logs[pair] - log_full))
            cost += 0.5 * np.float64(pull) * np.float64(difference)

            pulled = splat(rate * pull)
            for k in range(0, size, LANES):
                word, context = load(words, a + k), load(contexts, b + k)
                word_sum, context_sum = load(words, a + size + k), load(contexts, b + size + k)
                word_step, context_step = clip(pulled * context, bound), clip(pulled * word, bound)
                store(words, a + k, word - word_step / root(word_sum))
                store(contexts, b + k, context - context_step / root(context_sum))
                store(words, a + size + k, fma(word_step, word_step, word_sum))
                store(contexts, b + size + k, fma(context_step, context_step, context_sum))
            words[a + vector_size + 1] = np.float32(1)
            contexts[b + vector_size] = np.float32(1)
        return cost

    return adagrad_pass


adagrad_pass = _compiled(source_digest("lanes.py"))


@njit(nogil=True, cache=True)
def pack_tiles(
    starts: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float32],
    seed: int,
    ends: NDArray[np.int64],
    out_rows: NDArray[np.uint16],
    out_columns: NDArray[np.uint16],
    out_logs: NDArray[np.float32],
) -> None:
    """Sort the pairs of a stripe of `TILE` rows into tiles, and shuffle each tile.

    Parameters
    ----------
    starts : NDArray of int64, shape (rows of the stripe + 1,)
        Where each row begins; the stripe at ``starts[0]``.
    columns, values : NDArray
        The stripe's entries.
    seed : int
        Of the shuffle.
    ends : NDArray of int64, shape (tiles of the stripe + 1,)
        Written: where the tiles begin, and the last one ends.
    out_rows, out_columns, out_logs : NDArray
        Written: row and column within the tile, and log X.
    """
    ends[:] = 0
    for column in columns:
        ends[column // TILE + 1] += 1
    for tile in range(len(ends) - 1):
        ends[tile + 1] += ends[tile]
    cursors = ends[:-1].copy()
    for row in range(len(starts) - 1):
        for entry in range(starts[row] - starts[0], starts[row + 1] - starts[0]):
            tile = columns[entry] // TILE
            slot = cursors[tile]
            out_rows[slot] = row
            out_columns[slot] = columns[entry] - tile * TILE
            out_logs[slot] = np.log(values[entry])
            cursors[tile] = slot + 1
    np.random.seed(seed)  # noqa: NPY002 - numba's own generator, one a thread
    for tile in range(len(ends) - 1):
        first = ends[tile]
        for slot in range(ends[tile + 1] - 1, first, -1):
            other = np.random.randint(first, slot + 1)  # noqa: NPY002
            out_rows[slot], out_rows[other] = out_rows[other], out_rows[slot]
            out_columns[slot], out_columns[other] = out_columns[other], out_columns[slot]
            out_logs[slot], out_logs[other] = out_logs[other], out_logs[slot]

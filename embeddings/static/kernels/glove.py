"""Compiled loops of GloVe: pairs packed into tiles, and one AdaGrad step per pair.

A word's weights and AdaGrad sums lie side by side in ``parameters[side, word, 0 or 1, :]``, padded to whole cache lines. Behind the
``vector_size`` weights stand two more numbers, (b_i, 1) on the word's side and (1, b~_j) on the context's, so that one dot product gives
w_i . w~_j + b_i + b~_j and one loop updates all of it; the ones are put back after each step.

A tile holds the pairs of ``TILE`` words with ``TILE`` contexts, shuffled: its rows stay in the L2 cache while it is visited. Tiles are
visited in a new random order in each iteration.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

TILE = 512
CLIP = np.float32(100.0)
FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}  # not nnan, ninf: divergence must show


@njit(nogil=True, cache=True, fastmath=FASTMATH)
def adagrad_pass(
    rows: NDArray[np.uint16],
    columns: NDArray[np.uint16],
    logs: NDArray[np.float32],
    words: NDArray[np.float32],
    contexts: NDArray[np.float32],
    log_x_max: float,
    alpha: float,
    learning_rate: float,
    vector_size: int,
) -> float:
    """Take one step per pair, in their order; return the sum of f(X) difference^2 / 2.

    Parameters
    ----------
    rows, columns : NDArray of uint16, shape (pairs,)
        Which of ``words`` and of ``contexts`` meet.
    logs : NDArray of float32, shape (pairs,)
        log X.
    words, contexts : NDArray of float32, shape (tile, 2, padded size)
        Weights and AdaGrad sums; changed in place.
    log_x_max, alpha, learning_rate : float
        f(X) = min(1, (X / x_max)^alpha), and the rate that AdaGrad divides.
    vector_size : int
        Numbers of a vector without its bias.
    """
    size = words.shape[2]
    rate = np.float32(learning_rate)
    cost = 0.0
    for pair in range(len(rows)):
        word, context = words[rows[pair]], contexts[columns[pair]]
        predicted = np.float32(0)
        for k in range(size):
            predicted += word[0, k] * context[0, k]
        difference = predicted - logs[pair]
        pull = difference * np.float32(np.exp(alpha * min(np.float32(0), logs[pair] - log_x_max)))
        cost += np.float64(0.5) * pull * difference
        for k in range(size):
            step = rate * min(max(pull * context[0, k], -CLIP), CLIP)
            other = rate * min(max(pull * word[0, k], -CLIP), CLIP)
            word[0, k] -= step / np.sqrt(word[1, k])
            context[0, k] -= other / np.sqrt(context[1, k])
            word[1, k] += step * step
            context[1, k] += other * other
        word[0, vector_size + 1] = np.float32(1)
        context[0, vector_size] = np.float32(1)
    return cost


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
    """Sort the pairs of one tile-high stripe of rows into tiles, and shuffle each tile.

    Parameters
    ----------
    starts : NDArray of int64, shape (rows of the stripe + 1,)
        Where each row begins; ``starts[0]`` is where the stripe does.
    columns, values : NDArray
        The stripe's entries.
    seed : int
        Of the shuffle.
    ends : NDArray of int64, shape (tiles of the stripe + 1,)
        Where tiles begin and end in the output; written.
    out_rows, out_columns, out_logs : NDArray
        Row and column within the tile, and log X; written.
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
    state = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)
    for tile in range(len(ends) - 1):
        first = ends[tile]
        for slot in range(ends[tile + 1] - 1, first, -1):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            other = first + np.int64((state >> np.uint64(11)) % np.uint64(slot - first + 1))
            out_rows[slot], out_rows[other] = out_rows[other], out_rows[slot]
            out_columns[slot], out_columns[other] = out_columns[other], out_columns[slot]
            out_logs[slot], out_logs[other] = out_logs[other], out_logs[slot]

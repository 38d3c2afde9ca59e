"""CBOW with negative sampling: the mean of a window predicts the word in its middle.

Mikolov et al. (2013). The whole error goes to each word of the window, as in the original program
and gensim. Pieces of rows stay in registers; the rows of the positions ahead are prefetched.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from embeddings.static.kernels.lanes import LANES, fma, load, log, splat, store, total, wrong_odds
from embeddings.static.kernels.windows import GROUP, context_rows, prefetch_position


@njit(nogil=True)
def _mean(
    inputs: NDArray[np.float32], contexts: NDArray[np.int64], mean: NDArray[np.float32]
) -> None:
    """Write the mean of the context rows."""
    share = splat(np.float32(1.0) / np.float32(contexts.size))
    for d in range(0, mean.size, LANES):
        x = splat(np.float32(0.0))
        for start in contexts:
            x = x + load(inputs, start + d)
        store(mean, d, x * share)


@njit(nogil=True)
def _score(
    mean: NDArray[np.float32],
    outputs: NDArray[np.float32],
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
) -> None:
    """Write the dot products of the mean with `GROUP` output rows."""
    r0, r1, r2, r3, r4, r5 = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]
    a0 = a1 = a2 = a3 = a4 = a5 = splat(np.float32(0.0))
    for d in range(0, mean.size, LANES):
        x = load(mean, d)
        a0, a1 = fma(x, load(outputs, r0 + d), a0), fma(x, load(outputs, r1 + d), a1)
        a2, a3 = fma(x, load(outputs, r2 + d), a2), fma(x, load(outputs, r3 + d), a3)
        a4, a5 = fma(x, load(outputs, r4 + d), a4), fma(x, load(outputs, r5 + d), a5)
    scores[0], scores[1], scores[2] = total(a0), total(a1), total(a2)
    scores[3], scores[4], scores[5] = total(a3), total(a4), total(a5)


@njit(nogil=True)
def _update_outputs(
    mean: NDArray[np.float32],
    outputs: NDArray[np.float32],
    rows: NDArray[np.int64],
    steps: NDArray[np.float32],
    error: NDArray[np.float32],
) -> None:
    """Add ``steps[k] * mean`` to output row k, and ``steps[k]`` times the old row to ``error``."""
    r0, r1, r2, r3, r4, r5 = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]
    g0, g1, g2 = splat(steps[0]), splat(steps[1]), splat(steps[2])
    g3, g4, g5 = splat(steps[3]), splat(steps[4]), splat(steps[5])
    for d in range(0, mean.size, LANES):
        x, e = load(mean, d), load(error, d)
        o0, o1, o2 = load(outputs, r0 + d), load(outputs, r1 + d), load(outputs, r2 + d)
        o3, o4, o5 = load(outputs, r3 + d), load(outputs, r4 + d), load(outputs, r5 + d)
        e = fma(g2, o2, fma(g1, o1, fma(g0, o0, e)))
        e = fma(g5, o5, fma(g4, o4, fma(g3, o3, e)))
        store(error, d, e)
        store(outputs, r0 + d, fma(g0, x, o0))
        store(outputs, r1 + d, fma(g1, x, o1))
        store(outputs, r2 + d, fma(g2, x, o2))
        store(outputs, r3 + d, fma(g3, x, o3))
        store(outputs, r4 + d, fma(g4, x, o4))
        store(outputs, r5 + d, fma(g5, x, o5))


@njit(nogil=True)
def update_inputs(
    inputs: NDArray[np.float32], contexts: NDArray[np.int64], error: NDArray[np.float32]
) -> None:
    """Add the error to each context row."""
    for start in contexts:
        for d in range(0, error.size, LANES):
            store(inputs, start + d, load(inputs, start + d) + load(error, d))


@njit(nogil=True)
def _steps(
    scores: NDArray[np.float32],
    weights: NDArray[np.float32],
    signs: NDArray[np.float32],
    alpha: np.float32,
) -> Any:
    """Turn ``scores[k]`` into ``alpha * weights[k] * (1 - p)``, p that of the right answer.

    Returns the loss, the sum of ``-abs(weights[k]) * log(p)`` in nats.
    """
    nats = splat(np.float32(0.0))
    for k in range(0, scores.size, LANES):
        sign, weight = load(signs, k), load(weights, k)
        wrong = wrong_odds(load(scores, k) * sign)
        both = wrong + splat(np.float32(1.0))
        nats = fma(weight * sign, log(both), nats)
        store(scores, k, splat(alpha) * weight * wrong / both)
    return total(nats)


@njit(nogil=True, inline="always")
def cbow_position(
    targets: NDArray[np.int32],
    weights: NDArray[np.float32],
    outputs: NDArray[np.float32],
    mean: NDArray[np.float32],
    error: NDArray[np.float32],
    room: tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]],
    alpha: np.float32,
) -> Any:
    """Let ``mean`` predict the outputs of one position, in place; write the ``error`` of the mean and return the loss in nats.

    ``room`` is what `cbow_room` makes.
    """
    rows, scores, weight, signs = room
    for k in range(rows.size):
        rows[k] = np.int64(targets[k]) * mean.size
        weight[k] = weights[k]
    for k in range(0, rows.size, GROUP):
        _score(mean, outputs, rows[k : k + GROUP], scores[k : k + GROUP])
    loss = _steps(scores, weight, signs, alpha)
    error[:] = np.float32(0.0)
    for k in range(0, rows.size, GROUP):
        _update_outputs(mean, outputs, rows[k : k + GROUP], scores[k : k + GROUP], error)
    return loss


@njit(nogil=True)
def cbow_room(
    used: int,
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return room to work in for `cbow_position` with ``used`` outputs: rows, scores, weights, signs."""
    width = (used + LANES - 1) // LANES * LANES
    signs = np.full(width, np.float32(-1.0))
    signs[0] = np.float32(1.0)
    rows = np.empty(used, np.int64)
    return rows, np.zeros(width, np.float32), np.zeros(width, np.float32), signs


@njit(nogil=True)
def cbow_block(
    block: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: NDArray[np.float32],
    inputs: NDArray[np.float32],
    outputs: NDArray[np.float32],
    columns: int,
    window: int,
    alpha: np.float32,
) -> tuple[float, int]:
    """Train on the positions of a block, in place; as `skipgram_block`, a pair being a window."""
    used = targets.shape[1]
    rows, scores, weight, signs = cbow_room(used)
    contexts = np.empty(2 * window, np.int64)
    mean = np.empty(columns, np.float32)
    error = np.empty(columns, np.float32)
    loss = 0.0
    pairs = 0
    for at in range(block.shape[1]):
        prefetch_position(block, targets, at, window, inputs, outputs, columns)
        count = context_rows(block, at, columns, contexts)
        if count == 0:
            continue
        for k in range(used):  # what `cbow_position` does, a fifth faster written out
            rows[k] = np.int64(targets[at, k]) * columns
            weight[k] = weights[at, k]
        _mean(inputs, contexts[:count], mean)
        for k in range(0, used, GROUP):
            _score(mean, outputs, rows[k : k + GROUP], scores[k : k + GROUP])
        loss += _steps(scores, weight, signs, alpha)
        error[:] = np.float32(0.0)
        for k in range(0, used, GROUP):
            _update_outputs(mean, outputs, rows[k : k + GROUP], scores[k : k + GROUP], error)
        update_inputs(inputs, contexts[:count], error)
        pairs += 1
    return loss, pairs

"""Skip-gram with negative sampling, negatives shared by a window.

Mikolov et al. (2013); Ji et al. (2016) for the sharing. At each position the words of the window
predict the word in its middle against drawn words, the same for the whole window: two small matrix
products. What makes it fast: pieces of rows stay in registers, contexts are scored in pairs, the
rows of the positions ahead are prefetched.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from embeddings.static.kernels.lanes import LANES, fma, load, log, splat, store, total, wrong_odds
from embeddings.static.kernels.windows import GROUP, context_rows, prefetch_position

_SURE = np.float32(60.0)  # a score that is right beyond doubt: loss and step vanish


@njit(nogil=True)
def _score(
    inputs: NDArray[np.float32],
    outputs: NDArray[np.float32],
    contexts: NDArray[np.int64],
    count: int,
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    columns: int,
) -> None:
    """Write dot products of contexts m and output rows k to ``scores[k, m]``, two m at a time."""
    width = scores.shape[1]
    flat = scores.reshape(-1)
    r0, r1, r2, r3, r4, r5 = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]
    for m in range(0, count, 2):
        a, b = contexts[m], contexts[m + 1]
        a0 = a1 = a2 = a3 = a4 = a5 = splat(np.float32(0.0))
        b0 = b1 = b2 = b3 = b4 = b5 = splat(np.float32(0.0))
        for d in range(0, columns, LANES):
            x, y = load(inputs, a + d), load(inputs, b + d)
            o = load(outputs, r0 + d)
            a0, b0 = fma(x, o, a0), fma(y, o, b0)
            o = load(outputs, r1 + d)
            a1, b1 = fma(x, o, a1), fma(y, o, b1)
            o = load(outputs, r2 + d)
            a2, b2 = fma(x, o, a2), fma(y, o, b2)
            o = load(outputs, r3 + d)
            a3, b3 = fma(x, o, a3), fma(y, o, b3)
            o = load(outputs, r4 + d)
            a4, b4 = fma(x, o, a4), fma(y, o, b4)
            o = load(outputs, r5 + d)
            a5, b5 = fma(x, o, a5), fma(y, o, b5)
        flat[m], flat[width + m], flat[2 * width + m] = total(a0), total(a1), total(a2)
        flat[3 * width + m], flat[4 * width + m] = total(a3), total(a4)
        flat[5 * width + m] = total(a5)
        if m + 1 < count:
            m += 1
            flat[m], flat[width + m], flat[2 * width + m] = total(b0), total(b1), total(b2)
            flat[3 * width + m], flat[4 * width + m] = total(b3), total(b4)
            flat[5 * width + m] = total(b5)


@njit(nogil=True)
def _update(
    inputs: NDArray[np.float32],
    outputs: NDArray[np.float32],
    contexts: NDArray[np.int64],
    count: int,
    rows: NDArray[np.int64],
    steps: NDArray[np.float32],
    columns: int,
) -> None:
    """Add ``steps[k, m]`` times the other side's row to context row m and output row k.

    Output rows take part as they were; a context row that stands twice is changed in between.
    """
    width = steps.shape[1]
    flat = steps.reshape(-1)
    r0, r1, r2, r3, r4, r5 = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]
    for d in range(0, columns, LANES):
        o0, o1, o2 = load(outputs, r0 + d), load(outputs, r1 + d), load(outputs, r2 + d)
        o3, o4, o5 = load(outputs, r3 + d), load(outputs, r4 + d), load(outputs, r5 + d)
        n0, n1, n2, n3, n4, n5 = o0, o1, o2, o3, o4, o5
        for m in range(count):
            x = load(inputs, contexts[m] + d)
            y = x
            g = splat(flat[m])
            n0, y = fma(g, x, n0), fma(g, o0, y)
            g = splat(flat[width + m])
            n1, y = fma(g, x, n1), fma(g, o1, y)
            g = splat(flat[2 * width + m])
            n2, y = fma(g, x, n2), fma(g, o2, y)
            g = splat(flat[3 * width + m])
            n3, y = fma(g, x, n3), fma(g, o3, y)
            g = splat(flat[4 * width + m])
            n4, y = fma(g, x, n4), fma(g, o4, y)
            g = splat(flat[5 * width + m])
            n5, y = fma(g, x, n5), fma(g, o5, y)
            store(inputs, contexts[m] + d, y)
        store(outputs, r0 + d, n0)
        store(outputs, r1 + d, n1)
        store(outputs, r2 + d, n2)
        store(outputs, r3 + d, n3)
        store(outputs, r4 + d, n4)
        store(outputs, r5 + d, n5)


@njit(nogil=True)
def _steps(scores: NDArray[np.float32], weights: NDArray[np.float32], alpha: np.float32) -> Any:
    """Turn ``scores[k, m]`` into ``alpha * weights[k] * (1 - p)``, p that of the right answer.

    Returns the loss, the sum of ``-abs(weights[k]) * log(p)`` in nats.
    """
    width = scores.shape[1]
    flat = scores.reshape(-1)
    nats = splat(np.float32(0.0))
    for k in range(scores.shape[0]):
        weight = weights[k]
        sign = splat(np.float32(1.0) if weight > np.float32(0.0) else np.float32(-1.0))
        for m in range(k * width, (k + 1) * width, LANES):
            wrong = wrong_odds(load(flat, m) * sign)
            both = wrong + splat(np.float32(1.0))
            nats = fma(splat(abs(weight)), log(both), nats)
            store(flat, m, splat(alpha * weight) * wrong / both)
    return total(nats)


@njit(nogil=True, inline="always")
def skipgram_position(
    targets: NDArray[np.int32],
    weights: NDArray[np.float32],
    inputs: NDArray[np.float32],
    outputs: NDArray[np.float32],
    contexts: NDArray[np.int64],
    count: int,
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    columns: int,
    alpha: np.float32,
) -> Any:
    """Let ``count`` context rows predict the outputs of one position, in place; return the loss in nats.

    ``targets`` and ``weights`` are those of the position, ``contexts`` offsets into ``inputs`` with one more behind them where the
    count is odd; ``rows`` of shape (outputs,) and ``scores`` of shape (outputs, multiple of LANES) are room to work in.
    """
    width = scores.shape[1]
    flat = scores.reshape(-1)
    for k in range(rows.size):
        rows[k] = np.int64(targets[k]) * columns
        sure = splat(_SURE if k == 0 else -_SURE)
        for m in range(k * width, (k + 1) * width, LANES):
            store(flat, m, sure)
    for k in range(0, rows.size, GROUP):
        group = slice(k, k + GROUP)
        _score(inputs, outputs, contexts, count, rows[group], scores[group], columns)
    loss = _steps(scores, weights, alpha)
    for k in range(0, rows.size, GROUP):
        group = slice(k, k + GROUP)
        _update(inputs, outputs, contexts, count, rows[group], scores[group], columns)
    return loss


@njit(nogil=True)
def skipgram_block(
    block: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: NDArray[np.float32],
    inputs: NDArray[np.float32],
    outputs: NDArray[np.float32],
    columns: int,
    window: int,
    alpha: np.float32,
) -> tuple[float, int]:
    """Train on the positions of a block, in place.

    Parameters
    ----------
    block : NDArray of int32, shape (3, positions)
        As `fill_block` writes it.
    targets, weights : NDArray, shape (BLOCK_WORDS, outputs)
        As `draw_targets` writes them.
    inputs, outputs : NDArray of float32, shape ((vocabulary + 1) * columns,)
        Both matrices, flat; the last row is spare.
    columns, window : int
        Numbers a row; largest reach.
    alpha : float32
        Learning rate.

    Returns
    -------
    tuple of float and int
        Summed loss in nats and number of positive pairs.
    """
    used = targets.shape[1]
    width = (2 * window + LANES - 1) // LANES * LANES
    contexts = np.empty(2 * window + 1, np.int64)
    rows = np.empty(used, np.int64)
    scores = np.empty((used, width), np.float32)
    loss = 0.0
    pairs = 0
    for at in range(block.shape[1]):
        prefetch_position(block, targets, at, window, inputs, outputs, columns)
        count = context_rows(block, at, columns, contexts)
        contexts[count] = inputs.size - columns  # the spare row makes an odd count even
        loss += skipgram_position(
            targets[at], weights[at], inputs, outputs, contexts, count, rows, scores, columns, alpha
        )
        pairs += count
    return loss, pairs

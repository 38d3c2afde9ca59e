"""Skip-gram with negative sampling, negatives shared by a window. Mikolov et al. (2013); Ji et al. (2016) for the sharing.

At each position the words of the window predict the word in the middle against ``negative`` drawn words, the same for the whole
window: two small matrix products per position. What makes it fast: rows are read in blocks of lanes that stay in registers, contexts are scored in
pairs, and the output rows of the positions ahead are prefetched.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from embeddings.static.kernels.lanes import LANES, fma, load, splat, store, total
from embeddings.static.kernels.logistic import log, wrong_odds
from embeddings.static.kernels.windows import BLOCK, GROUP, draw_targets, fill, prefetch_rows

_F = np.float32
_SURE = _F(60.0)  # a score that is right beyond doubt: loss and step vanish


@njit(cache=True, nogil=True)
def _score(
    inputs: NDArray[np.float32],
    outputs: NDArray[np.float32],
    contexts: NDArray[np.int64],
    count: int,
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    columns: int,
) -> None:
    """Write the dot products of ``count`` context rows with `GROUP` output rows to ``scores[k, m]``, two contexts at a time."""
    width = scores.shape[1]
    flat = scores.reshape(-1)
    r0, r1, r2, r3, r4, r5 = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]
    for m in range(0, count, 2):
        a, b = contexts[m], contexts[m + 1]
        a0 = a1 = a2 = a3 = a4 = a5 = splat(_F(0.0))
        b0 = b1 = b2 = b3 = b4 = b5 = splat(_F(0.0))
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


@njit(cache=True, nogil=True)
def _update(
    inputs: NDArray[np.float32],
    outputs: NDArray[np.float32],
    contexts: NDArray[np.int64],
    count: int,
    rows: NDArray[np.int64],
    steps: NDArray[np.float32],
    columns: int,
) -> None:
    """Add ``steps[k, m]`` times the other side's row to every context and output row; lanes outside, contexts inside."""
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


@njit(cache=True, nogil=True)
def _train_block(
    block: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: NDArray[np.float32],
    inputs: NDArray[np.float32],
    outputs: NDArray[np.float32],
    columns: int,
    window: int,
    alpha: np.float32,
) -> tuple[float, int]:
    """Train on the positions of a block; return the summed loss in nats and the number of positive pairs."""
    filled = block.shape[1]
    width = (2 * window + LANES - 1) // LANES * LANES
    contexts = np.empty(2 * window + 2, np.int64)
    rows = np.empty(targets.shape[1], np.int64)
    scores = np.empty((rows.size, width), np.float32)
    flat = scores.reshape(-1)
    loss = 0.0
    pairs = 0
    for at in range(filled):
        prefetch_rows(block, targets, at, window, inputs, outputs, columns)
        count = 0
        for j in range(block[1, at], block[2, at]):
            if j != at:
                contexts[count] = np.int64(block[0, j]) * columns
                count += 1
        if count == 0:
            continue
        contexts[count] = inputs.size - columns  # the spare row makes the count even
        for k in range(rows.size):
            rows[k] = np.int64(targets[at, k]) * columns
            sure = splat(_SURE if k == 0 else -_SURE)
            for m in range(k * width, (k + 1) * width, LANES):
                store(flat, m, sure)
        for k in range(0, rows.size, GROUP):
            group = slice(k, k + GROUP)
            _score(inputs, outputs, contexts, count, rows[group], scores[group], columns)
        nats = splat(_F(0.0))
        for k in range(rows.size):
            weight = weights[at, k]
            sign = splat(_F(1.0) if weight > _F(0.0) else _F(-1.0))
            for m in range(k * width, (k + 1) * width, LANES):
                wrong = wrong_odds(load(flat, m) * sign)
                both = wrong + splat(_F(1.0))
                nats = fma(splat(abs(weight)), log(both), nats)
                store(flat, m, splat(alpha * weight) * wrong / both)
        loss += total(nats)
        for k in range(0, rows.size, GROUP):
            group = slice(k, k + GROUP)
            _update(inputs, outputs, contexts, count, rows[group], scores[group], columns)
        pairs += count
    return loss, pairs


@njit(cache=True, nogil=True)
def skipgram(
    ids: NDArray[np.int32],
    bounds: NDArray[np.int64],
    keep: NDArray[np.uint32],
    alias: NDArray[np.uint32],
    inputs: NDArray[np.float32],
    outputs: NDArray[np.float32],
    columns: int,
    window: int,
    negative: int,
    seed: np.uint64,
    alpha: float,
    last_alpha: float,
) -> tuple[float, int]:
    """Train on a piece of corpus, in place.

    Parameters
    ----------
    ids : NDArray of int32, shape (words,)
        Rows of the vocabulary, in text order.
    bounds : NDArray of int64, shape (sentences + 1,)
        Offsets of the sentences into ``ids``, from 0 to its length.
    keep : NDArray of uint32, shape (vocabulary,)
        Thresholds of `fill`.
    alias : NDArray of uint32, shape (vocabulary, 2)
        Table of `draw_targets`.
    inputs, outputs : NDArray of float32, shape ((vocabulary + 1) * columns,)
        Both matrices, flat; the last row is zeros and spare.
    columns : int
        Numbers a row, a multiple of `LANES`; those past the vector's size are zeros.
    window, negative : int
        Largest reach to either side; negatives drawn a position.
    seed : uint64
        Of the random stream of this piece.
    alpha, last_alpha : float
        Learning rate at the first word and past the last; linear between, held for a block.

    Returns
    -------
    tuple of float and int
        Loss summed over all positive pairs, in nats: -log logistic(score) - sum of log logistic(-score of a negative), each taken before
        its update; and the number of positive pairs.
    """
    state = np.array([seed], np.uint64)
    block = np.empty((3, BLOCK), np.int32)
    width = (negative + GROUP) // GROUP * GROUP
    targets = np.empty((BLOCK, width), np.int32)
    weights = np.empty((BLOCK, width), np.float32)
    loss = 0.0
    pairs = 0
    sentence = 0
    start = np.int64(0)
    while sentence < bounds.size - 1:
        rate = np.float32(alpha + (last_alpha - alpha) * start / ids.size)
        filled, sentence, start = fill(ids, bounds, sentence, start, keep, window, state, block)
        draw_targets(block[0, :filled], alias, negative, state, targets, weights)
        nats, count = _train_block(
            block[:, :filled], targets, weights, inputs, outputs, columns, window, rate
        )
        loss += nats
        pairs += count
    return loss, pairs

"""Skip-gram and CBOW over words that are composed of n-grams: Bojanowski et al. (2017).

A word's input is the mean of its own row and those of its n-grams. It is composed once, when it comes into the reach of the window,
and kept while it may be a context; what it learned is then added to each of its rows, whole, as fastText and gensim do: the mean moves
by just as much. So a word of twenty rows is read and written once for all the windows with it.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from embeddings.static.kernels.cbow import cbow_position, cbow_room, update_inputs
from embeddings.static.kernels.lanes import LANES, fma, load, splat, store
from embeddings.static.kernels.skipgram import skipgram_position
from embeddings.static.kernels.windows import PREFETCH_DISTANCE, prefetch_rows


@njit(nogil=True)
def compose(
    members: NDArray[np.int32],
    inputs: NDArray[np.float32],
    columns: int,
    ring: NDArray[np.float32],
    slot: int,
) -> None:
    """Write the mean of the rows ``members`` of ``inputs`` to ``ring`` at the offset ``slot``, and again half a ring later."""
    share = splat(np.float32(1.0) / np.float32(members.size))
    other = slot + ring.size // 2
    for d in range(0, columns, LANES):
        x = splat(np.float32(0.0))
        for row in members:
            x = x + load(inputs, np.int64(row) * columns + d)
        x = x * share
        store(ring, slot + d, x)
        store(ring, other + d, x)


@njit(nogil=True)
def settle(
    members: NDArray[np.int32],
    inputs: NDArray[np.float32],
    columns: int,
    ring: NDArray[np.float32],
    slot: int,
) -> None:
    """Add what the ``ring`` at ``slot`` has learned since `compose` to each of the rows."""
    other = slot + ring.size // 2
    for d in range(0, columns, LANES):
        learned = load(ring, slot + d) - load(ring, other + d)
        for row in members:
            at = np.int64(row) * columns + d
            store(inputs, at, load(inputs, at) + learned)


@njit(nogil=True)
def _enter(
    block: NDArray[np.int32],
    first: int,
    end: int,
    offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    inputs: NDArray[np.float32],
    columns: int,
    ring: NDArray[np.float32],
    slots: int,
) -> None:
    """Compose the words at the positions ``first`` up to ``end``, and ask for the rows of those that follow."""
    for at in range(first, end):
        word = block[0, min(at + PREFETCH_DISTANCE, block.shape[1] - 1)]
        prefetch_rows(members[offsets[word] : offsets[word + 1]], inputs, columns)
        word = block[0, at]
        rows = members[offsets[word] : offsets[word + 1]]
        compose(rows, inputs, columns, ring, at % slots * columns)


@njit(nogil=True)
def _leave(
    block: NDArray[np.int32],
    first: int,
    end: int,
    offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    inputs: NDArray[np.float32],
    columns: int,
    ring: NDArray[np.float32],
    slots: int,
) -> None:
    """Settle the words at the positions ``first`` up to ``end``."""
    for at in range(first, end):
        word = block[0, at]
        rows = members[offsets[word] : offsets[word + 1]]
        settle(rows, inputs, columns, ring, at % slots * columns)


@njit(nogil=True, inline="always")
def _find_contexts(
    block: NDArray[np.int32],
    at: int,
    slots: int,
    columns: int,
    offsets: NDArray[np.int64],
    contexts: NDArray[np.int64],
    sizes: NDArray[np.float32],
) -> int:
    """Write the slots of the words in a position's window, and how many rows each has; return how many words."""
    count = 0
    for j in range(block[1, at], block[2, at]):
        if j != at:
            contexts[count] = j % slots * columns
            sizes[count] = np.float32(offsets[block[0, j] + 1] - offsets[block[0, j]])
            count += 1
    return count


@njit(nogil=True, inline="always")
def _weighted_mean(
    ring: NDArray[np.float32],
    contexts: NDArray[np.int64],
    sizes: NDArray[np.float32],
    count: int,
    mean: NDArray[np.float32],
) -> None:
    """Write the mean of all rows of all words of a window: that of the composed words, each weighing its number of rows."""
    share = splat(np.float32(1.0) / sizes[:count].sum())
    for d in range(0, mean.size, LANES):
        x = splat(np.float32(0.0))
        for m in range(count):
            x = fma(splat(sizes[m]), load(ring, contexts[m] + d), x)
        store(mean, d, x * share)


@njit(nogil=True)
def subword_block(
    sg: bool,
    block: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: NDArray[np.float32],
    offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    inputs: NDArray[np.float32],
    outputs: NDArray[np.float32],
    columns: int,
    window: int,
    alpha: np.float32,
) -> tuple[float, int]:
    """Train on the positions of a block, in place.

    Parameters
    ----------
    sg : bool
        Skip-gram, or CBOW.
    block : NDArray of int32, shape (3, positions)
        As `fill_block` writes it.
    targets, weights : NDArray, shape (BLOCK_WORDS, outputs)
        As `draw_targets` writes them.
    offsets : NDArray of int64, shape (vocabulary + 1,)
        The rows of word w are ``members[offsets[w]:offsets[w + 1]]``, one at least.
    members : NDArray of int32
        Rows of ``inputs``.
    inputs : NDArray of float32, shape ((rows + 1) * columns,)
        Rows of words and n-grams, flat.
    outputs : NDArray of float32, shape ((vocabulary + 1) * columns,)
        Rows that predict, flat; the last is spare.
    columns, window : int
        Numbers a row; largest reach.
    alpha : float32
        Learning rate.

    Returns
    -------
    tuple of float and int
        Summed loss in nats and number of positive pairs (of windows, for CBOW).
    """
    used, last = targets.shape[1], block.shape[1]
    slots = 2 * window + 1
    ring = np.zeros(2 * (slots + 1) * columns, np.float32)  # the last slot is spare
    contexts = np.empty(2 * window + 1, np.int64)
    sizes = np.empty(2 * window + 1, np.float32)
    rows = np.empty(used, np.int64)
    scores = np.empty((used, (2 * window + LANES - 1) // LANES * LANES), np.float32)
    room = cbow_room(used)
    mean, error = np.empty(columns, np.float32), np.empty(columns, np.float32)
    loss = 0.0
    pairs = 0
    entered = 0
    for at in range(last):
        end = min(at + window + 1, last)
        _enter(block, entered, end, offsets, members, inputs, columns, ring, slots)
        entered = end
        prefetch_rows(targets[min(at + PREFETCH_DISTANCE, last - 1)], outputs, columns)
        count = _find_contexts(block, at, slots, columns, offsets, contexts, sizes)
        if sg:
            contexts[count] = slots * columns  # the spare slot makes an odd count even
            loss += skipgram_position(
                targets[at],
                weights[at],
                ring,
                outputs,
                contexts,
                count,
                rows,
                scores,
                columns,
                alpha,
            )
            pairs += count
        elif count:
            _weighted_mean(ring, contexts, sizes, count, mean)
            loss += cbow_position(targets[at], weights[at], outputs, mean, error, room, alpha)
            update_inputs(ring, contexts[:count], error)
            pairs += 1
        first = at - window
        _leave(block, max(0, first), first + 1, offsets, members, inputs, columns, ring, slots)
    first = max(0, last - window)
    _leave(block, first, last, offsets, members, inputs, columns, ring, slots)
    return loss, pairs

"""What Word2Vec trains on, drawn in blocks ahead of the arithmetic: words, windows, negatives.

A block holds at most `BLOCK_WORDS` words, so that it stays in the cache and rows can be prefetched
before they are needed. Random numbers are splitmix64 (Steele, Lea and Flood 2014), a counter that
is mixed: what a piece of corpus draws depends on its seed alone, not on who draws it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from embeddings.static.kernels.lanes import prefetch

BLOCK_WORDS = 4096
GROUP = 6
"""Output rows that are handled together: the middle word and five negatives."""

_LINE = 16  # float32 in a cache line
PREFETCH_DISTANCE = 2  # positions between the prefetch of a row and its use
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@njit(nogil=True, inline="always")
def draw(state: NDArray[np.uint64]) -> Any:
    """Return the next 64 random bits and advance ``state``, an array of one counter."""
    state[0] += _STEP
    z = state[0]
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@njit(nogil=True, inline="always")
def below(bits: np.uint64, bound: int) -> Any:
    """Map the high 32 of 64 random bits to a whole number in [0, bound)."""
    return np.int64(((bits >> _S32) * np.uint64(bound)) >> _S32)


@njit(nogil=True)
def fill_block(
    ids: NDArray[np.int32],
    bounds: NDArray[np.int64],
    sentence: int,
    start: int,
    keep: NDArray[np.uint32],
    window: int,
    state: NDArray[np.uint64],
    block: NDArray[np.int32],
) -> tuple[int, int, int]:
    """Fill a block with whole sentences that are sure to fit; one longer than a block is cut.

    Parameters
    ----------
    ids : NDArray of int32, shape (words,)
    bounds : NDArray of int64, shape (sentences + 1,)
    sentence, start : int
        Where to begin: a sentence and an offset into ``ids`` within it.
    keep : NDArray of uint32, shape (vocabulary,)
        A word is kept where 32 random bits do not exceed its threshold.
    window : int
        Largest reach to either side; each position draws its own from 1 to ``window``.
    state : NDArray of uint64, shape (1,)
        The random counter, advanced.
    block : NDArray of int32, shape (3, BLOCK_WORDS)
        Written: word, first position of its window, position after the last.

    Returns
    -------
    tuple of int
        Positions filled; the sentence and the offset to continue from.
    """
    # The block has one column for each word kept, sentences one after another (here a b c | d e, each with its drawn window):
    #
    #    position       0   1   2   3   4
    #    block[0]       a   b   c   d   e      the word
    #    block[1]       0   0   1   3   3      first position of its window, never before its sentence
    #    block[2]       2   3   3   5   5      position behind the last, never past its sentence
    filled = 0
    while sentence < bounds.size - 1:
        stop = min(start + BLOCK_WORDS, bounds[sentence + 1])
        if filled + stop - start > BLOCK_WORDS:
            break
        end = filled
        for at in range(start, stop):
            if np.uint32(draw(state) & _LOW) <= keep[ids[at]]:
                block[0, end] = ids[at]
                end += 1
        for at in range(filled, end):
            reach = 1 + below(draw(state), window)
            block[1, at] = max(filled, at - reach)
            block[2, at] = min(end, at + reach + 1)
        filled, start = end, stop
        sentence += stop == bounds[sentence + 1]
    return filled, sentence, start


@njit(nogil=True, inline="always")
def _draw_row(alias: NDArray[np.uint32], state: NDArray[np.uint64]) -> Any:
    """Draw a row by Walker's table: its threshold, below which it stands, and its alias."""
    bits = draw(state)
    row = below(bits, alias.shape[0])
    if np.uint32(bits & _LOW) >= alias[row, 0]:
        return np.int64(alias[row, 1])
    return row


@njit(nogil=True)
def draw_targets(
    words: NDArray[np.int32],
    alias: NDArray[np.uint32],
    negative: int,
    state: NDArray[np.uint64],
    targets: NDArray[np.int32],
    weights: NDArray[np.float32],
) -> None:
    """Give each position its output rows: the word with weight 1, then its negatives.

    The weight of a negative is minus how often it was drawn. One that is the word itself is
    dropped, as in the original program. Places left over hold the row past the vocabulary with
    weight 0.

    Parameters
    ----------
    words : NDArray of int32, shape (positions,)
    alias : NDArray of uint32, shape (vocabulary, 2)
    negative : int
        Draws a position.
    state : NDArray of uint64, shape (1,)
    targets : NDArray of int32, shape (positions, outputs)
        Written; ``outputs`` is a multiple of `GROUP`.
    weights : NDArray of float32, shape (positions, outputs)
        Written.
    """
    targets[: words.size] = alias.shape[0]
    weights[: words.size] = 0.0
    for at in range(words.size):
        targets[at, 0] = words[at]
        weights[at, 0] = 1.0
        used = 1
        for _ in range(negative):
            row = _draw_row(alias, state)
            slot = 0
            while slot < used and targets[at, slot] != row:
                slot += 1
            targets[at, slot] = row
            used = max(used, slot + 1)
            if slot:
                weights[at, slot] -= 1.0


@njit(nogil=True, inline="always")
def context_rows(
    block: NDArray[np.int32], at: int, columns: int, contexts: NDArray[np.int64]
) -> int:
    """Write the offsets of the input rows in the window of a position; return how many."""
    count = 0
    for j in range(block[1, at], block[2, at]):
        if j != at:
            contexts[count] = np.int64(block[0, j]) * columns
            count += 1
    return count


@njit(nogil=True, inline="always")
def prefetch_row(row: int, matrix: NDArray[np.float32], columns: int) -> None:
    """Ask for a row of a flat matrix."""
    start = np.int64(row) * columns
    for d in range(0, columns, _LINE):
        prefetch(matrix, start + d)


@njit(nogil=True, inline="always")
def prefetch_rows(rows: NDArray[np.int32], matrix: NDArray[np.float32], columns: int) -> None:
    """Ask for rows of a flat matrix."""
    for row in rows:
        prefetch_row(row, matrix, columns)


@njit(nogil=True, inline="always")
def prefetch_position(
    block: NDArray[np.int32],
    targets: NDArray[np.int32],
    at: int,
    window: int,
    inputs: NDArray[np.float32],
    outputs: NDArray[np.float32],
    columns: int,
) -> None:
    """Ask for the rows of a position a little after ``at``: outputs, and the input that enters."""
    last = block.shape[1] - 1
    ahead = min(at + PREFETCH_DISTANCE, last)
    prefetch_rows(targets[ahead], outputs, columns)
    prefetch_row(block[0, min(ahead + window, last)], inputs, columns)

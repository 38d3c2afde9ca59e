"""Compiled loops of co-occurrence counting: positions inverted by word, one accumulator row that fits the cache, sorted rows out.

A position is packed into one int64: ``position << 16 | left << 8 | right``, where left and right are how many words of its own sentence
stand within the window on either side. No hash table and no sort: the touched columns of a row are two levels of bits, read in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from embeddings.static.kernels.lanes import intrinsic, prefetch_to_read

POSITIONS_AHEAD = 8  # positions from use to prefetch


@intrinsic
def trailing_zeros(typing: Any, bits: Any) -> Any:  # noqa: ARG001
    """Index of the lowest set bit of a uint64 that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        """Emit llvm's cttz."""
        return builder.cttz(values[0], context.get_constant(types.boolean, 1))

    return types.uint64(types.uint64), generate


@njit(nogil=True, cache=True)
def invert_positions(
    ids: NDArray[np.int32],
    bounds: NDArray[np.int64],
    rows: tuple[int, int],
    window: int,
    cursors: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Write the packed positions of the words ``rows[0] <= word < rows[1]`` to ``out``, each word's from its cursor on.

    Parameters
    ----------
    ids : NDArray of int32, shape (positions,)
        Word of each position.
    bounds : NDArray of int64, shape (sentences + 1,)
        Where each sentence begins.
    rows : tuple of int
        The range of words.
    window : int
        How many words to look at on either side, at most 255.
    cursors : NDArray of int64, shape (rows[1] - rows[0],)
        Where each word's positions begin in ``out``; they are moved to where they end.
    out : NDArray of int64
        Room for all positions of these words.
    """
    low, high = rows
    for sentence in range(len(bounds) - 1):
        begin, end = bounds[sentence], bounds[sentence + 1]
        for position in range(begin, end):
            word = ids[position]
            if low <= word < high:
                before = min(position - begin, window)
                after = min(end - 1 - position, window)
                slot = cursors[word - low]
                out[slot] = position << 16 | before << 8 | after
                cursors[word - low] = slot + 1


@njit(nogil=True, cache=True)
def add_row(
    ids: NDArray[np.int32],
    positions: NDArray[np.int64],
    weights: NDArray[np.float64],
    accumulator: NDArray[np.float64],
    bits: NDArray[np.uint64],
) -> None:
    """Add the contexts at the given packed positions to a row's sums.

    Parameters
    ----------
    ids : NDArray of int32, shape (positions of the corpus,)
        Word of each position.
    positions : NDArray of int64
        Packed positions of one word.
    weights : NDArray of float64, shape (2 window + 1,)
        1 / distance, from the leftmost place to the rightmost; 0 at the word itself.
    accumulator, bits : NDArray of float64 and of uint64
        One sum a word; one mark a word, then one mark for each 64 of those.
    """
    levels = len(accumulator) // 64 + 1
    window = len(weights) // 2
    last = len(positions) - 1
    for number in range(len(positions)):
        soon = positions[min(number + POSITIONS_AHEAD, last)] >> 16
        prefetch_to_read(ids, max(soon - window, 0))
        prefetch_to_read(ids, min(soon + window, len(ids) - 1))
        packed = positions[number]
        at = packed >> 16
        shift = window - at
        for near in range(at - (packed >> 8 & 255), at + (packed & 255) + 1):
            word = np.uint64(ids[np.uint64(near)])
            total = accumulator[word]
            if total == 0.0:
                group = word >> np.uint64(6)
                bits[group] |= np.uint64(1) << (word & np.uint64(63))
                bits[levels + (group >> np.uint64(6))] |= np.uint64(1) << (group & np.uint64(63))
            accumulator[word] = total + weights[np.uint64(near + shift)]


@njit(nogil=True, cache=True)
def take_row(
    accumulator: NDArray[np.float64],
    bits: NDArray[np.uint64],
    columns: NDArray[np.int32],
    values: NDArray[np.floating],
) -> int:
    """Move the marked sums out, words rising, and leave zeros behind; return how many there were."""
    levels = len(accumulator) // 64 + 1
    written = 0
    for upper in range(levels, len(bits)):
        groups = bits[upper]
        bits[upper] = np.uint64(0)
        while groups:
            group = ((upper - levels) << 6) + np.int64(trailing_zeros(groups))
            groups &= groups - np.uint64(1)
            marks = bits[group]
            bits[group] = np.uint64(0)
            while marks:
                word = (group << 6) + np.int64(trailing_zeros(marks))
                marks &= marks - np.uint64(1)
                if accumulator[word] > 0.0:  # the word itself is marked, and may stand alone
                    columns[written] = word
                    values[written] = accumulator[word]
                    accumulator[word] = 0.0
                    written += 1
    return written


@njit(nogil=True, cache=True)
def count_rows(
    ids: NDArray[np.int32],
    positions: NDArray[np.int64],
    starts: NDArray[np.int64],
    weights: NDArray[np.float64],
    words: int,
    sizes: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float32],
) -> int:
    """Count the contexts of consecutive words; return how many entries were written.

    Parameters
    ----------
    ids, positions, weights
        As for `add_row`; the n-th word's positions are ``positions[starts[n]:starts[n + 1]]``.
    words : int
        Size of the vocabulary.
    sizes, columns, values : NDArray
        Entries of each row; and of all rows in a sequence, columns rising within a row.
    """
    accumulator, bits = row_buffers(words)
    written = 0
    for row in range(len(starts) - 1):
        add_row(ids, positions[starts[row] : starts[row + 1]], weights, accumulator, bits)
        sizes[row] = take_row(accumulator, bits, columns[written:], values[written:])
        written += sizes[row]
    return written


@njit(nogil=True, cache=True)
def row_buffers(words: int) -> tuple[NDArray[np.float64], NDArray[np.uint64]]:
    """Zeros for the sums of one row and for the marks of both levels."""
    levels = words // 64 + 1
    return np.zeros(words, np.float64), np.zeros(levels + levels // 64 + 1, np.uint64)


@njit(nogil=True, cache=True)
def row_sums(starts: NDArray[np.int64], values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Sum of each row's values, in float64."""
    sums = np.zeros(len(starts) - 1)
    for row in range(len(sums)):
        total = 0.0
        for entry in range(starts[row], starts[row + 1]):
            total += values[entry]
        sums[row] = total
    return sums


@njit(nogil=True, cache=True)
def count_words(ids: NDArray[np.int32], words: int) -> NDArray[np.int64]:
    """How often each word occurs; the text is read once, from a memory map too."""
    counts = np.zeros(words, np.int64)
    for word in ids:
        counts[word] += 1
    return counts

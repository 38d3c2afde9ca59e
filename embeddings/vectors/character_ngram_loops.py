"""Compiled loops of `embeddings.vectors.character_ngrams`: n-grams of many words counted and hashed, and their rows added up."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_BASIS, _PRIME = np.uint64(2166136261), np.uint64(16777619)
_LOW, _SIGN = np.uint64(0xFFFFFFFF), np.uint64(0xFFFFFF00)


@njit(cache=True, nogil=True)
def _next_character(text: NDArray[np.uint8], at: int, end: int) -> int:
    """Where the character after the one at ``at`` begins."""
    at += 1
    while at < end and text[at] & 0xC0 == 0x80:
        at += 1
    return at


@njit(cache=True, nogil=True)
def count_ngrams(
    text: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    min_n: int,
    max_n: int,
    counts: NDArray[np.int64],
) -> None:
    """Write how many n-grams each word has.

    Parameters
    ----------
    text : NDArray of uint8
        Words between < and >, one behind the other, in UTF-8.
    bounds : NDArray of int64, shape (words + 1,)
        Where each begins and the last ends.
    min_n, max_n : int
        Shortest and longest in characters.
    counts : NDArray of int64, shape (words,)
        Written.
    """
    for word in range(counts.size):
        length = 0
        at = bounds[word]
        while at < bounds[word + 1]:
            at = _next_character(text, at, bounds[word + 1])
            length += 1
        counts[word] = 0
        for size in range(min_n, min(max_n, length) + 1):
            counts[word] += max(0, length - 2) if size == 1 else length - size + 1


@njit(cache=True, nogil=True)
def hash_ngrams(
    text: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    min_n: int,
    max_n: int,
    bucket: int,
    out: NDArray[np.int32],
) -> None:
    """Write the bucket of each n-gram, word by word; arguments as `count_ngrams`, the hash as `ngram_bucket`."""
    at = 0
    for word in range(bounds.size - 1):
        begin, end = bounds[word], bounds[word + 1]
        first = begin
        while first < end:
            state = _BASIS
            size = 0
            here = first
            while here < end and size < max_n:
                stop = _next_character(text, here, end)
                for place in range(here, stop):
                    byte = np.uint64(text[place])
                    if byte >= np.uint64(128):
                        byte |= _SIGN
                    state = ((state ^ byte) * _PRIME) & _LOW
                size += 1
                here = stop
                is_mark = size == 1 and (first == begin or here == end)
                if size >= min_n and not is_mark:
                    out[at] = np.int32(state % np.uint64(bucket))
                    at += 1
            first = _next_character(text, first, end)


@njit(cache=True, nogil=True)
def add_rows(
    table: NDArray[np.float32],
    rows: NDArray[np.int64],
    offsets: NDArray[np.int64],
    matrix: NDArray[np.float32],
) -> None:
    """Add to row w of ``matrix`` the rows ``rows[offsets[w]:offsets[w + 1]]`` of ``table``, in place, in this order."""
    for word in range(offsets.size - 1):
        for at in range(offsets[word], offsets[word + 1]):
            for d in range(matrix.shape[1]):
                matrix[word, d] += table[rows[at], d]

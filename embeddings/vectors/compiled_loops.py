"""Compiled loops of `embeddings.vectors`: numbers parsed out of text, products of rows of one or two bytes a number, n-grams of words.

`embeddings.vectors.formats.parsing` says what the first reads, `embeddings.vectors.cosine_search` what the second is for; the
n-grams of many words are hashed, and their rows added up, for `embeddings.vectors.character_ngrams`. All import this module only
when they need it: numba takes a quarter of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, njit, types
from numpy.typing import NDArray

from embeddings.arrays import Bytes, Float32s, Float64s, Int32s, Int64s

_FAST = {"reassoc", "contract", "nsz"}  # sums in any order, many numbers at a time

POWERS: Float64s = np.power(10.0, np.arange(309)).astype(np.float64)


@njit(cache=True, nogil=True)
def _digits(data: Bytes, at: int, end: int) -> tuple[int, int, int, int]:
    """Digits with at most one point: mantissa (18 digits are exact), power of ten, count, end."""
    mantissa, digits, scale, point = 0, 0, 0, False
    while at < end:
        digit = data[at] - 48
        if 0 <= digit <= 9:
            digits += 1
            if mantissa < 100_000_000_000_000_000:
                mantissa = mantissa * 10 + digit
                scale -= point
            else:
                scale += not point
        elif data[at] == 46 and not point:
            point = True
        else:
            break
        at += 1
    return mantissa, scale, digits, at


@njit(cache=True, nogil=True)
def _number(data: Bytes, at: int, end: int, powers: Float64s) -> tuple[float, int]:
    """Value of the number at ``at`` and where it ends; NaN if there is none.

    The power of ten is applied once, in float64, so that nine digits give back their float32.
    """
    negative = at < end and data[at] == 45
    at += at < end and (data[at] == 45 or data[at] == 43)
    mantissa, scale, digits, at = _digits(data, at, end)
    if at < end and (data[at] == 101 or data[at] == 69):
        at += 1
        sign = -1 if at < end and data[at] == 45 else 1
        at += at < end and (data[at] == 45 or data[at] == 43)
        exponent, first = 0, at
        while at < end and 48 <= data[at] <= 57:
            exponent = min(exponent * 10 + data[at] - 48, 100_000)
            at += 1
        scale += sign * exponent
        digits *= at > first
    if digits == 0:
        return np.nan, at
    value = -float(mantissa) if negative else float(mantissa)
    if scale > 0:
        return (value * powers[min(scale, 308)] if mantissa else value), at
    return (value / powers[-scale] if scale >= -308 else value * 0.0), at


@njit(cache=True, nogil=True)
def _line(data: Bytes, start: int, fields: int) -> tuple[int, int, int]:
    """Line end, end of the text, and the ``fields``-th space from the end (-1: too few)."""
    line_end = start
    while data[line_end] != 10:
        line_end += 1
    end = line_end
    end -= end > start and data[end - 1] == 13
    end -= end > start and data[end - 1] == 32
    at, spaces = end, 0
    while at > start and spaces < fields:
        at -= 1
        spaces += data[at] == 32
    return line_end, end, (at if spaces == fields else -1)


@njit(cache=True, nogil=True)
def parse(data: Bytes, out: Float32s, bounds: Int64s, powers: Float64s) -> int:
    """Do what `embeddings.vectors.formats.parsing.parse_rows` does."""
    size, start = out.shape[1], 0
    for row in range(out.shape[0]):
        line_end, end, at = _line(data, start, size)
        if at < 0:
            return row
        bounds[row, 0] = start
        bounds[row, 1] = at
        at += 1
        for column in range(size):
            value, at = _number(data, at, end, powers)
            out[row, column] = value
            closed = at == end if column == size - 1 else at < end and data[at] == 32
            if not closed or not np.isfinite(out[row, column]):
                return row
            at += 1
        start = line_end + 1
    return len(out)


def intrinsic(function: Callable[..., Any]) -> Any:
    """`numba.extending.intrinsic`, whose result is called with the arguments after ``typing``."""
    return extending.intrinsic(function)


@intrinsic
def _half(typing: Any, bits: Any) -> Any:  # noqa: ARG001
    """Return the number that the 16 bits of a float16 stand for."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        """Let the processor widen it."""
        return builder.fpext(builder.bitcast(values[0], ir.HalfType()), ir.FloatType())

    return types.float32(types.uint16), generate


@njit(cache=True, nogil=True, fastmath=_FAST)
def product_of_halves(rows: NDArray[np.uint16], query: Float32s, out: Float32s) -> None:
    """Write each row's product with the query; ``rows`` are the bits of float16 numbers."""
    for row in range(rows.shape[0]):
        total = np.float32(0)
        for column in range(rows.shape[1]):
            total += _half(rows[row, column]) * query[column]
        out[row] = total


@njit(cache=True, nogil=True, fastmath=_FAST)
def product_of_bytes(rows: NDArray[np.int8], query: Float32s, out: Float32s) -> None:
    """Write each row's product with the query, without its scale."""
    for row in range(rows.shape[0]):
        total = np.float32(0)
        for column in range(rows.shape[1]):
            total += np.float32(rows[row, column]) * query[column]
        out[row] = total


_BASIS, _PRIME = np.uint64(2166136261), np.uint64(16777619)
_LOW, _SIGN = np.uint64(0xFFFFFFFF), np.uint64(0xFFFFFF00)


@njit(cache=True, nogil=True)
def _next_character(text: Bytes, at: int, end: int) -> int:
    """Where the character after the one at ``at`` begins."""
    at += 1
    while at < end and text[at] & 0xC0 == 0x80:
        at += 1
    return at


@njit(cache=True, nogil=True)
def hash_ngrams(
    text: Bytes, bounds: Int64s, min_n: int, max_n: int, bucket: int
) -> tuple[Int64s, Int32s]:
    """Return where the n-grams of each word begin and the last end, and the bucket of each n-gram.

    They are hashed as by `embeddings.vectors.character_ngrams.ngram_bucket`.

    Parameters
    ----------
    text : NDArray of uint8
        Words between < and >, one behind the other, in UTF-8.
    bounds : NDArray of int64, shape (words + 1,)
        Where each begins and the last ends.
    min_n, max_n : int
        Shortest and longest in characters.
    bucket : int
        Number of buckets.
    """
    out = np.empty(text.size * (max_n - min_n + 1), np.int32)
    offsets = np.zeros(bounds.size, np.int64)
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
        offsets[word + 1] = at
    return offsets, out[:at].copy()


@njit(cache=True, nogil=True)
def add_rows(table: Float32s, rows: Int64s, offsets: Int64s, matrix: Float32s) -> None:
    """Add to row w of ``matrix`` the rows ``rows[offsets[w]:offsets[w + 1]]`` of ``table``, in place, in this order."""
    for word in range(offsets.size - 1):
        for at in range(offsets[word], offsets[word + 1]):
            for d in range(matrix.shape[1]):
                matrix[word, d] += table[rows[at], d]

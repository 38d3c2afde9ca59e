"""Decimal numbers out of bytes in plain Python, and by the compiled loop that tests hold to it.

Both read lines of ``word n1 ... nD`` (or ``n1 ... nD``): the line end and one space before it are
dropped, fields are split at one separator only, the last D fields are the numbers.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
SPACE, TAB = 32, 9


def strip_end(line: bytes, separator: int) -> bytes:
    """Drop the line end and, where fields stand between spaces, the one space before it."""
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    return line.removesuffix(b" ") if separator == SPACE else line


def parse_plain(
    data: bytes,
    separator: int,
    has_word: bool,
    out: NDArray[np.float32],
    bounds: NDArray[np.int64],
) -> int:
    """Read lines into ``out`` and ``bounds``; return how many there are before the first bad one.

    Parameters
    ----------
    data : bytes
        Whole lines, each ending in a line feed.
    separator : int
        32 (space) or 9 (tab).
    has_word : bool
        Whether a word stands before the numbers; it may hold separators.
    out : NDArray of float32, shape (lines, vector_size)
        Receives the numbers.
    bounds : NDArray of int64, shape (lines, 2)
        Receives where each word starts and ends in ``data``.
    """
    size, start = out.shape[1], 0
    for row, line in enumerate(data.split(b"\n", len(out))[: len(out)]):
        text = strip_end(line, separator)
        fields = text.rsplit(bytes([separator]), size if has_word else -1)
        numbers = fields[1:] if has_word else fields
        if len(numbers) != size or not all(NUMBER.fullmatch(number) for number in numbers):
            return row
        with np.errstate(over="ignore"):
            out[row] = np.array([float(number) for number in numbers])
        if not np.isfinite(out[row]).all():
            return row
        bounds[row] = start, start + (len(fields[0]) if has_word else 0)
        start += len(line) + 1
    return len(out)


def parse_compiled(
    data: bytes,
    separator: int,
    has_word: bool,
    out: NDArray[np.float32],
    bounds: NDArray[np.int64],
) -> int:
    """Do what `parse_plain` does, some ten times as fast."""
    # Numba takes a quarter of a second to import, so only files that are worth it do.
    from embeddings.vectors.formats.compiled import POWERS, parse

    codes = np.frombuffer(data, dtype=np.uint8)
    return int(parse(codes, separator, has_word, out, bounds, POWERS))

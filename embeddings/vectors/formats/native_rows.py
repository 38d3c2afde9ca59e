"""Words and rows written into a native folder block by block: memory holds a block and the words, never the table.

``vectors.safetensors`` begins with room for its header, which is written last, when the number of rows is known. Past
`LOOKUP_PAST` words ``lookup.safetensors`` is stored too: ``starts`` (int64), where each line of ``words.txt`` begins; ``order``
(int32), the words by their folded spelling; ``inverse_norms`` (float32), one over the length of each row; ``counts`` (int64) where
they are known. With it a vocabulary is opened without being read.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from embeddings.arrays import Float32s, Floats, Int32s, Int64s, slices
from embeddings.errors import FormatError, clause
from embeddings.vectors.formats.parsing import check_letters
from embeddings.vectors.vector_rows import inverse_lengths
from embeddings.vectors.word_list import fold_order

VECTORS, WORDS, LOOKUP = "vectors.safetensors", "words.txt", "lookup.safetensors"
DTYPES = ("int8", "float16", "float32")
Dtype = Literal["int8", "float16", "float32"]
LOOKUP_PAST = 100_000  # words past which a vocabulary stays in its file
HEADER = 320  # bytes before the first row
LINES_AT_A_TIME = 1 << 16  # words that are written at one time
_CODES = {"int8": "I8", "float16": "F16", "float32": "F32"}
_BYTES = {"I8": 1, "F16": 2, "F32": 4, "I32": 4}


def pack_rows(
    rows: Floats, dtype: str, path: Path, name_of: Callable[[int], str], first: int = 1
) -> dict[str, NDArray[np.generic]]:
    """Return rows as float16 or float32, or as int8 in [-127, 127] with the scale of each row.

    Parameters
    ----------
    rows : NDArray, shape (rows, vector_size)
    dtype : {"int8", "float16", "float32"}
    path : Path
        What a refusal speaks of.
    name_of : callable
        Gives the word of a row.
    first : int, default 1
        Line of the first row.

    Raises
    ------
    FormatError
        If a number is not finite, or too large for float16.
    """
    matrix = np.asarray(rows, dtype=np.float32)
    peaks = np.maximum(matrix.max(axis=1, initial=0), -matrix.min(axis=1, initial=0))
    limit = np.finfo(np.float16 if dtype == "float16" else np.float32).max
    bad = np.flatnonzero(~(peaks <= limit))
    if len(bad):
        row = int(bad[0])
        value = matrix[row][np.abs(matrix[row]).argmax()]
        raise FormatError(
            "vectors_number", path=path, line=first + row, word=name_of(row), value=value
        )
    if dtype != "int8":
        return {"vectors": np.ascontiguousarray(matrix, dtype=dtype)}
    scale = (peaks / 127).astype(np.float32)
    whole = np.rint(matrix / np.where(scale > 0, scale, 1)[:, None])
    return {"vectors": np.clip(whole, -127, 127).astype(np.int8), "scale": scale}


def word_lines(words: Sequence[str], counts: Int64s | None) -> bytes:
    """Return ``word<TAB>count`` lines, ``word`` alone where counts are not known, in UTF-8."""
    lines = words
    if counts is not None:
        lines = [f"{word}\t{count}" for word, count in zip(words, counts.tolist(), strict=True)]
    return ("\n".join(lines) + "\n").encode()


def _inverse_norms(packed: dict[str, NDArray[np.generic]]) -> Float32s:
    """Return one over the length of each row as it will be read, 0 for a zero row."""
    rows = packed["vectors"].astype(np.float32, copy=False)
    if "scale" in packed:
        rows = rows * cast("Float32s", packed["scale"])[:, None]
    return inverse_lengths(rows)


def _header(shapes: Mapping[str, tuple[str, list[int]]]) -> bytes:
    """Return the first `HEADER` bytes of a safetensors file of arrays, kind of number and shape of each, in the order of the file."""
    tensors: dict[str, object] = {}
    end = 0
    for name, (code, shape) in shapes.items():
        start, end = end, end + math.prod(shape) * _BYTES[code]
        tensors[name] = {"dtype": code, "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(tensors, separators=(",", ":")).encode()
    return struct.pack("<Q", HEADER - 8) + text.ljust(HEADER - 8)


def write_ngram_rows(
    blocks: Iterator[Float32s], buckets: Int32s, vector_size: int, dtype: Dtype, path: Path
) -> None:
    """Write the rows of n-grams, a block at a time, and the bucket of each.

    Raises
    ------
    FormatError
        As `pack_rows`.
    """
    size = len(buckets)
    shapes = {"vectors": (_CODES[dtype], [size, vector_size])}
    if dtype == "int8":
        shapes["scale"] = ("F32", [size])
    shapes["buckets"] = ("I32", [size])
    scales: list[Float32s] = []
    row = 0
    with path.open("wb") as file:
        file.write(_header(shapes))
        for block in blocks:
            first = row
            packed = pack_rows(block, dtype, path, lambda at: f"n-gram {first + at}", first)  # noqa: B023 - called at once
            file.write(np.ascontiguousarray(packed["vectors"]).data)
            if "scale" in packed:
                scales.append(cast("Float32s", packed["scale"]))
            row += len(block)
        for scale in scales:
            file.write(scale.data)
        file.write(np.ascontiguousarray(buckets, np.int32).data)


class RowWriter:
    """Writes ``vectors.safetensors``, ``words.txt`` and, of a large vocabulary, ``lookup.safetensors``.

    The files are whole after the ``with`` block, if it ends without an error.

    Parameters
    ----------
    folder : Path
        Under construction, empty.
    shown : Path
        What a refusal speaks of.
    vector_size : int
    dtype : {"int8", "float16", "float32"}
    first : int, default 1
        Line of the first row in the source.
    """

    def __init__(
        self, folder: Path, shown: Path, vector_size: int, dtype: Dtype, first: int = 1
    ) -> None:
        self._folder, self._shown, self._first = folder, shown, first
        self._size, self._dtype = vector_size, dtype
        self.words: list[str] = []
        self.is_lower = True
        self._scales = [np.zeros(0, np.float32)]
        self._norms = [np.zeros(0, np.float32)]
        self._counts = [np.zeros(0, np.int64)]

    def __enter__(self) -> Self:
        self._file = (self._folder / VECTORS).open("wb")
        self._file.write(bytes(HEADER))
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._file:
            if kind is None:
                self._finish()

    def add(self, words: Sequence[str], rows: Floats, counts: Int64s | None = None) -> None:
        """Write a block of words that no earlier one has.

        Raises
        ------
        FormatError
            If a word is empty or holds a tab or line end; if a number cannot be kept.
        """
        line, joined = self._first + len(self.words), "\n".join(words)
        if not all(words) or "\t" in joined or joined.count("\n") != len(words) - 1:
            check_letters(words, self._shown, line, "\t\n", clause("leave_out"))
        self.is_lower = self.is_lower and joined == joined.lower()
        packed = pack_rows(rows, self._dtype, self._shown, words.__getitem__, line)
        self._file.write(np.ascontiguousarray(packed["vectors"]).data)
        if "scale" in packed:
            self._scales.append(cast("Float32s", packed["scale"]))
        self._norms.append(_inverse_norms(packed))
        self._counts += [] if counts is None else [counts]
        self.words += words

    def _finish(self) -> None:
        """Write scales and header, the words, and what finds a word among many."""
        words, counts = self.words, np.concatenate(self._counts)
        shapes = {"vectors": (_CODES[self._dtype], [len(words), self._size])}
        if self._dtype == "int8":
            shapes["scale"] = ("F32", [len(words)])
            self._file.write(np.concatenate(self._scales).data)
        self._file.seek(0)
        self._file.write(_header(shapes))
        is_counted = len(counts) == len(words)  # of some words they may not be known
        with (self._folder / WORDS).open("wb") as file:
            for part in slices(len(words), LINES_AT_A_TIME):
                file.write(word_lines(words[part], counts[part] if is_counted else None))
        if len(words) > LOOKUP_PAST:
            self._write_lookup(words, counts if is_counted else None)

    def _write_lookup(self, words: Sequence[str], counts: Int64s | None) -> None:
        """Write where words stand, their order, and the lengths of rows."""
        text = np.fromfile(self._folder / WORDS, np.uint8)
        starts = np.concatenate([[0], np.flatnonzero(text == ord("\n")) + 1]).astype(np.int64)
        tensors: dict[str, NDArray[np.generic]] = {
            "starts": starts,
            "order": fold_order(words),
            "inverse_norms": np.concatenate(self._norms),
        }
        if counts is not None:
            tensors["counts"] = counts
        save_file(tensors, self._folder / LOOKUP)

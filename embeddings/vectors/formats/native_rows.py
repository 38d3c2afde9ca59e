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
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, cast

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from embeddings.errors import FormatError
from embeddings.vectors.formats.parsing import check_letters
from embeddings.vectors.table import inverse_lengths
from embeddings.vectors.word_list import fold_order

VECTORS, WORDS, LOOKUP = "vectors.safetensors", "words.txt", "lookup.safetensors"
DTYPES = ("int8", "float16", "float32")
Dtype = Literal["int8", "float16", "float32"]
LOOKUP_PAST = 100_000  # words past which a vocabulary stays in its file
HEADER = 320  # bytes before the first row
MOVED = 1 << 12  # rows that are moved at one time
_CODES = {"int8": "I8", "float16": "F16", "float32": "F32"}
_BYTES = {"I8": 1, "F16": 2, "F32": 4, "I32": 4}


def pack_rows(
    rows: NDArray[np.floating],
    dtype: str,
    path: Path,
    name_of: Callable[[int], str],
    first: int = 1,
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


def word_lines(words: Sequence[str], counts: NDArray[np.int64] | None) -> bytes:
    """Return ``word<TAB>count`` lines, ``word`` alone where counts are not known, in UTF-8."""
    lines = words
    if counts is not None:
        lines = [f"{word}\t{count}" for word, count in zip(words, counts.tolist(), strict=True)]
    return ("\n".join(lines) + "\n").encode()


def _inverse_norms(packed: dict[str, NDArray[np.generic]]) -> NDArray[np.float32]:
    """Return one over the length of each row as it will be read, 0 for a zero row."""
    rows = packed["vectors"].astype(np.float32, copy=False)
    if "scale" in packed:
        rows = rows * cast("NDArray[np.float32]", packed["scale"])[:, None]
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
    blocks: Iterator[NDArray[np.float32]],
    buckets: NDArray[np.int32],
    vector_size: int,
    dtype: Dtype,
    path: Path,
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
    scales: list[NDArray[np.float32]] = []
    row = 0
    with path.open("wb") as file:
        file.write(_header(shapes))
        for block in blocks:
            first = row
            packed = pack_rows(block, dtype, path, lambda at: f"n-gram {first + at}", first)  # noqa: B023 - called at once
            file.write(np.ascontiguousarray(packed["vectors"]).data)
            if "scale" in packed:
                scales.append(cast("NDArray[np.float32]", packed["scale"]))
            row += len(block)
        for scale in scales:
            file.write(scale.data)
        file.write(np.ascontiguousarray(buckets, np.int32).data)


@dataclass(frozen=True, slots=True)
class WrittenRows:
    """What was written: ``words`` rows, ``dropped`` ones whose word stood there already, the first of these and its row in the source."""

    words: int
    dropped: int
    first_dropped: str
    first_dropped_row: int
    is_lower: bool


class RowWriter:
    """Writes ``vectors.safetensors``, ``words.txt`` and, of a large vocabulary, ``lookup.safetensors``.

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
        self._scales: list[NDArray[np.float32]] = []
        self._norms: list[NDArray[np.float32]] = []
        self._counts: list[NDArray[np.int64]] = []
        self._rows = 0
        self._is_lower = True
        self._vectors: IO[bytes]
        self._words: IO[bytes]

    @contextmanager
    def open(self) -> Iterator[RowWriter]:
        """Open the files for `add`; `finish` comes after the block."""
        with (
            (self._folder / VECTORS).open("wb") as self._vectors,
            (self._folder / WORDS).open("wb") as self._words,
        ):
            self._vectors.write(bytes(HEADER))
            yield self

    def add(
        self,
        words: Sequence[str],
        rows: NDArray[np.floating],
        counts: NDArray[np.int64] | None = None,
    ) -> None:
        """Write a block.

        Raises
        ------
        FormatError
            If a word is empty or holds a tab or line end; if a number cannot be kept.
        """
        joined = "\n".join(words)
        if not all(words) or "\t" in joined or joined.count("\n") != len(words) - 1:
            line = self._first + self._rows
            check_letters(words, self._shown, line, "\t\n", "Leave it out.")
        self._is_lower = self._is_lower and joined == joined.lower()
        line = self._first + self._rows
        packed = pack_rows(rows, self._dtype, self._shown, words.__getitem__, line)
        self._vectors.write(np.ascontiguousarray(packed["vectors"]).data)
        if "scale" in packed:
            self._scales.append(cast("NDArray[np.float32]", packed["scale"]))
        self._norms.append(_inverse_norms(packed))
        if counts is not None:
            self._counts.append(counts)
        self._words.write(word_lines(words, counts))
        self._rows += len(words)

    def finish(self, words: Sequence[str] | None = None) -> WrittenRows:
        """Drop rows whose word an earlier row has, write the header, and what finds a word among many.

        Parameters
        ----------
        words : sequence of str, optional
            All words that were added, if they are at hand and distinct; else they are read again.
        """
        again: list[int] = []
        if words is None:
            words, again, repeated = self._without_repeated(self._written_words())
            is_counted = self._counts and sum(map(len, self._counts)) == self._rows
            if self._counts and (again or not is_counted):  # of some words they are not known
                self._counts.clear()
                self._write_words(words)
        scale = np.concatenate(self._scales) if self._scales else None
        if self._dtype == "int8" and scale is None:  # a table without words
            scale = np.zeros(0, np.float32)
        norms = np.concatenate([np.zeros(0, np.float32), *self._norms])
        if again:
            keep = np.ones(self._rows, np.bool_)
            keep[again] = False
            self._compact(keep)
            scale, norms = None if scale is None else scale[keep], norms[keep]
        with (self._folder / VECTORS).open("r+b") as file:
            file.truncate(HEADER + len(norms) * self._row_bytes)
            if scale is not None:
                file.seek(0, 2)
                file.write(scale.data)
            file.seek(0)
            file.write(self._header(len(norms)))
        if len(norms) > LOOKUP_PAST:
            self._write_lookup(words, norms)
        first = again[0] if again else 0
        repeated_word = repeated if again else ""
        return WrittenRows(
            len(norms), len(again), repeated_word, self._first + first, self._is_lower
        )

    @property
    def _row_bytes(self) -> int:
        """Bytes of a row."""
        return self._size * np.dtype(self._dtype).itemsize

    def _without_repeated(self, words: list[str]) -> tuple[list[str], list[int], str]:
        """Return distinct words, the rows of the others, and the first word that is repeated; their file is written again."""
        if len(set(words)) == len(words):
            return words, [], ""
        kept: dict[str, int] = {}
        again = [row for row, word in enumerate(words) if kept.setdefault(word, row) != row]
        repeated, words = words[again[0]], list(kept)
        self._write_words(words)
        return words, again, repeated

    def _written_words(self) -> list[str]:
        """Return the words that were written, without their counts."""
        lines = (self._folder / WORDS).read_bytes().decode().removesuffix("\n").split("\n")
        return [line.partition("\t")[0] for line in lines] if self._counts else lines

    def _write_words(self, words: Sequence[str]) -> None:
        """Write words alone, a line each."""
        (self._folder / WORDS).write_bytes(word_lines(words, None))

    def _compact(self, keep: NDArray[np.bool_]) -> None:
        """Move the rows that are kept together; none moves backwards past one that was not read."""
        shape = (len(keep), self._row_bytes)
        rows = np.memmap(
            self._folder / VECTORS, dtype=np.uint8, mode="r+", offset=HEADER, shape=shape
        )
        target = 0
        for start in range(0, len(keep), MOVED):
            block = rows[start : start + MOVED][keep[start : start + MOVED]]
            rows[target : target + len(block)] = block
            target += len(block)
        rows.flush()

    def _header(self, words: int) -> bytes:
        """Return the first `HEADER` bytes of a safetensors file of so many rows."""
        shapes = {"vectors": (_CODES[self._dtype], [words, self._size])}
        if self._dtype == "int8":
            shapes["scale"] = ("F32", [words])
        return _header(shapes)

    def _write_lookup(self, words: Sequence[str], norms: NDArray[np.float32]) -> None:
        """Write where words stand, their order, and the lengths of rows."""
        order = fold_order(words)
        text = np.fromfile(self._folder / WORDS, np.uint8)
        starts = np.concatenate([[0], np.flatnonzero(text == ord("\n")) + 1]).astype(np.int64)
        tensors: dict[str, NDArray[np.generic]] = {
            "starts": starts,
            "order": order,
            "inverse_norms": norms,
        }
        if self._counts:
            tensors["counts"] = np.concatenate(self._counts)
        save_file(tensors, self._folder / LOOKUP)

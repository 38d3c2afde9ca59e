"""The bytes of a vector file, plain or packed; words and decimal numbers out of them; and the checks that all formats share.

What unpacks to far more than vectors ever do is refused while it is being read, and so are rows so short that they would take
many times the memory of the file.

Numbers are parsed by a compiled loop. Words are decoded and checked for what a format cannot hold.
"""

from __future__ import annotations

import gzip
import lzma
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, cast

import numpy as np

from embeddings import archives
from embeddings.arrays import Float32s, Floats, Int64s
from embeddings.errors import Clause, FormatError, clause
from embeddings.files import atomic_file, check_file
from embeddings.vectors.table import Vectors

NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
WHITE = {
    " ": clause("space"),
    "\t": clause("tab"),
    "\n": clause("line_end"),
    "\r": clause("line_end"),
    "\v": clause("tab"),
    "\f": clause("line_end"),
}
CUT_AT = 95  # bytes; the C tool cuts longer words short of 100, sometimes inside a letter
UNICODE_ERRORS = ContextVar("UNICODE_ERRORS", default="strict")
"""What is done with words that are not UTF-8; `embeddings.vectors.formats.read` sets it."""


def strip_end(line: bytes) -> bytes:
    """Drop the line end and the one space before it."""
    return line.removesuffix(b"\n").removesuffix(b"\r").removesuffix(b" ")


def parse_rows(data: bytes, out: Float32s, bounds: Int64s) -> int:
    """Read lines into ``out`` and ``bounds``; return how many there are before the first bad one.

    Parameters
    ----------
    data : bytes
        Whole lines, each ending in a line feed.
    out : NDArray of float32, shape (lines, vector_size)
        Receives the numbers.
    bounds : NDArray of int64, shape (lines, 2)
        Receives where each word starts and ends in ``data``.
    """
    # Numba takes a quarter of a second to import, so only text waits for it.
    from embeddings.vectors.compiled_loops import POWERS, parse

    return int(parse(np.frombuffer(data, dtype=np.uint8), out, bounds, POWERS))


def decode_words(raw: list[bytes], path: Path, first: int) -> list[str]:
    """Words as text; ``first`` is the line of the first of them.

    A letter that the C tool of word2vec cut in two at the end of a long word is dropped.
    """
    try:
        words = b"\n".join(raw).decode().split("\n") if raw else []
        if len(words) == len(raw):
            return words
    except UnicodeDecodeError:
        pass
    errors = UNICODE_ERRORS.get()
    if errors != "strict":
        return [word.decode(errors=errors) for word in raw]
    return [_decode(word, path, first + row) for row, word in enumerate(raw)]


def _decode(raw: bytes, path: Path, line: int) -> str:
    """Decode one word."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        if CUT_AT <= len(raw) <= 100 and error.end == len(raw):
            return raw[: error.start].decode()
        value = raw.decode(errors="backslashreplace")[:40]
        raise FormatError("vectors_utf8", path=path, line=line, value=value) from error


def check_words(words: list[str], vector_size: int, path: Path, first: int) -> None:
    """Raise `FormatError` if a word is empty, or ends in a number as a row with too many of them would.

    ``first`` is the line of the first word.
    """
    if all(words) and not any(" " in word for word in words):
        return
    for row, word in enumerate(words):
        if not word:
            raise FormatError("vectors_word_empty", path=path, line=first + row)
        if " " in word and NUMBER.fullmatch(word.rsplit(" ", 1)[1].encode()):
            fields = vector_size + word.count(" ")
            raise FormatError(
                "vectors_ragged", path=path, line=first + row, found=fields, expected=vector_size
            )


def check_table(vectors: Vectors, path: Path, forbidden: str = "".join(WHITE)) -> None:
    """Raise `FormatError` for a word with a ``forbidden`` letter or a number that is not finite."""
    check_letters(vectors.words, path, 1, forbidden, clause("replace_space"))
    check_finite(vectors.words.__getitem__, vectors.matrix, path, 1)


def check_letters(
    words: Sequence[str], path: Path, first: int, forbidden: str, way_out: Clause
) -> None:
    """Raise `FormatError` for the first word that is empty or has a ``forbidden`` letter."""
    for row, word in enumerate(words):
        letter = next((letter for letter in forbidden if letter in word), "")
        if letter or not word:
            raise FormatError(
                "vectors_word",
                path=path,
                line=first + row,
                word=word,
                forbidden=WHITE.get(letter, clause("letter")),
                way_out=way_out,
            )


def check_finite(name_of: Callable[[int], str], matrix: Floats, path: Path, first: int) -> None:
    """Raise `FormatError` for the first row that holds NaN or infinity; ``name_of`` gives the word of a row."""
    for start in range(0, len(matrix), 65536):
        block = matrix[start : start + 65536]
        good = np.isfinite(block).all(axis=1)
        if good.all():
            continue
        row = start + int(np.argmin(good))
        value = matrix[row][~np.isfinite(matrix[row])][0]
        raise FormatError(
            "vectors_number", path=path, line=first + row, word=name_of(row), value=value
        )


FREE_BYTES = 1 << 26  # what any packed file may unpack to; past that, `RATIO` times its own size
# bytes that the rows of any file may take; past that, so many times its size:
FREE_MEMORY = 1 << 28
PLAIN_TIMES, PACKED_TIMES = 16, 48
ROW = 350  # bytes of a row beside its numbers: the word, twice, and its entries in lists and tables


class VectorFile:
    """A file open for reading: ``read`` gives the unpacked bytes, with sentences for what fails."""

    def __init__(self, path: Path, stream: archives.PackedReader, packed: bool) -> None:
        self.path = path
        self.packed = packed
        self.size = path.stat().st_size
        self._stream = stream

    def read(self, count: int) -> bytes:
        """Read up to ``count`` bytes; fewer only at the end."""
        return self._stream.read(count)


def check_memory(path: Path, rows: int, dimensions: int, *, packed: bool) -> None:
    """Raise `FormatError` if so many rows take more memory than those of a file of its size may."""
    times = PACKED_TIMES if packed else PLAIN_TIMES
    bound = max(FREE_MEMORY, times * path.stat().st_size)
    if rows * (ROW + 4 * dimensions) > bound:
        raise FormatError(
            "vectors_memory", path=path, rows=rows, dimensions=dimensions, bound=bound >> 20
        )


@contextmanager
def reading(path: Path) -> Iterator[VectorFile]:
    """Open a file for reading, unpacking gzip and xz by their first bytes."""
    check_file(path, clause("check_spelling"))
    with path.open("rb") as file:
        packing = archives.packing_of_bytes(file.read(6))
        file.seek(0)
        bound = max(FREE_BYTES, archives.RATIO * path.stat().st_size) if packing else None
        with archives.unpacked(file, packing, path, bound) as stream:
            yield VectorFile(path, stream, packed=bool(packing))


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing, packed as its suffix says (.gz, .xz), whole or not at all."""
    with atomic_file(path) as temporary:
        if path.suffix == ".gz":
            with temporary.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                yield cast("IO[bytes]", packed)
        elif path.suffix == ".xz":
            with lzma.open(temporary, "wb", preset=6) as packed_xz:
                yield cast("IO[bytes]", packed_xz)
        else:
            with temporary.open("wb") as plain:
                yield plain

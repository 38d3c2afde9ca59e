"""Vectors as text: word2vec (header "rows dimensions"), GloVe (no header), fastText .vec.

Read as in the field: line end stripped and nothing else, fields split at single spaces (a no-break
space belongs to its word), the last D fields are the numbers, the first of two equal words is kept.
Numbers are written with nine digits, which give every float32 back.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from embeddings.arrays import Float32s, Int64s, slices
from embeddings.errors import FormatError
from embeddings.results import Value
from embeddings.vectors.formats import parsing
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from embeddings.vectors.character_ngrams import Subwords

BYTES_AT_A_TIME = 1 << 22
SLICE = 1 << 12  # rows whose words are cut out at a time
LONGEST_LINE = 1 << 22
MOST_DIMENSIONS = 1 << 16
WHOLE = re.compile(rb"[+-]?[0-9]+")
log = logging.getLogger(__name__)
Counts = Int64s | None


class RowBlock(Value):
    """Words as written in a file, their rows, float32, shape (words, vector_size), and their counts where the file has them."""

    words: list[bytes]
    rows: Float32s
    counts: Int64s | None = None


class RowStream(Value):
    """An open file of vectors: ``blocks`` are its rows in order; ``first`` is the line of the first row.

    ``method`` is how they were trained where the format says so; ``subwords`` are the vectors of n-grams that it holds besides.
    Rows without a word are left out of a binary file, and are an error in any other.
    """

    vector_size: int
    first: int
    blocks: Iterator[RowBlock]
    method: str = ""
    subwords: Subwords | None = None
    is_binary: bool = False


@contextmanager
def open_text(path: Path) -> Iterator[RowStream]:
    """Open word2vec text, GloVe text or fastText .vec as blocks of rows; whether there is a header is found out.

    Parameters
    ----------
    path : Path
        Plain, gzip or xz.

    Raises
    ------
    FormatError
        When it is met, naming file, line and value: a header that does not fit, a ragged row, a number that is not one or not finite.
    """
    with parsing.reading(path) as source:
        head = source.read(BYTES_AT_A_TIME).removeprefix(b"\xef\xbb\xbf")
        if not head.strip():
            raise FormatError("vectors_empty", path=path)
        if (claim := header(head)) is None:
            _check_no_header(path, head)
            size = guess_size(head)
            yield RowStream(size, 1, row_blocks(source, head, size, None))
        else:
            size = check_claim(source, *claim, row_bytes=2 * claim[1] + 2)
            head = head[head.index(b"\n") + 1 :]
            yield RowStream(size, 2, row_blocks(source, head, size, claim[0]))


def write_text(vectors: Vectors, path: Path, *, header: bool = True, end: str = "\n") -> None:
    """Write one ``word n1 ... nD`` a line, after ``rows dimensions`` if ``header``.

    A word with white space is refused, since no reader could tell it from two.
    """
    parsing.check_table(vectors, path)
    form = " ".join(["%.9g"] * vectors.vector_size) + end
    with parsing.writing(path) as file:
        if header:
            file.write(f"{len(vectors)} {vectors.vector_size}\n".encode())
        for part in slices(len(vectors), 1024):
            rows = np.asarray(vectors.matrix[part], dtype=np.float32).tolist()
            pairs = zip(vectors.words[part], rows, strict=True)
            file.write("".join(f"{word} {form % tuple(row)}" for word, row in pairs).encode())


def header(head: bytes) -> tuple[int, int] | None:
    """Rows and dimensions that the first line claims; None if it is no header."""
    fields = parsing.strip_end(head.split(b"\n", 1)[0]).split(b" ")
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 19 for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def _check_no_header(path: Path, head: bytes) -> None:
    """Refuse a first line that is meant as a header and holds a sign or a number too large."""
    first, _, rest = head.partition(b"\n")
    fields = parsing.strip_end(first).split(b" ")
    second = parsing.strip_end(rest.split(b"\n", 1)[0])
    if len(fields) == 2 and all(map(WHOLE.fullmatch, fields)) and second.count(b" ") > 1:
        raise FormatError("vectors_header_value", path=path, value=b" ".join(fields).decode()[:60])


def check_claim(source: parsing.VectorFile, rows: int, dimensions: int, row_bytes: int) -> int:
    """Return the dimensions if the file is large enough for ``rows`` of ``row_bytes`` at least."""
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise FormatError(
            "vectors_dimensions", path=source.path, value=dimensions, high=MOST_DIMENSIONS
        )
    if rows == 0:
        raise FormatError("vectors_empty", path=source.path)
    if not source.packed and rows * row_bytes > source.size + 1:
        raise FormatError(
            "vectors_claim", path=source.path, rows=rows, dimensions=dimensions, size=source.size
        )
    return dimensions


def guess_size(head: bytes) -> int:
    """Dimensions of a file without a header: what most of its first hundred lines have."""
    lines = head.split(b"\n", 101)
    complete = lines[:-1] if len(lines) > 1 else lines
    counts = Counter(parsing.strip_end(line).count(b" ") for line in complete[:100])
    size = max(counts, key=lambda count: (counts[count], -count))
    return min(max(size, 1), MOST_DIMENSIONS)


class CleanRows:
    """The rows of a stream as a table takes them: words as text, of equal ones the first, every number finite.

    Iterating gives words, rows, and counts where they are known, block by block.

    Attributes
    ----------
    dropped : int
        Rows left out so far: of a word that stood there already, and those without a word in a binary file.

    Raises
    ------
    FormatError
        Naming file, line and value: a number that is not finite, a word that is not UTF-8 or is empty; no row at all.
    """

    def __init__(self, stream: RowStream, path: Path) -> None:
        self._stream, self._path = stream, path
        self._lines: dict[str, int] = {}
        self.dropped = 0

    def __iter__(self) -> Iterator[tuple[list[str], Float32s, Counts]]:
        line, path, first = self._stream.first, self._path, (0, "")
        for block in self._stream.blocks:
            words = parsing.decode_words(block.words, path, line)
            rows, counts = block.rows, block.counts
            parsing.check_finite(words.__getitem__, rows, path, line)
            named = [word or "-" for word in words] if self._stream.is_binary else words
            parsing.check_words(named, self._stream.vector_size, path, line)
            lines = range(line, line + len(words))
            is_new = [
                word != "" and self._lines.setdefault(word, number) == number
                for word, number in zip(words, lines, strict=True)
            ]
            if not all(is_new):
                again = is_new.index(False)
                first = first if self.dropped else (lines[again], words[again])
                self.dropped += is_new.count(False)
                words = [word for word, new in zip(words, is_new, strict=True) if new]
                rows, counts = rows[is_new], None
            line = lines.stop
            yield words, rows, counts
        if not self._lines:
            raise FormatError("vectors_empty", path=path)
        if self.dropped:
            log.warning(
                "%s, line %d: the word “%s” stands there again or is empty; of each word the first "
                "row was kept, %d rows were dropped.",
                path,
                *first,
                self.dropped,
            )


def collect(stream: RowStream, path: Path) -> Vectors:
    """Return the table of all rows of a stream; memory grows with what was read, never with what was claimed.

    Raises
    ------
    FormatError
        As `CleanRows`.
    """
    clean = CleanRows(stream, path)
    names: list[str] = []
    counts = [np.zeros(0, np.int64)]
    matrix = np.empty((0, stream.vector_size), dtype=np.float32)
    for words, rows, known in clean:
        size = len(names) + len(words)
        if size > len(matrix):
            grown = size if not len(matrix) else max(size, len(matrix) + len(matrix) // 2)
            matrix.resize((grown, stream.vector_size), refcheck=False)
        matrix[len(names) : size] = rows
        names += words
        counts += [] if known is None else [known]
    matrix.resize((len(names), stream.vector_size), refcheck=False)
    vectors = Vectors(names, matrix, name=path.name.split(".")[0], method=stream.method)
    vectors.subwords, vectors.dropped = stream.subwords, clean.dropped
    if sum(map(len, counts)) == len(names):
        vectors.counts = np.concatenate(counts)
    return vectors


def first_rows(blocks: Iterator[RowBlock], limit: int | None) -> Iterator[RowBlock]:
    """Yield the blocks of the first ``limit`` rows, or all; what follows them is not read."""
    left = limit
    for block in blocks:
        counts = None if block.counts is None else block.counts[:left]
        yield RowBlock(block.words[:left], block.rows[:left], counts)
        if left is not None and (left := left - len(block.words)) <= 0:
            return


def row_blocks(
    source: parsing.VectorFile, head: bytes, size: int, claimed: int | None
) -> Iterator[RowBlock]:
    """Yield all rows of ``size`` numbers, block by block; ``claimed`` are those of the header, if there is one.

    Raises
    ------
    FormatError
        Naming the line that cannot be read; behind the last block, if there are not as many rows as the header claims.
    """
    block, more, total, last = head, True, 0, b""
    while block or more:
        block, more = _whole_lines(source, block, more)
        cut = block.rfind(b"\n") + 1
        count = block.count(b"\n")
        parsing.check_memory(source.path, total + count, size, packed=source.packed)
        rows = np.empty((count, size), np.float32)
        bounds = np.empty((count, 2), dtype=np.int64)
        done = parsing.parse_rows(block[:cut], rows, bounds)
        words: list[bytes] = []
        for part in slices(done, SLICE):
            words += [block[start:end] for start, end in bounds[part].tolist()]
        total, last = total + done, words[-1] if words else last
        if words:
            yield RowBlock(words, rows[:done])
        if done < count:
            line = total + (1 if claimed is None else 2)
            _explain(source, block.split(b"\n", done)[done], line, size)
            break  # only blank lines were left
        block = block[cut:]
    if claimed is not None:
        _check_rows(source.path, total, last, claimed)


def _whole_lines(source: parsing.VectorFile, block: bytes, more: bool) -> tuple[bytes, bool]:
    """Add to a block until it holds a whole line; the last line gets its line feed."""
    while more and b"\n" not in block:
        if len(block) > LONGEST_LINE:
            raise FormatError("vectors_line_long", path=source.path, size=LONGEST_LINE)
        piece = source.read(BYTES_AT_A_TIME)
        more = bool(piece)
        block += piece
    if not more and block and not block.endswith(b"\n"):
        block += b"\n"
    return block, more


def _explain(source: parsing.VectorFile, rest: bytes, at: int, size: int) -> None:
    """Raise what is wrong with the first line of ``rest``; return if only blank lines follow."""
    if not rest.strip() and not source.read(BYTES_AT_A_TIME).strip():
        return
    line: dict[str, object] = {"path": source.path, "line": at}
    text = parsing.strip_end(rest.split(b"\n", 1)[0])
    first_field, *numbers = text.split(b" ")
    if text.count(b"\t") >= size:
        raise FormatError("vectors_tabs", **line)
    if len(numbers) < size:
        raise FormatError("vectors_ragged", **line, found=len(numbers), expected=size)
    for field in numbers[-size:]:
        value = field.decode(errors="replace")[:40]
        number = parsing.NUMBER.fullmatch(field)
        if number and np.isfinite(np.float64(field)) and abs(float(field)) < 3.4028235677973366e38:
            continue
        word = first_field.decode(errors="replace")[:40]
        if number or field.lower().lstrip(b"+-") in {b"nan", b"inf", b"infinity"}:
            raise FormatError("vectors_number", **line, word=word, value=value)
        is_number = parsing.NUMBER.fullmatch(field.replace(b",", b"."))
        code = "vectors_comma" if is_number else "vectors_field"
        raise FormatError(code, **line, value=value)


def _check_rows(path: Path, rows: int, last: bytes, claimed: int) -> None:
    """Hold the rows found to the header; GloVe's own header does not count its ``<unk>`` row."""
    rows -= rows == claimed + 1 and last == b"<unk>"
    if rows != claimed:
        raise FormatError("vectors_claim_rows", path=path, claimed=claimed, found=rows)

"""Vectors in binary: word2vec's own form, and a numpy ``.npy`` with its words next to it.

word2vec: "rows dimensions", then a word, a space and D float32 each row, little-endian. The C tool
puts a line feed behind each row, gensim does not; both are read, gensim's is written.
numpy: ``name.npy`` and ``name.txt``, one word a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from embeddings.arrays import slices
from embeddings.errors import FormatError, MissingFileError, clause
from embeddings.files import atomic_file
from embeddings.mapped_files import map_npy
from embeddings.vectors.character_ngrams import LONGEST_WORD
from embeddings.vectors.formats import parsing, text_vectors
from embeddings.vectors.formats.native_folder import read_counted_words
from embeddings.vectors.formats.native_rows import word_lines
from embeddings.vectors.table import Vectors

FLOAT = np.dtype("<f4")
ROWS_PER_READ = 1 << 13  # rows of an array that are read at one time


@contextmanager
def open_npy(path: Path) -> Iterator[text_vectors.RowStream]:
    """Open ``name.npy`` (rows of float16, float32 or float64) and ``name.txt`` as blocks of rows.

    Raises
    ------
    FormatError
        If the array holds objects, is cut short, is no table, or has not one row a word.
    """
    listing = path.with_suffix(".txt")
    if not listing.exists():
        raise MissingFileError(
            "file_missing",
            path=listing,
            way_out=clause("words_of_array"),
        )
    array = map_npy(path)
    if array.ndim != 2 or array.dtype.kind != "f" or not array.shape[1]:
        why = clause("array_shape", type=array.dtype, shape=array.shape)
        raise FormatError("file_unreadable", path=path, reason=why)
    words, counts = read_counted_words(listing)
    if len(words) != len(array):
        raise FormatError("vectors_rows", path=path, words=len(words), rows=len(array))

    def blocks() -> Iterator[text_vectors.RowBlock]:
        for part in slices(len(words), ROWS_PER_READ):
            with np.errstate(over="ignore"):
                rows = np.asarray(array[part]).astype(np.float32)
            raw = [word.encode() for word in words[part]]
            yield text_vectors.RowBlock(raw, rows, None if counts is None else counts[part])

    yield text_vectors.RowStream(int(array.shape[1]), 1, blocks())


def write_npy(vectors: Vectors, path: Path) -> None:
    """Write ``name.npy`` as float32 and ``name.txt`` with counts, where they are known."""
    parsing.check_table(vectors, path, forbidden="\t\n")
    with atomic_file(path.with_suffix(".txt")) as temporary:
        temporary.write_bytes(word_lines(vectors.words, vectors.counts))
    with atomic_file(path) as temporary, temporary.open("wb") as file:
        np.save(file, np.asarray(vectors.matrix, dtype=np.float32), allow_pickle=False)


@contextmanager
def open_binary(path: Path) -> Iterator[text_vectors.RowStream]:
    """Open word2vec binary as blocks of rows; where text counts lines, error messages count rows.

    Parameters
    ----------
    path : Path
        Plain, gzip or xz.

    Raises
    ------
    FormatError
        When it is met: the header claims more than the file holds, or less.
    """
    with parsing.reading(path) as source:
        head = source.read(text_vectors.BYTES_AT_A_TIME)
        claim = text_vectors.header(head[:64])
        if claim is None:
            raise FormatError("vectors_header", path=path)
        size = text_vectors.check_claim(source, *claim, row_bytes=4 * claim[1] + 2)
        rest = head[head.index(b"\n") + 1 :]
        blocks = _row_blocks(source, rest, claim[0], size)
        yield text_vectors.RowStream(size, 1, blocks, is_binary=True)


def write_binary(vectors: Vectors, path: Path) -> None:
    """Write word2vec binary; a word with white space is refused, as in text."""
    parsing.check_table(vectors, path)
    with parsing.writing(path) as file:
        file.write(f"{len(vectors)} {vectors.vector_size}\n".encode())
        for part in slices(len(vectors), 4096):
            rows = np.asarray(vectors.matrix[part], dtype=FLOAT)
            pairs = zip(vectors.words[part], rows, strict=True)
            file.write(b"".join(f"{word} ".encode() + row.tobytes() for word, row in pairs))


def _row_blocks(
    source: parsing.VectorFile, block: bytes, rows: int, size: int
) -> Iterator[text_vectors.RowBlock]:
    """Yield ``rows`` rows, as many at a time as a block of bytes holds."""
    longest, at, total = 4 * size + LONGEST_WORD + 2, 0, 0
    words: list[bytes] = []
    numbers: list[bytes] = []
    while total < rows:
        if not total % text_vectors.SLICE:
            parsing.check_memory(source.path, total + 1, size, packed=source.packed)
        if len(block) - at < longest:
            if 4 * size * len(words) >= text_vectors.BYTES_AT_A_TIME // 2:
                yield _row_block(words, numbers, size)
                words, numbers = [], []
            block, at = block[at:] + source.read(max(text_vectors.BYTES_AT_A_TIME, longest)), 0
        while block[at : at + 1] == b"\n":
            at += 1
        space = block.find(b" ", at, at + LONGEST_WORD)
        end = space + 1 + 4 * size
        if space < 0 or end > len(block):
            yield _row_block(words, numbers, size)  # all that a caller wants, perhaps
            _refuse_row(source, len(block) - at, longest, rows, total)
        words.append(block[at:space])
        numbers.append(block[space + 1 : end])
        at, total = end, total + 1
    yield _row_block(words, numbers, size)
    if (block[at:] + source.read(2)).strip(b"\n"):
        raise FormatError("vectors_claim_more", path=source.path, claimed=rows)


def _row_block(words: list[bytes], numbers: list[bytes], size: int) -> text_vectors.RowBlock:
    """Put the bytes of rows together."""
    matrix = np.frombuffer(b"".join(numbers), dtype=FLOAT).reshape(len(words), size)
    return text_vectors.RowBlock(words, matrix.astype(np.float32, copy=False))


def _refuse_row(source: parsing.VectorFile, left: int, longest: int, rows: int, read: int) -> None:
    """Raise for a row that does not end: the file is cut short, or what stands there is no word."""
    if left < longest:
        raise FormatError("vectors_claim_rows", path=source.path, claimed=rows, found=read)
    raise FormatError("vectors_word_long", path=source.path, line=read + 1, size=LONGEST_WORD)

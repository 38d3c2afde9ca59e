"""fastText's own ``.bin``: words with their counts, rows of words and of hashed n-grams, and the rows that predict.

Magic number, version, settings; the dictionary, each entry a word, NUL, count and kind; a byte that says whether the matrix is
quantised, rows, columns and float32 numbers: a row a word, then a row a bucket; the same for the rows that predict, which are passed
over. Little-endian. Files of 2016 begin with the settings, and
have neither the byte nor pruned words. It holds no code. Every count is checked against the size of the file before memory is allocated.

References
----------
fastText, fasttext.cc (saveModel), args.cc, dictionary.cc, densematrix.cc.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from embeddings.arrays import Float32s, Int64s, slices
from embeddings.errors import FormatError
from embeddings.vectors.character_ngrams import LONGEST_WORD, MOST_BUCKETS, Subwords
from embeddings.vectors.formats import parsing
from embeddings.vectors.formats.native_folder import MAPPED_PAST
from embeddings.vectors.formats.text_vectors import MOST_DIMENSIONS, RowBlock, RowStream
from embeddings.vectors.table import Vectors

MAGIC = struct.pack("<i", 793712314)
VERSION, VERSIONS = 12, (11, 12)
CBOW, SKIPGRAM, CLASSIFIER = 1, 2, 3  # values of model
NEGATIVE_SAMPLING = 2  # value of loss
LONGEST_NGRAM = 64
LEAST_ENTRY = 10  # bytes of an entry of the dictionary: NUL, count, kind
BYTES_AT_A_TIME = 1 << 16  # bytes read at one time
ROWS_PER_WRITE = 1 << 12  # rows written at one time
COMPOSED = 1 << 14  # words that are composed at one time
FLOAT = np.dtype("<f4")


BOUNDS = {
    "dim": (1, MOST_DIMENSIONS),
    "ws": (1, 1_000),
    "epoch": (1, 100_000),
    "minCount": (0, 1 << 30),
    "neg": (0, 10_000),
    "wordNgrams": (1, 1_000),
    "loss": (1, 3),
    "model": (CBOW, CLASSIFIER),
    "bucket": (0, MOST_BUCKETS),
    "minn": (0, LONGEST_NGRAM),
    "maxn": (0, LONGEST_NGRAM),
    "lrUpdateRate": (1, 1 << 30),
}
"""Least and largest value of each setting, in the order of the file."""
DECISIVE = ("dim", "model", "bucket", "minn", "maxn")  # settings that the vectors depend on


def is_headerless(head: bytes) -> bool:
    """Whether a file begins as fastText wrote it before the magic number: with settings that can be."""
    if len(head) < 60:
        return False
    values = struct.unpack("<12i", head[:48])
    return all(low <= v <= high for v, (low, high) in zip(values, BOUNDS.values(), strict=True))


def _check(path: Path, name: str, value: int, low: int, high: int) -> None:
    """Refuse a number out of its bounds."""
    if not low <= value <= high:
        raise FormatError("fasttext_number", path=path, name=name, value=value, low=low, high=high)


class _Bytes:
    """The bytes of a file in order; one that ends too early is refused."""

    def __init__(self, source: parsing.VectorFile) -> None:
        self.source = source
        self.is_headerless = False  # from before the magic number
        self.at = 0
        self._block = b""
        self._from = 0

    def _hold(self, count: int) -> bool:
        """Read on until the next ``count`` bytes are in memory; False if the file ends before."""
        while (lacks := len(self._block) - self._from < count) and (
            piece := self.source.read(max(BYTES_AT_A_TIME, count))
        ):
            self._block, self._from = self._block[self._from :] + piece, 0
        return not lacks

    def take(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        if not self._hold(count):
            raise FormatError("fasttext_cut", path=self.source.path)
        taken = self._block[self._from : self._from + count]
        self._from += count
        self.at += count
        return taken

    def numbers(self, form: str) -> tuple[int, ...]:
        """Return whole numbers, little-endian, as ``struct`` names them."""
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def word(self, number: int) -> bytes:
        """Return the bytes up to the next NUL."""
        is_held = self._hold(LONGEST_WORD + 1)
        end = self._block.find(b"\0", self._from, self._from + LONGEST_WORD + 1)
        if end >= 0:
            return self.take(end - self._from + 1)[:-1]
        path = self.source.path
        if not is_held:
            raise FormatError("fasttext_cut", path=path)
        raise FormatError("vectors_word_long", path=path, line=number + 1, size=LONGEST_WORD)

    def check_room(self, rows: int, row_bytes: int) -> None:
        """Refuse a claim that the rest of the file cannot hold; of a packed file that shows when it is read."""
        if not self.source.packed and rows * row_bytes > self.source.size - self.at:
            raise FormatError(
                "fasttext_claim",
                path=self.source.path,
                rows=rows,
                bytes=row_bytes,
                size=self.source.size,
            )


@contextmanager
def open_fasttext_binary(path: Path) -> Iterator[RowStream]:
    """Open a model of word vectors as blocks of rows; ``subwords`` of the stream holds the rows of all buckets.

    A word's vector is the mean of its own row and those of its n-grams, as fastText and gensim have it. Rows of buckets that would
    pass 1 GiB stay in the file, memory-mapped, unless it is packed.

    Parameters
    ----------
    path : Path
        Plain, gzip or xz.

    Raises
    ------
    FormatError
        If it is cut short, its counts contradict each other or the size of the file, a number of a bucket is not finite, or it is of
        another version, quantised or a classifier.
    """
    with parsing.reading(path) as source:
        file = _Bytes(source)
        settings = _read_settings(file)
        words, counts = _read_dictionary(file)
        table = _read_matrix(file, settings, len(words))
    subwords = _subwords(settings, table[len(words) :])
    if subwords is not None:
        parsing.check_finite("bucket {}".format, table[len(words) :], path, 1)
    is_counted = bool((counts > 1).any())

    def blocks() -> Iterator[RowBlock]:
        for part in slices(len(words), COMPOSED):
            names = [word.decode(errors="backslashreplace").encode() for word in words[part]]
            rows = table[part].astype(np.float32)
            if subwords is not None:
                with np.errstate(over="ignore"):
                    sizes = subwords.add_sums(words[part], rows) + 1
                rows /= sizes[:, None].astype(np.float32)
            yield RowBlock(names, rows, counts[part] if is_counted else None)

    yield RowStream(table.shape[1], 1, blocks(), "fasttext", subwords, is_binary=True)


def _read_settings(file: _Bytes) -> dict[str, int]:
    """Read magic number, version and settings, and refuse what is no model of word vectors."""
    path = file.source.path
    first, version = file.numbers("2i")
    file.is_headerless = first != struct.unpack("<i", MAGIC)[0]
    if not file.is_headerless and version not in VERSIONS:
        listed = ", ".join(map(str, VERSIONS))
        raise FormatError("fasttext_version", path=path, found=version, choices=listed)
    numbers = (first, version, *file.numbers("10i")) if file.is_headerless else file.numbers("12i")
    settings = dict(zip(BOUNDS, numbers, strict=True))
    file.take(8)  # the threshold of subsampling
    if settings["model"] == CLASSIFIER:
        raise FormatError("fasttext_classifier", path=path)
    for name in DECISIVE:
        _check(path, name, settings[name], *BOUNDS[name])
    return settings


def _read_dictionary(file: _Bytes) -> tuple[list[bytes], Int64s]:
    """Read the words and their counts."""
    path = file.source.path
    size, words, labels, _ = file.numbers("3iq")
    (pruned,) = (0,) if file.is_headerless else file.numbers("q")
    if labels:
        raise FormatError("fasttext_classifier", path=path)
    if pruned > 0:
        raise FormatError("fasttext_quantized", path=path)
    _check(path, "nwords", words, max(1, size), max(1, size))
    file.check_room(words, LEAST_ENTRY)
    raw: list[bytes] = []
    counts: list[int] = []
    for number in range(words):
        raw.append(file.word(number))
        count, kind = file.numbers("qb")
        _check(path, "type", kind, 0, 0)
        _check(path, "count", count, 0, 2**63 - 1)
        counts.append(count)
    return raw, np.array(counts, np.int64)


def _read_matrix(file: _Bytes, settings: dict[str, int], words: int) -> Float32s:
    """Read the rows of words and buckets, and see that the rows that predict have room behind them."""
    path, columns, bucket = file.source.path, settings["dim"], settings["bucket"]
    rows = words + bucket
    (quantized,) = (0,) if file.is_headerless else file.numbers("B")
    if quantized:
        raise FormatError("fasttext_quantized", path=path)
    shape = file.numbers("2q")
    if shape != (rows, columns):
        raise FormatError(
            "fasttext_rows",
            path=path,
            rows=shape[0],
            columns=shape[1],
            words=words,
            bucket=bucket,
            dim=columns,
        )
    file.check_room(rows, 4 * columns)
    size = 4 * rows * columns
    if file.source.packed:  # memory grows with what was read, never with what was claimed
        starts = range(0, size, BYTES_AT_A_TIME)
        pieces = (file.take(min(size - start, BYTES_AT_A_TIME)) for start in starts)
        table = np.frombuffer(b"".join(pieces), FLOAT).reshape(rows, columns)
        return table.astype(np.float32, copy=False)
    mapped = np.memmap(path, FLOAT, "r", offset=file.at, shape=(rows, columns))
    _check_end(file, path, file.at + size)
    return mapped if size > MAPPED_PAST else np.array(mapped, np.float32)


def _check_end(file: _Bytes, path: Path, at: int) -> None:
    """Refuse a file that ends before the rows that predict do, or after them."""
    with path.open("rb") as stream:
        stream.seek(at)
        head = (b"\0" if file.is_headerless else b"") + stream.read(16 + (not file.is_headerless))
    if len(head) < 17:
        raise FormatError("fasttext_cut", path=path)
    if head[0]:
        raise FormatError("fasttext_quantized", path=path)
    rows, columns = struct.unpack("<2q", head[1:])
    behind = at + 17 - file.is_headerless + 4 * rows * columns
    is_whole = rows >= 0 and columns >= 0 and behind == file.source.size
    if not is_whole:
        raise FormatError(
            "fasttext_claim", path=path, rows=rows, bytes=4 * columns, size=file.source.size
        )


def _subwords(settings: dict[str, int], rows: Float32s) -> Subwords | None:
    """Return the rows of buckets; None where a model has no n-grams."""
    shortest = max(1, settings["minn"])  # fastText takes 0 for 1
    if not settings["bucket"] or settings["maxn"] < shortest:
        return None
    return Subwords(shortest, settings["maxn"], settings["bucket"], rows)


def write_fasttext_binary(vectors: Vectors, path: Path) -> None:
    """Write a model that fastText and gensim open: vectors of words, and of any word where the table has n-grams.

    A word's own row is what is left of its vector without its n-grams; a bucket that the table lacks gets zeros. The rows that predict
    are not kept in a table of vectors: they are zeros, so that a training that starts from the file learns them again. Counts that are
    not known are written as 1. A file takes 4 bytes times the vector's size for each word, twice, and for each bucket.
    """
    parsing.check_table(vectors, path, "".join(parsing.WHITE) + "\0")
    subwords, size = vectors.subwords, vectors.vector_size
    bucket, shortest, longest = (
        (subwords.bucket, subwords.min_n, subwords.max_n) if subwords else (0, 0, 0)
    )
    counts = np.ones(len(vectors), np.int64) if vectors.counts is None else vectors.counts
    counts = np.maximum(counts, 1)  # gensim drops a word of count 0
    model = CBOW if vectors.method == "cbow" else SKIPGRAM
    # ws, epoch, minCount, neg, wordNgrams, lrUpdateRate and t are fastText's defaults: they say nothing of the vectors
    numbers = (size, 5, 5, 1, 5, 1, NEGATIVE_SAMPLING, model, bucket, shortest, longest, 100)
    words = [word.encode() for word in vectors.words]
    with parsing.writing(path) as file:
        file.write(MAGIC + struct.pack("<i12id", VERSION, *numbers, 1e-4))
        file.write(struct.pack("<3i2q", len(words), len(words), 0, int(counts.sum()), -1))
        for word, count in zip(words, counts.tolist(), strict=True):
            file.write(word + b"\0" + struct.pack("<qb", count, 0))
        file.write(struct.pack("<?2q", False, len(words) + bucket, size))
        _write_rows(file, vectors, words)
        file.write(struct.pack("<?2q", False, len(words), size))
        for start in range(0, len(words), ROWS_PER_WRITE):
            file.write(bytes(4 * size * min(ROWS_PER_WRITE, len(words) - start)))


def _write_rows(file: IO[bytes], vectors: Vectors, words: list[bytes]) -> None:
    """Write the own rows of words, then those of buckets."""
    subwords = vectors.subwords
    for part in slices(len(words), ROWS_PER_WRITE):
        rows = np.array(vectors.matrix[part], np.float32)
        if subwords:
            sums = np.zeros_like(rows)
            sizes = subwords.add_sums(words[part], sums) + 1
            rows = rows * sizes[:, None].astype(np.float32) - sums
        file.write(rows.astype(FLOAT).tobytes())
    for part in slices(subwords.bucket if subwords else 0, ROWS_PER_WRITE):
        assert subwords is not None
        buckets = np.arange(part.start, part.stop, dtype=np.int32)
        file.write(subwords.take(subwords.find(buckets)).astype(FLOAT).tobytes())

"""Vectors of hashed character n-grams: what a word outside the vocabulary is composed of.

A word stands between < and >; its n-grams of ``min_n`` to ``max_n`` characters are hashed into ``bucket`` buckets, and the mean of their
rows is its vector. A word of the vocabulary has a row of its own besides, and is kept composed in the table of words. Hash, order and
exceptions are those of fastText's program, so that its files mean the same here:

- FNV-1a over bytes that are sign-extended, as that program's are;
- the n-grams of one character leave out < and >;
- ``</s>``, its end of a sentence, has no n-grams.

References
----------
Bojanowski et al. (2017), section 3.2; fastText, dictionary.cc.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Float32s, Int32s, Int64s, bounds_of
from embeddings.errors import FormatError, clause
from embeddings.results import Result, Value


class Ngram(Value):
    """An n-gram of a word, with the < and > that the word stands between.

    ``share``: what its row adds to the word's vector, as a share of the vector's length (its projection on the vector; negative where
    it points the other way); ``is_known`` is False for an n-gram that the training never met, whose row is zeros.
    """

    text: str
    share: float
    is_known: bool = True


class WordParts(Result):
    """What a word's vector is the mean of: the n-grams, and for a word of the vocabulary a row of its own.

    ``is_composed``: the word is outside the vocabulary, so that its vector comes from n-grams alone. ``word_share`` is what the
    n-grams leave: the share of the word's own row, and of n-grams that a shortened model does not keep; 0 for a composed word. It and the
    shares of ``ngrams`` add up to 1. An n-gram that a word has twice counts twice in
    its share and is listed once.
    """

    word: str
    is_composed: bool
    word_share: float
    ngrams: tuple[Ngram, ...]

    def title(self) -> str:
        """Return the word, and whether the vocabulary has it."""
        note = "composed: not in the vocabulary" if self.is_composed else "in the vocabulary"
        return f"{self.word}: {note}"


END_OF_SENTENCE = b"</s>"
LONGEST_WORD = 1 << 12  # bytes of a word in a file of vectors, and of one that is composed
MOST_BUCKETS = 2**31 - 1
NGRAMS_AT_A_TIME = 1 << 20  # n-grams that are held at one time, or a word more


def word_ngrams(word: bytes, min_n: int, max_n: int) -> list[bytes]:
    """Return the n-grams of a word in fastText's order, repeated ones too.

    Parameters
    ----------
    word : bytes
        UTF-8, without < and >.
    min_n, max_n : int
        Shortest and longest in characters.

    Examples
    --------
    >>> word_ngrams(b"cat", 3, 4)
    [b'<ca', b'<cat', b'cat', b'cat>', b'at>']
    """
    if word == END_OF_SENTENCE:
        return []
    text = b"<" + word + b">"
    starts = [at for at, byte in enumerate(text) if byte & 0xC0 != 0x80] + [len(text)]
    last = len(starts) - 1
    return [
        text[starts[first] : starts[first + size]]
        for first in range(last)
        for size in range(min_n, min(max_n, last - first) + 1)
        if size > 1 or 0 < first < last - 1
    ]


def ngram_bucket(ngram: bytes, bucket: int) -> int:
    """Return the bucket of an n-gram: FNV-1a of 32 bits, each byte sign-extended, modulo ``bucket``.

    Examples
    --------
    >>> ngram_bucket(b"", 2**32) == 2166136261
    True
    """
    state = 2166136261
    for byte in ngram:
        state = ((state ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) & 0xFFFFFFFF
    return state % bucket


class WordBuckets(Value):
    """Buckets of the n-grams of many words: those of word w are ``buckets[offsets[w]:offsets[w + 1]]``."""

    offsets: Int64s
    buckets: Int32s

    @classmethod
    def of(cls, words: Sequence[bytes], min_n: int, max_n: int, bucket: int) -> WordBuckets:
        """Hash the n-grams of words, by a compiled loop."""
        # numba takes a quarter of a second to import: one word alone does not wait for it
        from embeddings.vectors.compiled_loops import hash_ngrams

        marked = [b"" if word == END_OF_SENTENCE else b"<" + word + b">" for word in words]
        bounds = bounds_of([len(word) for word in marked])
        text = np.frombuffer(b"".join(marked) or b"\0", np.uint8)
        return cls(*hash_ngrams(text, bounds, min_n, max_n, bucket))


class Subwords(Value):
    """Rows of hashed n-grams.

    Attributes
    ----------
    min_n, max_n : int
        Shortest and longest n-gram in characters, < and > included.
    bucket : int
        Number of buckets that n-grams are hashed into.
    rows : NDArray of float32, float16 or int8, shape (rows, vector_size)
        May be a memory map.
    buckets : NDArray of int32, shape (rows,), optional
        Bucket of each row, rising; a bucket that is not there has a row of zeros. None: row b is that of bucket b.
    scale : NDArray of float32, shape (rows,), optional
        Of int8 rows: a row is its whole numbers times its scale.
    """

    min_n: int
    max_n: int
    bucket: int
    rows: NDArray[np.generic]
    buckets: Int32s | None = None
    scale: Float32s | None = None

    def check(self, vector_size: int, path: object) -> None:
        """Raise `FormatError` unless all fields fit each other and vectors of ``vector_size`` dimensions."""
        size = self.bucket if self.buckets is None else len(self.buckets)
        fits = 1 <= self.min_n <= self.max_n and 1 <= self.bucket <= MOST_BUCKETS
        fits = fits and self.rows.shape == (size, vector_size)
        fits = fits and (self.rows.dtype == np.int8) == (self.scale is not None)
        if self.scale is not None:
            fits = fits and self.scale.shape == (size,)
        if (buckets := self.buckets) is not None:
            inside = (buckets >= 0).all() and (buckets < self.bucket).all()
            rising = buckets.ndim == 1 and (buckets[1:] > buckets[:-1]).all()
            fits = bool(fits and inside and rising)
        if not fits:
            raise FormatError("file_unreadable", path=path, reason=clause("ngrams_other"))

    def find(self, buckets: Int32s) -> Int64s:
        """Return the row of each bucket, -1 where there is none."""
        if self.buckets is None:
            return buckets.astype(np.int64)
        places = np.searchsorted(self.buckets, buckets)
        places[places == len(self.buckets)] = 0
        if not len(self.buckets):
            return np.full(len(buckets), -1, np.int64)
        return np.where(self.buckets[places] == buckets, places, -1).astype(np.int64)

    def take(self, rows: Int64s) -> Float32s:
        """Return rows as float32, shape (rows, vector_size); zeros for -1."""
        vectors = np.zeros((len(rows), self.rows.shape[1]), np.float32)
        known = rows >= 0
        vectors[known] = self.rows[rows[known]].astype(np.float32)
        if self.scale is not None:
            vectors[known] *= self.scale[rows[known], None]
        return vectors

    def ngrams(self, word: str) -> tuple[list[bytes], Int64s]:
        """Return the n-grams of a word and their rows; none for one that is too long."""
        raw = word.encode(errors="replace")
        listed = word_ngrams(raw, self.min_n, self.max_n) if len(raw) <= LONGEST_WORD else []
        buckets = [ngram_bucket(ngram, self.bucket) for ngram in listed]
        return listed, self.find(np.array(buckets, np.int32))

    def compose(self, word: str) -> Float32s | None:
        """Return the mean of the rows of a word's n-grams, shape (vector_size,); None if it has no row among them."""
        _, rows = self.ngrams(word)
        if not (rows >= 0).any():
            return None
        return self.take(rows).sum(axis=0) / np.float32(len(rows))

    def add_sums(self, words: Sequence[bytes], matrix: Float32s) -> Int64s:
        """Add to each row of ``matrix`` the rows of its word's n-grams, in place; return how many n-grams each word has."""
        from embeddings.vectors.compiled_loops import add_rows

        counts = np.zeros(len(words), np.int64)
        for part, block in self._blocks(words):
            rows = self.find(block.buckets)
            counts[part] = np.diff(block.offsets)
            used, places = np.unique(rows, return_inverse=True)
            add_rows(self.take(used), places.astype(np.int64), block.offsets, matrix[part])
        return counts

    def _blocks(self, words: Sequence[bytes]) -> Iterator[tuple[slice, WordBuckets]]:
        """Yield runs of words with their buckets, some `NGRAMS_AT_A_TIME` n-grams at one time."""
        sizes = np.fromiter((len(word) + 2 for word in words), np.int64, len(words))
        bounds = np.cumsum(sizes * (self.max_n - self.min_n + 1))
        start = 0
        while start < len(words):
            before = bounds[start - 1] if start else 0
            end = max(start + 1, int(np.searchsorted(bounds, before + NGRAMS_AT_A_TIME, "right")))
            part = slice(start, end)
            yield part, WordBuckets.of(words[part], self.min_n, self.max_n, self.bucket)
            start = end

    def commonest(self, words: Sequence[bytes], counts: Int64s, size: int) -> Subwords:
        """Return the rows of at most ``size`` buckets: those whose n-grams occur in the most tokens.

        Parameters
        ----------
        words : sequence of bytes
            The vocabulary, in UTF-8.
        counts : NDArray of int64, shape (words,)
            Occurrences of each word in the text.
        size : int
        """
        uses = np.zeros(len(self.rows))
        for part, block in self._blocks(words):
            rows = self.find(block.buckets)
            weights = np.repeat(counts[part], np.diff(block.offsets))
            known = rows >= 0
            uses += np.bincount(rows[known], weights[known], minlength=len(uses))
        kept = np.sort(np.argsort(-uses, kind="stable")[:size])
        kept = kept[uses[kept] > 0]
        buckets = kept.astype(np.int32) if self.buckets is None else self.buckets[kept]
        scale = None if self.scale is None else self.scale[kept]
        return replace(self, rows=self.rows[kept], buckets=buckets, scale=scale)

    def used_by(self, words: Sequence[bytes]) -> tuple[Int32s, Int64s]:
        """Return the buckets that an n-gram of ``words`` falls into, rising, and the row of each; those without a row left out."""
        used = np.zeros(0, np.int32)
        for _, block in self._blocks(words):
            used = np.union1d(used, block.buckets)
        rows = self.find(used)
        known = rows >= 0
        return used[known].astype(np.int32), rows[known]

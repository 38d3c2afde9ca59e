"""Vectors from and to gensim's ``KeyedVectors``, in memory and as a folder of two files with their counts.

``KeyedVectors.load_word2vec_format("vectors.bin", fvocab="counts.txt", binary=True)`` opens the folder. gensim is
imported only here, when asked.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings.arrays import Float32s
from embeddings.files import atomic_folder, check_replaceable
from embeddings.optional import optional
from embeddings.vectors.character_ngrams import Subwords
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


VECTORS, COUNTS = "vectors.bin", "counts.txt"


def write_gensim(vectors: Vectors, folder: Path) -> None:
    """Write ``vectors.bin`` (word2vec binary) and, where counts are known, ``counts.txt``.

    gensim parts the lines of the second at any white space, and wants a count for every word: where
    one holds a no-break space, there is no second file.
    """
    check_replaceable(folder, VECTORS, (VECTORS, COUNTS))
    is_counted = vectors.counts is not None and all(len(w.split()) == 1 for w in vectors.words)
    with atomic_folder(folder) as new:
        counts = new / COUNTS if is_counted else None
        vectors.save_word2vec_format(new / VECTORS, counts, binary=True)


def read_gensim(folder: Path, *, limit: int | None = None) -> Vectors:
    """Read such a folder; a word that the second file lacks counts 0."""
    counts = folder / COUNTS if (folder / COUNTS).exists() else None
    vectors = Vectors.load_word2vec_format(folder / VECTORS, counts, binary=True, limit=limit)
    vectors.name = folder.name
    return vectors


def from_gensim(keyed: Any, *, name: str = "", language: str = "") -> Vectors:
    """Turn gensim's ``KeyedVectors``, or a model that holds them, into `Vectors`.

    The matrix is shared; counts come along, and fastText's vectors of n-grams do.
    """
    keyed = getattr(keyed, "wv", keyed)
    words = [str(word) for word in keyed.index_to_key]
    counts = None
    if "count" in keyed.expandos:
        counts = np.asarray(keyed.expandos["count"], dtype=np.int64)
    matrix = np.asarray(keyed.vectors, dtype=np.float32)
    vectors = Vectors(words, matrix, counts, name=name, language=language)
    if getattr(keyed, "vectors_ngrams", None) is not None and keyed.bucket:
        rows = np.asarray(keyed.vectors_ngrams, np.float32)
        vectors.subwords = Subwords(keyed.min_n, keyed.max_n, keyed.bucket, rows)
        vectors.method = "fasttext"
    return vectors


def to_gensim(vectors: Vectors) -> KeyedVectors:
    """Turn `Vectors` into ``KeyedVectors`` with the same rows in the same order; with n-grams ``FastTextKeyedVectors``."""
    with optional():
        from gensim.models import KeyedVectors

    matrix = np.asarray(vectors.matrix, dtype=np.float32)
    if vectors.subwords is None:
        keyed = KeyedVectors(vectors.vector_size)
        keyed.add_vectors(list(vectors.words), matrix)
    else:
        keyed = _to_fasttext(vectors, matrix)
    if vectors.counts is not None:
        for word, count in zip(vectors.words, vectors.counts.tolist(), strict=True):
            keyed.set_vecattr(word, "count", count)
    return keyed


def _to_fasttext(vectors: Vectors, matrix: Float32s) -> KeyedVectors:
    """Give gensim the rows of all buckets, and of each word the part of its vector that is its own."""
    from gensim.models.fasttext import FastTextKeyedVectors

    subwords = vectors.subwords
    assert subwords is not None
    keyed = FastTextKeyedVectors(
        vectors.vector_size, subwords.min_n, subwords.max_n, subwords.bucket
    )
    keyed.add_vectors(list(vectors.words), matrix)
    buckets = np.arange(subwords.bucket) if subwords.buckets is None else subwords.buckets
    ngrams = np.zeros((subwords.bucket, vectors.vector_size), np.float32)
    ngrams[buckets] = subwords.take(np.arange(len(buckets)))
    sums = np.zeros_like(matrix)
    sizes = subwords.add_sums([word.encode() for word in vectors.words], sums)
    keyed.vectors_ngrams = ngrams
    keyed.vectors_vocab = matrix * (sizes + 1)[:, None].astype(np.float32) - sums
    keyed.recalc_char_ngram_buckets()
    return keyed

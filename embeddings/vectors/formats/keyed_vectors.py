"""Vectors from and to gensim's ``KeyedVectors``; gensim is imported only here, when asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def from_gensim(keyed: KeyedVectors, *, name: str = "", language: str = "") -> Vectors:
    """Turn ``KeyedVectors`` into `Vectors`; the matrix is shared, counts come along."""
    words = [str(word) for word in keyed.index_to_key]
    counts = None
    if "count" in keyed.expandos:
        counts = np.asarray(keyed.expandos["count"], dtype=np.int64)
    matrix = np.asarray(keyed.vectors, dtype=np.float32)
    return Vectors(words, matrix, counts, name=name, language=language)


def to_gensim(vectors: Vectors) -> KeyedVectors:
    """Turn `Vectors` into ``KeyedVectors`` with the same rows in the same order."""
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(vectors.vector_size)
    keyed.add_vectors(list(vectors.words), np.asarray(vectors.matrix, dtype=np.float32))
    if vectors.counts is not None:
        for word, count in zip(vectors.words, vectors.counts.tolist(), strict=True):
            keyed.set_vecattr(word, "count", count)
    return keyed

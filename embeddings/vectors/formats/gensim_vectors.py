"""Vectors from and to gensim's ``KeyedVectors``, in memory and as a folder of two files with their counts.

``KeyedVectors.load_word2vec_format("vectors.bin", fvocab="counts.txt", binary=True)`` opens the folder. gensim is
imported only here, when asked.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from embeddings.errors import FormatError
from embeddings.files import check_replaceable, whole_folder
from embeddings.optional import optional
from embeddings.vectors.formats.binary_vectors import read_binary, write_binary
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
    with whole_folder(folder) as new:
        write_binary(vectors, new / VECTORS)
        if vectors.counts is not None and all(len(word.split()) == 1 for word in vectors.words):
            pairs = zip(vectors.words, vectors.counts.tolist(), strict=True)
            text = "".join(f"{word} {count}\n" for word, count in pairs)
            (new / COUNTS).write_bytes(text.encode())


def read_gensim(folder: Path, *, limit: int | None = None) -> Vectors:
    """Read such a folder; counts are taken where every word has one."""
    vectors = read_binary(folder / VECTORS, limit=limit)
    vectors.name = folder.name
    if not (folder / COUNTS).exists():
        return vectors
    counts: dict[str, int] = {}
    try:
        for line in (folder / COUNTS).read_bytes().decode().splitlines():
            word, count = line.rsplit(" ", 1)
            counts[word] = int(count)
        if all(word in counts for word in vectors.words):
            vectors.counts = np.array([counts[word] for word in vectors.words], dtype=np.int64)
    except (ValueError, OverflowError) as error:  # past 64 bits
        raise FormatError(
            "file_unreadable", path=folder / COUNTS, reason=str(error)[:200]
        ) from error
    return vectors


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
    with optional():
        from gensim.models import KeyedVectors

    keyed = KeyedVectors(vectors.vector_size)
    keyed.add_vectors(list(vectors.words), np.asarray(vectors.matrix, dtype=np.float32))
    if vectors.counts is not None:
        for word, count in zip(vectors.words, vectors.counts.tolist(), strict=True):
            keyed.set_vecattr(word, "count", count)
    return keyed

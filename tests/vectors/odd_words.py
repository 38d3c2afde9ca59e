"""Words that files of vectors get wrong, and files written by hand."""

import numpy as np

from embeddings import Vectors
from embeddings.vectors.formats import STREAMED, detect
from embeddings.vectors.formats.native_folder import write_stream

SUFFIX = {"word2vec": ".txt", "glove": ".txt", "fasttext": ".vec", "word2vec-binary": ".bin"}
ODD = [
    "ключ",
    "schön",
    "e\u0301",
    "ice\u00a0cream",
    "👩‍🔬",
    "。",
    "й",
    "1.5",
    "-",
    "…",
    "\u200b",
    "a'b",
]


def odd(counts=False):
    matrix = np.random.default_rng(1).normal(size=(len(ODD), 5)).astype(np.float32)
    matrix[3] = [0, -0.0, 1e-40, 3.4e38, -1]
    numbers = np.arange(len(ODD), 0, -1) if counts else None
    return Vectors(ODD, matrix, numbers)


def save(tmp_path, content, name="v.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def table(vectors):
    return {word: row.tolist() for word, row in zip(vectors.words, vectors.matrix, strict=True)}


def stream_into(folder, path, dtype="float32"):
    """Write a file of vectors into a native folder as it is read; return how many rows there are, and how many were dropped."""
    with STREAMED[detect(path)](path) as stream:
        return write_stream(stream, path, folder, dtype=dtype)

"""What a GloVe model keeps of its counts: some words' counts among each other, their full row sums, and both sides' weights.

The file ``cooccurrence.safetensors``. Counts are exact and symmetric: the upper triangle, row after row, as codes into ``levels`` (the
distinct values, commonest first), the codes' bytes apart (``codes_0`` the low ones) and deflated. Matrices are float16.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Float32s, Float64s
from embeddings.errors import clause
from embeddings.results import Value
from embeddings.text.spelling_rules import checked_spelling
from embeddings.vectors.packed_arrays import (
    Tensors,
    check_numbers,
    check_shapes,
    from_planes,
    load_packed,
    save_packed,
    to_planes,
)
from embeddings.vectors.table import Vectors

COOCCURRENCE_FILE = "cooccurrence.safetensors"
COOCCURRENCE_FORMAT = "klyuch-cooccurrence-1"
MOST_WORDS = 20_000  # what a file may claim: 1.6 GB of counts
FREE_BYTES = 1 << 26  # of counts that any file may unpack to; past that, `RATIO` times its own size
RATIO = 256  # those that ship unpack to five times their size, counts of rare words to far more


class CooccurrenceTable(Value):
    """Counts among some words of a GloVe model, and what it learned of them.

    Attributes
    ----------
    words : tuple of str
    counts : NDArray of float32, shape (words, words)
        X_ij, sums of 1 / distance; symmetric.
    sums : NDArray of float64, shape (words,)
        X_i over the whole vocabulary, so that ``counts[i, k] / sums[i]`` is P(k given i).
    words_matrix, context_matrix : NDArray of float32, shape (words, vector_size)
        W and W~.
    word_bias, context_bias : NDArray of float32, shape (words,)
    lower : bool
        Whether the model's words are in lower case.
    spelling : str
        Rule that the words were respelled by, "" for none.
    """

    words: tuple[str, ...]
    counts: Float32s
    sums: Float64s
    words_matrix: Float32s
    context_matrix: Float32s
    word_bias: Float32s
    context_bias: Float32s
    lower: bool = True
    spelling: str = ""

    @cached_property
    def vectors(self) -> Vectors:
        """W with its words: finds a word in the model's casing, or says which are close."""
        return Vectors(
            self.words, self.words_matrix, method="glove", lower=self.lower, spelling=self.spelling
        )


def save_cooccurrence(table: CooccurrenceTable, folder: Path) -> None:
    """Write the table to ``folder / "cooccurrence.safetensors"``, whole or not at all."""
    triangle = table.counts[np.triu_indices(len(table.words))]
    levels, codes, uses = np.unique(triangle, return_inverse=True, return_counts=True)
    order = np.argsort(-uses, kind="stable")
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    tensors: dict[str, NDArray[Any]] = {
        "words": np.frombuffer("\n".join(table.words).encode(), np.uint8),
        "levels": levels[order],
        "sums": table.sums,
        "words_matrix": table.words_matrix.astype(np.float16),
        "context_matrix": table.context_matrix.astype(np.float16),
        "word_bias": table.word_bias,
        "context_bias": table.context_bias,
    }
    tensors |= to_planes("codes", rank[codes], "<u4")
    about = {"lower": table.lower, "spelling": table.spelling}
    save_packed(folder / COOCCURRENCE_FILE, COOCCURRENCE_FORMAT, tensors, about)


def load_cooccurrence(folder: Path) -> CooccurrenceTable:
    """Read the table of a GloVe model's folder.

    Raises
    ------
    MissingFileError
        If the folder has none: it is not a GloVe model, or one from elsewhere.
    FormatError
        If the file is damaged or contradicts itself, or claims more words than a file of its size holds.
    CheckpointError
        If it does not have the sha256 of the folder's card.
    """
    way_out = clause("train_glove")
    path = folder / COOCCURRENCE_FILE
    return load_packed(path, COOCCURRENCE_FORMAT, lambda t, about: _table(t, about, path), way_out)


def _table(tensors: Tensors, about: Mapping[str, Any], path: Path) -> CooccurrenceTable:
    """Put the arrays together; ValueError says what does not fit."""
    text = tensors["words"].tobytes()
    size = text.count(b"\n") + bool(text)
    bound = max(FREE_BYTES, RATIO * path.stat().st_size)
    most = min(MOST_WORDS, int((bound / 4) ** 0.5))
    check_numbers("words", size, 0, most)
    words = tuple(text.decode().split("\n")) if text else ()
    matrix, context_matrix, word_bias, context_bias = (
        tensors[name].astype(np.float32)
        for name in ("words_matrix", "context_matrix", "word_bias", "context_bias")
    )
    sums = tensors["sums"].astype(np.float64)
    rows = (size, matrix.shape[-1])
    check_shapes(tensors, words_matrix=rows, context_matrix=rows)
    check_shapes(tensors, sums=(size,), word_bias=(size,), context_bias=(size,))
    return CooccurrenceTable(
        words,
        _counts(tensors, size),
        sums,
        matrix,
        context_matrix,
        word_bias,
        context_bias,
        bool(about["lower"]),
        checked_spelling(about.get("spelling", "")),
    )


def _counts(tensors: Tensors, size: int) -> Float32s:
    """Inflate the triangle and mirror it, row by row."""
    pairs = size * (size + 1) // 2
    codes = from_planes(tensors, "codes", pairs, "<u4")
    levels = tensors["levels"].astype(np.float32)
    check_shapes(tensors, levels=(levels.size,))
    check_numbers("codes", codes, 0, levels.size - 1)
    counts = np.zeros((size, size), np.float32)
    start = 0
    for row in range(size):
        end = start + size - row
        counts[row, row:] = counts[row:, row] = levels[codes[start:end]]
        start = end
    return counts

"""Warm start: vectors of our own skip-gram over the same WordPiece tokens become the token embedding.

Centred (a common direction tells tokens nothing from each other) and scaled to the spread that
fresh weights have. What took the masked loss minutes to learn, skip-gram learns in seconds;
`benchmarks/results` holds the curves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from embeddings.errors import InputError
from embeddings.models.heads import PretrainingNetwork
from embeddings.pretraining.prepared import PreparedCorpus
from embeddings.results import Progress
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from embeddings.static.word2vec_config import Word2VecConfig


def token_vectors(
    corpus: PreparedCorpus,
    tokens: Sequence[str],
    config: Word2VecConfig,
    report: Callable[[Progress], None] | None = None,
) -> Vectors:
    """Train skip-gram (or CBOW) over the WordPiece tokens of a prepared corpus."""
    from embeddings.static.word2vec import train_ids  # brings numba

    ids = corpus.ids.astype(np.int32)
    counts = np.bincount(ids, minlength=len(tokens)).astype(np.int64)
    weights = train_ids(ids, corpus.sentence_bounds, counts, config, report=report)
    method = "skipgram" if config.sg else "cbow"
    return Vectors(tuple(tokens), weights.inputs, counts, name="wordpiece", method=method)


def warm_matrix(
    vectors: Vectors, tokens: Sequence[str], scale: float, width: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the rows for the token table, and which tokens had a vector.

    Parameters
    ----------
    scale : float
        Standard deviation of all numbers after the mean vector is taken away.

    Raises
    ------
    InputError
        If the vectors are of another width, or cover less than half of the tokens.
    """
    if vectors.vector_size != width:
        raise InputError("warm_start_size", found=vectors.vector_size, expected=width)
    index = vectors.index
    rows = np.array([index.get(token, -1) for token in tokens])
    known = rows >= 0
    if known.sum() * 2 < len(tokens):
        raise InputError(
            "warm_start_words", found=int(known.sum()), size=len(tokens), path=vectors.name
        )
    found = np.asarray(vectors.matrix, dtype=np.float32)[rows[known]]
    found -= found.mean(0)
    found *= scale / found.std()
    matrix = np.zeros((len(tokens), width), np.float32)
    matrix[known] = found
    return matrix, known


def warm_start(
    network: PretrainingNetwork, vectors: Vectors, tokens: Sequence[str], scale: float
) -> int:
    """Put the vectors into the token table; tokens without one keep their fresh weights.

    Returns how many had one.
    """
    table = network.encoder.inputs.tokens.weight
    matrix, known = warm_matrix(vectors, tokens, scale, table.shape[1])
    with torch.no_grad():
        table[torch.from_numpy(known)] = torch.from_numpy(matrix[known])
    return int(known.sum())

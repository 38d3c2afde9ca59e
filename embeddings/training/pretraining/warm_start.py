"""Warm start: vectors of our own skip-gram over the same WordPiece tokens become the token embedding.

Centred (a common direction tells tokens nothing from each other) and scaled to the spread that
fresh weights have. What took the masked loss minutes to learn, skip-gram learns in seconds;
`benchmarks/results` holds the curves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from embeddings.errors import InputError
from embeddings.method_registry import word2vec_method
from embeddings.networks.bert import Encoder, PretrainingNetwork
from embeddings.networks.layers import MultiHeadAttention, sinusoidal
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.results import Progress
from embeddings.static.settings import Word2VecConfig
from embeddings.vectors.table import Vectors


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
    whole = _as_one(report, config.epochs) if report else None
    weights = train_ids(ids, corpus.sentence_bounds, counts, config, report=whole)
    method = word2vec_method(config.sg)
    return Vectors(tuple(tokens), weights.inputs, counts, name="wordpiece", method=method)


def _as_one(report: Callable[[Progress], None], epochs: int) -> Callable[[Progress], None]:
    """Tell all epochs as one phase of its own: what is trained here is not the model."""

    def report_whole(at: Progress) -> None:
        done = (at.epoch - 1) * at.total + at.done
        report(replace(at, phase="vectors", epoch=1, done=done, total=epochs * at.total))

    return report_whole


def warm_matrix(
    vectors: Vectors, tokens: Sequence[str], scale: float, width: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the rows for the token embedding matrix, and which tokens had a vector.

    Parameters
    ----------
    scale : float
        Standard deviation of all numbers after the mean vector is taken away.
    width : int
        Columns of the table; wider vectors are cut to their first principal components (ALBERT).

    Raises
    ------
    InputError
        If the vectors are narrower than the table, or cover less than half of the tokens.
    """
    if vectors.vector_size < width:
        raise InputError("warm_start_size", found=vectors.vector_size, expected=width)
    index = vectors.index
    # row of each token in the trained vectors; -1 where there is none: such a token keeps its fresh weights
    rows = np.array([index.get(token, -1) for token in tokens])
    known = rows >= 0
    if known.sum() * 2 < len(tokens):
        raise InputError(
            "warm_start_words", found=int(known.sum()), size=len(tokens), path=vectors.name
        )
    known_rows = np.asarray(vectors.matrix, dtype=np.float32)[rows[known]]
    known_rows -= known_rows.mean(0)
    if known_rows.shape[1] > width:  # a narrow table gets the first principal components
        # eigh orders by rising variance, so the first principal components are the last columns
        _, directions = np.linalg.eigh(known_rows.T @ known_rows)
        known_rows = known_rows @ directions[:, ::-1][:, :width]
    known_rows *= scale / known_rows.std()
    matrix = np.zeros((len(tokens), width), np.float32)
    matrix[known] = known_rows
    return matrix, known


def start_from_vectors(
    network: PretrainingNetwork, vectors: Vectors, tokens: Sequence[str], scale: float
) -> int:
    """Let a fresh network begin as CBOW: the vectors in the token embedding matrix, and attention that averages a window.

    Tokens without a vector keep their fresh weights; the bias of each token becomes its log frequency.
    Everything added is only where training starts from. With ``hidden_size`` not a multiple of the heads
    (Kazan 2019) attention keeps its fresh weights.

    Returns how many tokens had a vector.
    """
    table = network.encoder.inputs.tokens.weight
    matrix, known = warm_matrix(vectors, tokens, scale, table.shape[1])
    with torch.no_grad():
        table[torch.from_numpy(known)] = torch.from_numpy(matrix[known])
        _read_window(network.encoder, scale)
        if (head := network.tokens) is not None:  # it begins as a product with the table
            if head.dense is not None:
                add_identity(head.dense.weight)
            head.decoder.bias.copy_(torch.from_numpy(_log_frequencies(vectors, tokens)))
    return int(known.sum())


def _read_window(encoder: Encoder, scale: float) -> None:
    """Add to attention what averages the tokens nearby.

    Positions start as sinusoids of deviation ``scale``; in the first half of the heads, which read the
    fastest waves, queries and keys are near the identity, so that near positions match; values and
    output are near half the identity, so that states are handed on as they are.
    """
    positions, config = encoder.inputs.positions, encoder.config
    if config.hidden_size % config.num_attention_heads or not isinstance(positions, nn.Embedding):
        return
    waves = sinusoidal(*positions.weight.shape)
    positions.weight.copy_(waves * (scale / waves.std()))
    if encoder.widen is not None:
        add_identity(encoder.widen.weight)
    # `query_key_value` holds three square maps, one below the other, and in each the heads one below the other:
    #
    #    rows 0 ... size - 1               queries: head 0, head 1, ...
    #    rows size ... 2 size - 1          keys
    #    rows 2 size ... 3 size - 1        values
    #
    # An identity added to the first half of the heads of queries and keys lets a position match itself and its neighbours, whose
    # sinusoids are nearly the same; the other heads stay random.
    size = config.hidden_size
    matching = size // config.num_attention_heads * (config.num_attention_heads // 2)
    for brick in encoder.modules():  # a shared one comes once
        if not isinstance(brick, MultiHeadAttention):
            continue
        weight = brick.query_key_value.weight
        add_identity(weight[:matching])
        add_identity(weight[size : size + matching])
        add_identity(weight[2 * size :], 0.5)
        add_identity(brick.output.weight, 0.5)


def _log_frequencies(vectors: Vectors, tokens: Sequence[str]) -> NDArray[np.float32]:
    """Log of each token's share, about mean 0; zeros where the vectors bring no counts."""
    if vectors.counts is None:
        return np.zeros(len(tokens), np.float32)
    rows = np.array([vectors.index.get(token, -1) for token in tokens])
    counts = np.where(rows >= 0, np.asarray(vectors.counts)[rows], 0) + 1.0
    logs = np.log(counts)
    return np.asarray(logs - logs.mean(), np.float32)


def add_identity(weight: Tensor, gain: float = 1.0) -> None:
    """Add ``gain`` on the diagonal of a map, which need not be square."""
    torch.diagonal(weight).add_(gain)

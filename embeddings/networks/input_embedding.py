"""What enters the first layer: token, segment and position embeddings, added up."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from embeddings.networks.layers import LayerNorm
from embeddings.networks.sinusoidal_encoding import sinusoidal_encoding


def sinusoidal(positions: int, size: int) -> Tensor:
    """Return `sinusoidal_encoding` as a float32 tensor, shape (positions, size)."""
    return torch.from_numpy(sinusoidal_encoding(positions, size)).float()


class InputEmbedding(nn.Module):
    """Token + segment + position, then (unless switched off) layer normalisation and dropout.

    Parameters
    ----------
    vocab_size, embedding_size, max_position_embeddings, type_vocab_size : int
        Rows of the three tables and their common width.
    learned : bool
        Positions are a table that is trained; else the sinusoidal positions, which have no parameters.
    norm : bool
        Normalise the sum (BERT does, the network of Kazan 2019 does not).
    """

    waves: Tensor

    def __init__(  # noqa: PLR0913
        self,
        vocab_size: int,
        embedding_size: int,
        max_position_embeddings: int,
        type_vocab_size: int,
        *,
        learned: bool = True,
        norm: bool = True,
        eps: float = 1e-12,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, embedding_size)
        self.segments = nn.Embedding(type_vocab_size, embedding_size)
        self.positions = nn.Embedding(max_position_embeddings, embedding_size) if learned else None
        if not learned:
            waves = sinusoidal(max_position_embeddings, embedding_size)
            self.register_buffer("waves", waves, persistent=False)
        self.norm = LayerNorm(embedding_size, eps=eps) if norm else None
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, input_ids: Tensor, token_type_ids: Tensor, position_ids: Tensor | None = None
    ) -> Tensor:
        """(batch, tokens) ids -> (batch, tokens, embedding_size).

        Positions count from 0 unless given (packed rows restart).
        """
        return self.add_up(self.tokens(input_ids), token_type_ids, position_ids)

    def add_up(
        self, vectors: Tensor, token_type_ids: Tensor, position_ids: Tensor | None = None
    ) -> Tensor:
        """Rows of the token embedding matrix, or replacements of them -> the same shape."""
        if position_ids is None:
            position_ids = torch.arange(vectors.shape[1], device=vectors.device)[None]
        where = self.positions(position_ids) if self.positions else self.waves[position_ids]
        hidden = vectors + self.segments(token_type_ids) + where
        if self.norm is not None:
            hidden = self.norm(hidden)
        return self.dropout(hidden)  # type: ignore[no-any-return]

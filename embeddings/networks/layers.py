"""Layers of networks: input embeddings, multi-head attention, the encoder layer, and the loss over tokens.

What enters the first layer is the sum of token, segment and position embeddings. Attention(Q, K, V) = softmax(Q K' / sqrt(d_k)) V, each
head on its own columns (Vaswani et al. 2017, section 3.2); it returns its weights when asked and runs torch's fused kernel when not.
Queries, keys and values come from one matrix of three blocks, one product instead of three. Where the heads do not divide hidden_size
each takes its floor. Masks are boolean, True where attention is allowed. An encoder layer is attention and a position-wise feed-forward
network, each added to its input and normalised (post-norm, as BERT).

The loss at masked positions is scored some rows at a time: scores of 32 000 tokens are the largest array of a small BERT, and never
exist as a whole in float32. Each block of rows becomes its loss and its gradient while it is in the cache, and is kept in the network's
own format for the two products that remain.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from embeddings.networks.sinusoidal_encoding import sinusoidal_encoding

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,  # BERT: x Phi(x), exact
    "gelu_new": partial(F.gelu, approximate="tanh"),  # ALBERT
    "gelu_pytorch_tanh": partial(F.gelu, approximate="tanh"),
    "relu": F.relu,  # the Transformer
    "tanh": torch.tanh,
}


class FeedForward(nn.Module):
    """FFN(x) = act(x W_1 + b_1) W_2 + b_2 (Vaswani et al. 2017, section 3.3)."""

    def __init__(self, hidden_size: int, intermediate_size: int, activation: str = "gelu") -> None:
        super().__init__()
        self.inner = nn.Linear(hidden_size, intermediate_size)
        self.outer = nn.Linear(intermediate_size, hidden_size)
        self.activation = ACTIVATIONS[activation]

    def forward(self, hidden: Tensor) -> Tensor:
        """(..., hidden_size) -> (..., hidden_size)."""
        return self.outer(self.activation(self.inner(hidden)))


class LayerNorm(nn.LayerNorm):
    """Layer normalisation in the type of its input.

    The kernel sums in float32 anyway, and bf16 stays bf16 between layers.
    """

    def forward(self, hidden: Tensor) -> Tensor:
        """(..., size) -> (..., size), mean 0 and variance 1 before the learned scale and shift."""
        weight = self.weight.to(hidden.dtype)
        bias = None if self.bias is None else self.bias.to(hidden.dtype)
        return F.layer_norm(hidden, self.normalized_shape, weight, bias, self.eps)


class AttentionBlock(nn.Module):
    """x -> norm(x + dropout(attention(x))), or with ``norm_first`` x -> x + dropout(attention(norm(x)))."""

    def __init__(
        self, attention: MultiHeadAttention, norm: nn.Module, dropout: float, norm_first: bool
    ) -> None:
        super().__init__()
        self.attention, self.norm = attention, norm
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    def entered(self, hidden: Tensor) -> Tensor:
        """Return what the attention reads of the states between layers: in a post-norm layer these themselves."""
        return self.norm(hidden) if self.norm_first else hidden

    def forward(
        self,
        hidden: Tensor,
        mask: Tensor | None,
        need_weights: bool,
        keep: Tensor | None,
        position_ids: Tensor | None = None,
    ) -> Attended:
        """As `MultiHeadAttention.forward`.

        With ``keep`` the rest of the layer runs on those positions alone.
        """
        options = {"need_weights": need_weights, "keep": keep, "position_ids": position_ids}
        mixed, weights = self.attention(self.entered(hidden), mask, **options)
        if keep is not None:
            hidden = hidden.flatten(0, 1)[keep]
        total = hidden + self.dropout(mixed)
        return Attended(total if self.norm_first else self.norm(total), weights)


class FeedForwardBlock(nn.Module):
    """x -> norm(x + dropout(FFN(x))), or with ``norm_first`` x -> x + dropout(FFN(norm(x)))."""

    def __init__(
        self, feed_forward: FeedForward, norm: nn.Module, dropout: float, norm_first: bool
    ) -> None:
        super().__init__()
        self.feed_forward, self.norm = feed_forward, norm
        self.dropout, self.norm_first = nn.Dropout(dropout), norm_first

    def forward(self, hidden: Tensor) -> Tensor:
        """(..., hidden_size) -> (..., hidden_size)."""
        if self.norm_first:
            return hidden + self.dropout(self.feed_forward(self.norm(hidden)))
        return self.norm(hidden + self.dropout(self.feed_forward(hidden)))


class EncoderLayer(nn.Module):
    """Attention block, then feed-forward block.

    Either may be the same object in several layers (ALBERT).
    """

    def __init__(self, attention: AttentionBlock, feed_forward: FeedForwardBlock) -> None:
        super().__init__()
        self.attention = attention
        self.feed_forward = feed_forward

    def forward(
        self,
        hidden: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = False,
        keep: Tensor | None = None,
        position_ids: Tensor | None = None,
    ) -> Attended:
        """(batch, tokens, hidden_size) -> the same, or (kept, hidden_size) with ``keep``."""
        mixed, weights = self.attention(hidden, mask, need_weights, keep, position_ids)
        return Attended(self.feed_forward(mixed), weights)


class KeyValues(NamedTuple):
    """Keys and values, each of shape (batch, heads, tokens, head_size)."""

    keys: Tensor
    values: Tensor


class Attended(NamedTuple):
    """What attention returns.

    ``values`` (batch, tokens, hidden_size) and, on request, ``weights`` (batch, heads, from, to),
    rows sum to 1.
    """

    values: Tensor
    weights: Tensor | None


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    dropout: float = 0.0,
    need_weights: bool = False,
) -> Attended:
    """Mix ``value`` by the likeness of ``query`` and ``key``, all of shape (batch, heads, tokens, head_size).

    Both ways give the same values; the weights returned are those before dropout. In bf16 on a CPU the
    open formula is taken too: there it is 2.3 times as fast as the fused kernel (rows of 256 tokens).
    """
    if not need_weights and not (query.device.type == "cpu" and query.dtype is torch.bfloat16):
        mixed = F.scaled_dot_product_attention(query, key, value, mask, dropout)
        return Attended(mixed, None)
    scores = (query * query.shape[-1] ** -0.5) @ key.transpose(-1, -2)  # (B, h, from, to)
    if mask is not None:
        scores = scores + torch.zeros(mask.shape, device=mask.device).masked_fill_(
            ~mask, float("-inf")
        )
    weights = scores.softmax(-1, dtype=torch.float32).to(value.dtype)
    return Attended(F.dropout(weights, dropout) @ value, weights if need_weights else None)


class Heads(nn.Module):
    """What attentions of several heads share: columns parted into heads, and the output projection that joins them."""

    heads: int
    dropout: float
    output: nn.Linear

    def split(self, projected: Tensor) -> Tensor:
        """(batch, tokens, width) -> (batch, heads, tokens, head_size)."""
        batch, tokens, width = projected.shape
        return projected.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)

    def mix(
        self,
        query: Tensor,
        keys: KeyValues,
        mask: Tensor | None,
        need_weights: bool,
        keep: Tensor | None = None,
    ) -> Attended:
        """Let queries, (batch, heads, from, head_size), gather from keys and values: (batch, from, hidden_size).

        With ``keep`` only those positions of the flattened batch: (kept, hidden_size).
        """
        dropout = self.dropout if self.training else 0.0
        mixed, weights = attend(query, keys.keys, keys.values, mask, dropout, need_weights)
        joined = mixed.transpose(1, 2).flatten(2)  # (B, h, T, head) -> (B, T, width)
        if keep is not None:
            joined = joined.flatten(0, 1)[keep]
        return Attended(self.output(joined), weights)


class MultiHeadAttention(Heads):
    """Self-attention of several heads, with its output projection."""

    def __init__(self, hidden_size: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads = heads
        self.head_size = hidden_size // heads
        self.width = heads * self.head_size
        self.dropout = dropout
        self.query_key_value = nn.Linear(hidden_size, 3 * self.width)
        self.output = nn.Linear(self.width, hidden_size)

    def forward(
        self,
        hidden: Tensor,
        mask: Tensor | None = None,
        *,
        need_weights: bool = False,
        keep: Tensor | None = None,
        position_ids: Tensor | None = None,  # noqa: ARG002 - they came in with the embeddings
    ) -> Attended:
        """Let each position gather from the others.

        Parameters
        ----------
        hidden : Tensor, shape (batch, tokens, hidden_size)
        mask : BoolTensor, broadcast to (batch, heads, from, to)
            True where attention is allowed; None allows all.
        keep : LongTensor, shape (kept,), optional
            Positions of the flattened batch whose values are wanted; the result then has shape
            (kept, hidden_size).
        """
        query, keys = self.project(hidden)
        return self.mix(query, keys, mask, need_weights, keep)

    def project(self, hidden: Tensor) -> tuple[Tensor, KeyValues]:
        """(batch, tokens, hidden_size) -> queries, keys and values, (batch, heads, tokens, head_size) each."""
        query, key, value = map(self.split, self.query_key_value(hidden).chunk(3, dim=-1))
        return query, KeyValues(key, value)


def padding_mask(attention_mask: Tensor) -> Tensor:
    """Return the mask in which every position sees the real tokens of its row.

    Parameters
    ----------
    attention_mask : Tensor, shape (batch, tokens)
        True (or 1) at real tokens; or (batch, tokens, tokens), a mask of its own for each position,
        passed on.

    Returns
    -------
    BoolTensor, shape (batch, 1, 1 or tokens, tokens)
    """
    mask = attention_mask.bool()
    return mask[:, None, None, :] if mask.dim() == 2 else mask[:, None]


def block_mask(blocks: Tensor) -> Tensor:
    """Return the mask in which a position sees only its own block.

    Several sentence pairs share a row and never meet.

    Parameters
    ----------
    blocks : Tensor, shape (batch, tokens)
        Number of the pair that a token belongs to; padding has a number of its own, so no row of
        the mask is empty.

    Returns
    -------
    BoolTensor, shape (batch, 1, tokens, tokens)
    """
    return (blocks[:, :, None] == blocks[:, None, :])[:, None]


def causal_mask(tokens: int, past: int = 0, device: torch.device | None = None) -> Tensor:
    """Return the mask of a decoder: a position attends to itself and to what comes before it.

    Parameters
    ----------
    tokens : int
        New positions, the rows of the mask.
    past : int
        Positions before them, to which all of them attend.

    Returns
    -------
    BoolTensor, shape (1, 1, tokens, past + tokens)
    """
    mask = torch.ones(tokens, past + tokens, dtype=torch.bool, device=device)
    return mask.tril(past)[None, None]


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

    def add_up(
        self, vectors: Tensor, token_type_ids: Tensor, position_ids: Tensor | None = None
    ) -> Tensor:
        """Rows of the token embedding matrix, or replacements of them, (batch, tokens, embedding_size) -> the same shape.

        Positions count from 0 unless given (packed rows restart).
        """
        if position_ids is None:
            position_ids = torch.arange(vectors.shape[1], device=vectors.device)[None]
        where = self.positions(position_ids) if self.positions else self.waves[position_ids]
        hidden = vectors + self.segments(token_type_ids) + where
        if self.norm is not None:
            hidden = self.norm(hidden)
        return self.dropout(hidden)


CPU_ROWS, GPU_ROWS = 64, 8_192  # scored at a time; 64 x 32 000 x 4 bytes are 8 MB


class TokenLoss(NamedTuple):
    """``loss``: sum of cross entropies, nats; ``right``: how many targets have the highest score."""

    loss: Tensor
    right: Tensor


def token_loss(
    hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, smoothing: float = 0.0
) -> TokenLoss:
    """Return the loss of ``hidden @ weight.T + bias`` against ``targets``, differentiable.

    Parameters
    ----------
    hidden : Tensor, shape (scored, width)
    weight, bias : Tensor, shapes (vocab_size, width) and (vocab_size,)
    targets : LongTensor, shape (scored,)
    smoothing : float
        Share of the target's probability that is spread evenly over the vocabulary.
    """
    return TokenLoss(*_Scoring.apply(hidden, weight, bias, targets, smoothing))  # type: ignore[no-untyped-call]


class _Scoring(torch.autograd.Function):
    """Softmax cross entropy of a linear map; the gradient is ready when the loss is."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, smoothing: float
    ) -> Any:
        """Score block by block; d loss / d scores = softmax - the smoothed one-hot."""
        learns = any(ctx.needs_input_grad)
        table, shift = weight.to(hidden.dtype), bias.to(hidden.dtype)
        loss = torch.zeros((), device=hidden.device)
        right = torch.zeros((), device=hidden.device)
        grad_bias = torch.zeros_like(bias)
        kept = hidden.new_empty(len(hidden), len(bias)) if learns else None
        rows = CPU_ROWS if hidden.device.type == "cpu" else GPU_ROWS
        for start in range(0, len(hidden), rows):
            target = targets[start : start + rows, None]
            scores = torch.addmm(shift, hidden[start : start + rows], table.t()).float()
            top, picked = scores.amax(-1, keepdim=True), scores.gather(1, target)
            right += (picked == top).sum()
            if smoothing:
                picked = picked.lerp(scores.mean(-1, keepdim=True), smoothing)
            scores.sub_(top).exp_()
            total = scores.sum(-1, keepdim=True)
            loss += (total.log() + top - picked).sum()
            if kept is not None:
                scores.div_(total)
                if smoothing:
                    scores.sub_(smoothing / len(bias))
                scores.scatter_add_(1, target, scores.new_full(target.shape, smoothing - 1.0))
                grad_bias += scores.sum(0)
                kept[start : start + rows] = scores
        if kept is not None:
            ctx.save_for_backward(kept @ table, kept.t() @ hidden, grad_bias)
            ctx.format = weight.dtype
        ctx.mark_non_differentiable(right)
        return loss, right

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> Any:
        """Scale what forward prepared."""
        hidden, weight, bias = ctx.saved_tensors
        scale = upstream[0]
        return hidden * scale, weight.to(ctx.format) * scale, bias * scale, None, None

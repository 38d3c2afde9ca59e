"""One encoder layer: attention and a position-wise feed-forward network, each added to its input and normalised (post-norm, as BERT)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from embeddings.networks.multi_head_attention import Attended, MultiHeadAttention

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
        return self.outer(self.activation(self.inner(hidden)))  # type: ignore[no-any-return]


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
    """x -> norm(x + dropout(attention(x)))."""

    def __init__(self, attention: MultiHeadAttention, eps: float, dropout: float) -> None:
        super().__init__()
        self.attention = attention
        self.norm = LayerNorm(attention.output.out_features, eps=eps)
        self.dropout = nn.Dropout(dropout)

    def entered(self, hidden: Tensor) -> Tensor:
        """Return what the attention reads of the states between layers: in a post-norm layer these themselves."""
        return hidden

    def forward(
        self, hidden: Tensor, mask: Tensor | None, need_weights: bool, keep: Tensor | None
    ) -> Attended:
        """As `MultiHeadAttention.forward`.

        With ``keep`` the rest of the layer runs on those positions alone.
        """
        mixed, weights = self.attention(hidden, mask, need_weights=need_weights, keep=keep)
        if keep is not None:
            hidden = hidden.flatten(0, 1)[keep]
        return Attended(self.norm(hidden + self.dropout(mixed)), weights)


class FeedForwardBlock(nn.Module):
    """x -> norm(x + dropout(FFN(x)))."""

    def __init__(self, feed_forward: FeedForward, eps: float, dropout: float) -> None:
        super().__init__()
        self.feed_forward = feed_forward
        self.norm = LayerNorm(feed_forward.outer.out_features, eps=eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor) -> Tensor:
        """(..., hidden_size) -> (..., hidden_size)."""
        return self.norm(hidden + self.dropout(self.feed_forward(hidden)))  # type: ignore[no-any-return]


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
    ) -> Attended:
        """(batch, tokens, hidden_size) -> the same, or (kept, hidden_size) with ``keep``."""
        mixed, weights = self.attention(hidden, mask, need_weights, keep)
        return Attended(self.feed_forward(mixed), weights)

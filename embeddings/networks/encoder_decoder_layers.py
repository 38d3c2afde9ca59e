"""Layers of an encoder-decoder Transformer, with room for BERT in each of them.

Three attentions: the source to itself, the target to what comes before it (causal), the target to the source (Vaswani et al.
2017, section 3). With ``bert_size`` each layer also attends to BERT's last layer, and the next part reads the mean of that and
the usual attention (Zhu et al. 2020, section 4.2). While decoding, `LayerCache` keeps the keys and values that do not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn

from embeddings.networks import layers
from embeddings.networks.fused_attention import (
    Memory,
    MemoryAttention,
    choose_branches,
    mean_of,
)

if TYPE_CHECKING:
    from embeddings.networks.encoder_decoder import TranslationConfig

_STEPS = 256  # a byte


class CausalAttention(layers.MultiHeadAttention):
    """Self-attention in which a position sees itself and what came before."""

    def extend(
        self, hidden: Tensor, past: layers.KeyValues | None, need_weights: bool = False
    ) -> tuple[layers.Attended, layers.KeyValues]:
        """Attend from new positions to the past and to each other.

        Parameters
        ----------
        hidden : Tensor, shape (batch, new, hidden_size)
        past : KeyValues, optional
            Of the positions before.

        Returns
        -------
        Attended
            ``values`` of shape (batch, new, hidden_size).
        KeyValues
            Of all positions, the new ones included.
        """
        # Keys that position i of the new ones may see, here 3 positions decoded before and 2 new ones (x: masked):
        #
        #                  past        new
        #               0   1   2    3   4
        #    query 3    .   .   .    .   x
        #    query 4    .   .   .    .   .
        #
        # One new position alone sees every key, so that step by step no mask is needed.
        query, keys = self.project(hidden)
        if past is not None:
            keys = layers.KeyValues(*(torch.cat(both, 2) for both in zip(past, keys, strict=True)))
        new, before = query.shape[2], keys.keys.shape[2] - query.shape[2]
        mask = layers.causal_mask(new, before, hidden.device) if new > 1 else None
        return self.mix(query, keys, mask, need_weights), keys


class ByteDropout(nn.Module):
    """While training, set a share of the numbers to zero and scale the rest up so that the mean stays.

    ``rate`` is rounded to 1/256: 0.3 is 0.30078.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate
        self.dropped = round(rate * _STEPS)

    def forward(self, hidden: Tensor) -> Tensor:
        """(...) -> the same shape."""
        if not self.training or not self.dropped:
            return hidden
        # 8 random bytes from each 64-bit word: a byte below `dropped` (of 256) drops its number
        words = torch.empty(-(-hidden.numel() // 8), dtype=torch.int64, device=hidden.device)
        noise = words.random_(-(2**63), None).view(torch.uint8)[: hidden.numel()]
        kept = (noise >= self.dropped).to(hidden.dtype)
        return hidden * kept.mul_(_STEPS / (_STEPS - self.dropped)).view(hidden.shape)


def _memory_attention(config: TranslationConfig, memory_size: int) -> MemoryAttention:
    """Return an attention to states of another stack."""
    size, heads = config.hidden_size, config.num_attention_heads
    return MemoryAttention(size, memory_size, heads, config.attention_dropout)


class Residual(nn.Module):
    """What stands around each part of a layer: addition, normalisation (before or after), dropout."""

    def __init__(self, config: TranslationConfig) -> None:
        super().__init__()
        self.norm = layers.LayerNorm(config.hidden_size, eps=1e-5)
        self.dropout = ByteDropout(config.dropout)
        self.norm_first = config.norm_first

    def before(self, hidden: Tensor) -> Tensor:
        """Return what the part is given."""
        return self.norm(hidden) if self.norm_first else hidden

    def after(self, hidden: Tensor, change: Tensor) -> Tensor:
        """Add what the part gave."""
        hidden = hidden + self.dropout(change)
        return hidden if self.norm_first else self.norm(hidden)


class SourceWeights(NamedTuple):
    """Attention weights of an encoder layer: (batch, heads, source, source) and (batch, heads, source, bert)."""

    self_attention: Tensor | None
    bert: Tensor | None


class TargetWeights(NamedTuple):
    """Attention weights of a decoder layer: to the target, the source, BERT; each (batch, heads, target, ...)."""

    self_attention: Tensor | None
    cross: Tensor | None
    bert: Tensor | None


class SourceLayer(nn.Module):
    """An encoder layer: self-attention (averaged with attention to BERT), then feed-forward."""

    def __init__(self, config: TranslationConfig) -> None:
        super().__init__()
        self.attention = layers.MultiHeadAttention(
            config.hidden_size, config.num_attention_heads, config.attention_dropout
        )
        self.bert = _memory_attention(config, config.bert_size) if config.bert_size else None
        self.drop_net = config.drop_net
        self.feed_forward = layers.FeedForward(config.hidden_size, config.intermediate_size, "relu")
        self.around_attention, self.around_feed_forward = Residual(config), Residual(config)

    def forward(
        self, hidden: Tensor, mask: Tensor, bert: Memory | None = None, need_weights: bool = False
    ) -> tuple[Tensor, SourceWeights]:
        """(batch, source, hidden_size) -> the same."""
        inputs = self.around_attention.before(hidden)
        usual, with_bert = choose_branches(
            bert is not None, self.drop_net if self.training else 0.0
        )
        attended = self.attention(inputs, mask, need_weights=need_weights) if usual else None
        fused = None
        if with_bert:
            assert self.bert is not None
            assert bert is not None
            keys = self.bert.project(bert.states)
            fused = self.bert(inputs, keys, bert.mask, need_weights)
        hidden = self.around_attention.after(hidden, mean_of(attended, fused))
        inner = self.feed_forward(self.around_feed_forward.before(hidden))
        weights = SourceWeights(attended and attended.weights, fused and fused.weights)
        return self.around_feed_forward.after(hidden, inner), weights


@dataclass(frozen=True, slots=True)
class LayerCache:
    """Keys and values that a decoder layer need not compute again: of the target so far, the source, BERT.

    With them come the masks of source and BERT, True at real tokens.
    """

    past: layers.KeyValues | None
    source: layers.KeyValues
    source_mask: Tensor
    bert: layers.KeyValues | None = None
    bert_mask: Tensor | None = None

    def take(self, rows: Tensor) -> LayerCache:
        """Return the cache of some rows, in their order; a row may be taken more than once."""

        def pick(pair: layers.KeyValues | None) -> layers.KeyValues | None:
            return pair and layers.KeyValues(pair.keys[rows], pair.values[rows])

        source = layers.KeyValues(self.source.keys[rows], self.source.values[rows])
        bert_mask = None if self.bert_mask is None else self.bert_mask[rows]
        return LayerCache(
            pick(self.past), source, self.source_mask[rows], pick(self.bert), bert_mask
        )


class TargetLayer(nn.Module):
    """A decoder layer: causal self-attention, attention to the source (and BERT), feed-forward."""

    def __init__(self, config: TranslationConfig) -> None:
        super().__init__()
        self.attention = CausalAttention(
            config.hidden_size, config.num_attention_heads, config.attention_dropout
        )
        self.cross = _memory_attention(config, config.hidden_size)
        self.bert = _memory_attention(config, config.bert_size) if config.bert_size else None
        self.drop_net = config.drop_net
        self.feed_forward = layers.FeedForward(config.hidden_size, config.intermediate_size, "relu")
        self.around_attention, self.around_cross = Residual(config), Residual(config)
        self.around_feed_forward = Residual(config)

    def open(self, source: Memory, bert: Memory | None = None) -> LayerCache:
        """Project source and BERT once for all steps."""
        keys = self.cross.project(source.states)
        if self.bert is None or bert is None:
            return LayerCache(None, keys, source.mask)
        return LayerCache(None, keys, source.mask, self.bert.project(bert.states), bert.mask)

    def forward(
        self, hidden: Tensor, cache: LayerCache, need_weights: bool = False
    ) -> tuple[Tensor, LayerCache, TargetWeights]:
        """Run the next target positions; the cache returned holds them too.

        Parameters
        ----------
        hidden : Tensor, shape (batch, new, hidden_size)
        """
        inputs = self.around_attention.before(hidden)
        attended, past = self.attention.extend(inputs, cache.past, need_weights)
        hidden = self.around_attention.after(hidden, attended.values)
        # both memories are attended to from the same input, and the mean of the two answers goes on (Zhu et al. 2020, equation 2);
        # in training drop-net takes one of them alone now and then
        inputs = self.around_cross.before(hidden)
        usual, with_bert = choose_branches(
            cache.bert is not None, self.drop_net if self.training else 0.0
        )
        cross = fused = None
        if usual:
            cross = self.cross(inputs, cache.source, cache.source_mask, need_weights)
        if with_bert:
            assert self.bert is not None
            assert cache.bert is not None
            fused = self.bert(inputs, cache.bert, cache.bert_mask, need_weights)
        hidden = self.around_cross.after(hidden, mean_of(cross, fused))
        inner = self.feed_forward(self.around_feed_forward.before(hidden))
        hidden = self.around_feed_forward.after(hidden, inner)
        longer = LayerCache(past, cache.source, cache.source_mask, cache.bert, cache.bert_mask)
        of_memories = (cross and cross.weights, fused and fused.weights)
        return hidden, longer, TargetWeights(attended.weights, *of_memories)


def take_rows(caches: tuple[LayerCache, ...], rows: Tensor) -> tuple[LayerCache, ...]:
    """Return the caches of some rows of the batch."""
    return tuple(cache.take(rows) for cache in caches)

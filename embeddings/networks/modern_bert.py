"""ModernBERT behind the interface of `embeddings.networks.bert`: rotary positions, local and global attention in turn, GeGLU, pre-norm.

Unlike BERT (Warner et al. 2024, section 2.1): no table of positions or segments; queries and keys are rotated by their position (Su et al.
2021), by another base in local layers, where a token sees those at most half a window away; each part reads the normalised sum and is
added to it, and the last sum is normalised once more; the feed-forward network multiplies an activated half by a linear one. It is asked
here, not trained.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from embeddings.configuration import setting, setting_like
from embeddings.networks import layers
from embeddings.networks.bert import Encoder, PretrainingNetwork, TokenHead
from embeddings.networks.bert_config import MODERN, NetworkConfig


class ModernBertConfig(NetworkConfig):
    """Settings of a ModernBERT; the defaults are those of ModernBERT-base.

    ``global_layers`` are the layers that see all tokens, from 1; the others are local.
    """

    model_type: str = setting(MODERN, "modernbert.", choices=(MODERN,))
    vocab_size: int = setting_like(NetworkConfig, "vocab_size", 50_368)
    hidden_size: int = setting_like(NetworkConfig, "hidden_size", 768)
    num_hidden_layers: int = setting_like(NetworkConfig, "num_hidden_layers", 22)
    num_attention_heads: int = setting_like(NetworkConfig, "num_attention_heads", 12)
    intermediate_size: int = setting_like(NetworkConfig, "intermediate_size", 1152)
    max_position_embeddings: int = setting_like(NetworkConfig, "max_position_embeddings", 8192)
    layer_norm_eps: float = setting_like(NetworkConfig, "layer_norm_eps", 1e-5)
    global_layers: tuple[int, ...] = ()
    local_attention: int = setting(128, "Tokens of the window of a local layer.", 1, 1_000_000)
    global_theta: float = setting(160_000.0, "Base of rotary positions, global layers.", 1, 1e12)
    local_theta: float = setting(10_000.0, "Base of rotary positions, local layers.", 1, 1e12)
    norm_bias: bool = setting(False, "Norms have a shift.")
    attention_bias: bool = setting(False, "Projections of attention have a bias.")
    mlp_bias: bool = setting(False, "Feed-forward networks have a bias.")
    classifier_bias: bool = setting(False, "The dense layer of the MLM head has a bias.")
    decoder_bias: bool = setting(True, "The MLM head has a bias for each token.")
    classifier_activation: str = setting(
        "gelu", "Activation of the MLM head.", choices=tuple(layers.ACTIVATIONS)
    )

    def norm(self) -> layers.LayerNorm:
        """Return a norm of its states."""
        return layers.LayerNorm(self.hidden_size, eps=self.layer_norm_eps, bias=self.norm_bias)


def rotate(states: Tensor, positions: Tensor, theta: float) -> Tensor:
    """Rotate queries or keys, (batch, heads, tokens, d), by their positions, (batch or 1, tokens).

    The columns i and i + d/2 of a token at position p turn by p theta^(-2i/d).

    References
    ----------
    Su et al. (2021), "RoFormer: Enhanced Transformer with Rotary Position Embedding", section 3.2.
    """
    half = states.shape[-1] // 2
    steps = torch.arange(half, dtype=torch.float32, device=states.device) / half
    angles = positions[:, None, :, None].float() * theta**-steps  # (batch, 1, tokens, d/2)
    cosine, sine = angles.cos(), angles.sin()
    first, second = states.float().chunk(2, dim=-1)
    turned = torch.cat((first * cosine - second * sine, second * cosine + first * sine), dim=-1)
    return turned.to(states.dtype)


class RotaryAttention(layers.MultiHeadAttention):
    """Self-attention with rotary positions, to all tokens or, with a ``window``, to those at most half of it away."""

    def __init__(self, config: ModernBertConfig, *, is_global: bool) -> None:
        super().__init__(config.hidden_size, config.num_attention_heads)
        bias = config.attention_bias
        self.query_key_value = nn.Linear(config.hidden_size, 3 * self.width, bias=bias)
        self.output = nn.Linear(self.width, config.hidden_size, bias=bias)
        self.theta = config.global_theta if is_global else config.local_theta
        self.reach = None if is_global else config.local_attention // 2

    def forward(
        self,
        hidden: Tensor,
        mask: Tensor | None = None,
        *,
        need_weights: bool = False,
        keep: Tensor | None = None,
        position_ids: Tensor | None = None,
    ) -> layers.Attended:
        """As `MultiHeadAttention.forward`; ``position_ids``, (batch or 1, tokens), count from 0 if left out."""
        places = torch.arange(hidden.shape[1], device=hidden.device)
        if position_ids is None:
            position_ids = places[None]
        if self.reach is not None:
            distance = (places[:, None] - places).abs()
            mask = distance <= self.reach if mask is None else mask & (distance <= self.reach)
            mask = mask | (distance == 0)  # padding, where nothing real is near, sees itself
        query, (key, value) = self.project(hidden)
        query, key = (rotate(part, position_ids, self.theta) for part in (query, key))
        return self.mix(query, layers.KeyValues(key, value), mask, need_weights, keep)


class GatedFeedForward(layers.FeedForward):
    """GeGLU: FFN(x) = (act(x W_1) * x V) W_2 (Shazeer 2020)."""

    def __init__(self, config: ModernBertConfig) -> None:
        super().__init__(config.hidden_size, config.intermediate_size, config.hidden_act)
        size, inner, bias = config.hidden_size, config.intermediate_size, config.mlp_bias
        self.inner = nn.Linear(size, 2 * inner, bias=bias)
        self.outer = nn.Linear(inner, size, bias=bias)

    def forward(self, hidden: Tensor) -> Tensor:
        """(..., hidden_size) -> (..., hidden_size)."""
        activated, linear = self.inner(hidden).chunk(2, dim=-1)
        return self.outer(self.activation(activated) * linear)


def build_layer(config: ModernBertConfig, number: int) -> layers.EncoderLayer:
    """Return a layer, from 1; the first has no norm before its attention, the embeddings being normalised."""
    attention = RotaryAttention(config, is_global=number in config.global_layers)
    norm = config.norm() if number > 1 else nn.Identity()
    return layers.EncoderLayer(
        layers.AttentionBlock(attention, norm, 0.0, norm_first=True),
        layers.FeedForwardBlock(GatedFeedForward(config), config.norm(), 0.0, norm_first=True),
    )


class ModernInput(nn.Module):
    """Rows of the token embedding matrix, normalised; there are neither segments nor positions."""

    def __init__(self, config: ModernBertConfig) -> None:
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.norm = config.norm()


class ModernEncoder(Encoder):
    """A stack of pre-norm layers; asked as `embeddings.networks.bert.Encoder` is. Segments are taken and not read."""

    def __init__(self, config: ModernBertConfig) -> None:
        nn.Module.__init__(self)
        self.config = config
        self.inputs = ModernInput(config)  # type: ignore[assignment]
        numbers = range(1, config.num_hidden_layers + 1)
        self.layers = nn.ModuleList(build_layer(config, number) for number in numbers)
        self.final_norm = config.norm()
        self.widen = self.pooler = None

    def enter(self, vectors: Tensor, *_: Tensor | None) -> Tensor:
        """Return the normalised rows; positions come in with attention."""
        return self.inputs.norm(vectors)  # type: ignore[misc]

    def as_last(self, hidden: Tensor) -> Tensor:
        """Return states of a lower layer as heads read them: behind the final norm."""
        return self.final_norm(hidden)


class ModernTokenHead(TokenHead):
    """Scores the vocabulary as BERT's does, with the biases and the activation of a ModernBERT."""

    def __init__(self, config: ModernBertConfig, table: nn.Embedding) -> None:
        nn.Module.__init__(self)
        size = config.hidden_size
        self.dense = nn.Linear(size, size, bias=config.classifier_bias)
        self.norm = config.norm()
        self.activation = layers.ACTIVATIONS[config.classifier_activation]
        self.decoder = nn.Linear(size, config.vocab_size, bias=config.decoder_bias)
        if config.tie_word_embeddings:
            self.decoder.weight = table.weight


class ModernBert(PretrainingNetwork):
    """A ModernBERT as it is asked; ``tokens`` is None where its folder has no MLM head."""

    config: ModernBertConfig

    def __init__(self, config: ModernBertConfig) -> None:
        nn.Module.__init__(self)
        self.config = config
        self.encoder = ModernEncoder(config)
        self.tokens = ModernTokenHead(config, self.encoder.inputs.tokens)
        self.sentences = None

"""The encoder with its two pretraining heads: masked tokens, and sentence pairs (NSP or SOP).

One class is BERT, ALBERT and the network of Kazan 2019. ALBERT differs by a linear map from the narrow embedding to hidden_size
and by layers that are one object (Lan et al. 2020, section 3.1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from embeddings.errors import InputError
from embeddings.networks.bert_config import NetworkConfig
from embeddings.networks.layers import (
    ACTIVATIONS,
    AttentionBlock,
    EncoderLayer,
    FeedForward,
    FeedForwardBlock,
    InputEmbedding,
    LayerNorm,
    MultiHeadAttention,
    TokenLoss,
    padding_mask,
    token_loss,
)

B = TypeVar("B", bound=nn.Module)


@dataclass(frozen=True, slots=True)
class EncoderOutput:
    """States of an encoder.

    Attributes
    ----------
    last : Tensor, shape (batch, tokens, hidden_size), or (kept, hidden_size)
        The last layer.
    hidden_states : tuple of Tensor
        With ``need_states``: layers + 1 tensors of shape (batch, tokens, hidden_size); index 0 is
        the embedding output.
    attentions : tuple of Tensor
        With ``need_weights``: one tensor a layer of shape (batch, heads, from, to), rows sum to 1.
    """

    last: Tensor
    hidden_states: tuple[Tensor, ...] = ()
    attentions: tuple[Tensor, ...] = ()


@dataclass(frozen=True, slots=True)
class PretrainingOutput:
    """What the two heads say of a batch.

    Attributes
    ----------
    token_loss, token_right : Tensor, shape ()
        Sum of cross entropies over the masked tokens, nats, and how many of them are guessed.
    sentences : Tensor, shape (pairs, 2)
        Logits of the classification head.
    """

    token_loss: Tensor
    token_right: Tensor
    sentences: Tensor


class Encoder(nn.Module):
    """A stack of post-norm layers over token, segment and position embeddings."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.inputs = InputEmbedding(
            config.vocab_size,
            config.width,
            config.max_position_embeddings,
            config.type_vocab_size,
            learned=config.position_embedding_type == "absolute",
            norm=config.embedding_norm,
            eps=config.layer_norm_eps,
            dropout=config.hidden_dropout_prob,
        )
        albert = config.model_type == "albert"
        self.widen = nn.Linear(config.width, config.hidden_size) if albert else None
        self.layers = nn.ModuleList(build_layers(config))
        self.pooler = nn.Linear(config.hidden_size, config.hidden_size) if config.pooler else None

    def forward(
        self,
        input_ids: Tensor,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        *,
        position_ids: Tensor | None = None,
        mask: Tensor | None = None,
        **options: Any,
    ) -> EncoderOutput:
        """Run the network over a batch.

        Parameters
        ----------
        input_ids, token_type_ids, position_ids : LongTensor, shape (batch, tokens)
            Segments default to 0, positions to 0, 1, 2 ...
        attention_mask : Tensor, shape (batch, tokens)
            1 at real tokens. Or ``mask``, shape (batch, 1, tokens, tokens), as `block_mask` makes
            it.
        options
            ``need_states``, ``need_weights`` and ``keep`` of `from_vectors`.

        Raises
        ------
        InputError
            If a sequence is longer than ``max_position_embeddings``.
        """
        tokens, bound = input_ids.shape[1], self.config.max_position_embeddings
        if position_ids is None and tokens > bound:
            raise InputError("network_too_long", tokens=tokens, bound=bound)
        if mask is None and attention_mask is not None:
            mask = padding_mask(attention_mask)
        vectors = self.inputs.tokens(input_ids)
        return self.from_vectors(
            vectors, token_type_ids, position_ids=position_ids, mask=mask, **options
        )

    def from_vectors(  # noqa: PLR0913
        self,
        vectors: Tensor,
        token_type_ids: Tensor | None = None,
        *,
        position_ids: Tensor | None = None,
        mask: Tensor | None = None,
        need_states: bool = False,
        need_weights: bool = False,
        keep: Tensor | None = None,
    ) -> EncoderOutput:
        """Run the network over rows of the token embedding matrix, or replacements of them.

        Parameters
        ----------
        vectors : Tensor, shape (batch, tokens, embedding_size)
        token_type_ids, position_ids, mask
            As in `forward`.
        need_states, need_weights : bool
            Return every layer's states, every head's attention (which leaves the fused kernel).
        keep : LongTensor, shape (kept,)
            Positions of the flattened batch that are wanted of the last layer; only they are
            computed there.
        """
        hidden = self.enter(vectors, token_type_ids, position_ids)
        states, attentions = [hidden], []
        for number, layer in enumerate(self.layers, 1):
            is_last = number == len(self.layers)
            wanted = keep if is_last else None
            hidden, weights = layer(hidden, mask, need_weights, wanted, position_ids)
            if is_last:
                hidden = self.as_last(hidden)
            if need_states:
                states.append(hidden)
            if need_weights:
                attentions.append(weights)
        return EncoderOutput(hidden, tuple(states) if need_states else (), tuple(attentions))

    def enter(
        self, vectors: Tensor, token_type_ids: Tensor | None, position_ids: Tensor | None
    ) -> Tensor:
        """Return what enters the first layer, (batch, tokens, hidden_size)."""
        if token_type_ids is None:
            token_type_ids = torch.zeros(vectors.shape[:2], dtype=torch.long, device=vectors.device)
        hidden = self.inputs.add_up(vectors, token_type_ids, position_ids)
        return hidden if self.widen is None else self.widen(hidden)

    def as_last(self, hidden: Tensor) -> Tensor:
        """Return states of a lower layer in the form in which heads read those of the last: as they are."""
        return hidden

    def pool(self, first: Tensor) -> Tensor:
        """Turn states of [CLS], shape (pairs, hidden_size), into what the classification head reads."""
        return first if self.pooler is None else self.pooler(first).tanh()


def build_layers(config: NetworkConfig) -> list[EncoderLayer]:
    """Return the layers; what ``share_layers`` names is the same object in each of them."""

    def norm() -> LayerNorm:
        return LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def attention() -> AttentionBlock:
        brick = MultiHeadAttention(
            config.hidden_size, config.num_attention_heads, config.attention_probs_dropout_prob
        )
        return AttentionBlock(brick, norm(), config.hidden_dropout_prob, norm_first=False)

    def feed_forward() -> FeedForwardBlock:
        brick = FeedForward(config.hidden_size, config.intermediate_size, config.hidden_act)
        return FeedForwardBlock(brick, norm(), config.hidden_dropout_prob, norm_first=False)

    def stack(make: Callable[[], B], *sharing: str) -> list[B]:
        count = config.num_hidden_layers
        return (
            [make()] * count if config.share_layers in sharing else [make() for _ in range(count)]
        )

    attentions = stack(attention, "attention", "all")
    feed_forwards = stack(feed_forward, "feed_forward", "all")
    return [EncoderLayer(a, f) for a, f in zip(attentions, feed_forwards, strict=True)]


class TokenHead(nn.Module):
    """Scores the vocabulary: dense, activation, norm, then the token embedding matrix (or a map of its own) and a bias per token."""

    def __init__(self, config: NetworkConfig, table: nn.Embedding) -> None:
        super().__init__()
        self.dense = self.norm = None
        if config.prediction_transform:
            self.dense = nn.Linear(config.hidden_size, config.width)
            self.norm = LayerNorm(config.width, eps=config.layer_norm_eps)
        self.activation = ACTIVATIONS[config.hidden_act]
        self.decoder = nn.Linear(config.width, config.vocab_size)
        if config.tie_word_embeddings:
            self.decoder.weight = table.weight

    def forward(self, hidden: Tensor) -> Tensor:
        """(..., hidden_size) -> (..., vocab_size), logits."""
        return self.decoder(self._transform(hidden))

    def loss(self, hidden: Tensor, targets: Tensor) -> TokenLoss:
        """(scored, hidden_size) -> the summed loss against ``targets`` (scored,), and how many are right."""
        narrow = self._transform(hidden)
        return token_loss(narrow, self.decoder.weight, self.decoder.bias, targets)

    def _transform(self, hidden: Tensor) -> Tensor:
        """Dense, activation, norm; the network of Kazan 2019 has none of it."""
        if self.dense is None or self.norm is None:
            return hidden
        return self.norm(self.activation(self.dense(hidden)))


class PretrainingNetwork(nn.Module):
    """BERT or ALBERT as it is pretrained.

    ``tokens`` or ``sentences`` is None where the folder that it was read from has no such head.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.tokens: TokenHead | None = TokenHead(config, self.encoder.inputs.tokens)
        self.sentences: nn.Linear | None = nn.Linear(config.hidden_size, 2)

    def forward(  # noqa: PLR0913
        self,
        input_ids: Tensor,
        token_type_ids: Tensor,
        position_ids: Tensor,
        mask: Tensor | None,
        scored: Tensor,
        first: Tensor,
        targets: Tensor,
    ) -> PretrainingOutput:
        """Score the masked tokens and the pairs of a packed batch.

        Parameters
        ----------
        input_ids, token_type_ids, position_ids : LongTensor, shape (rows, tokens)
        mask : BoolTensor, shape (rows, 1, tokens, tokens)
            As `block_mask` makes it.
        scored, first : LongTensor, shapes (scored,) and (pairs,)
            Flat positions of the masked tokens and of each pair's [CLS]; the last layer is computed
            there alone.
        """
        keep = torch.cat((scored, first))
        kept = self.encoder(
            input_ids, token_type_ids, position_ids=position_ids, mask=mask, keep=keep
        ).last
        assert self.tokens is not None
        assert self.sentences is not None
        tokens = self.tokens.loss(kept[: len(scored)], targets)
        sentences = self.sentences(self.encoder.pool(kept[len(scored) :]))
        return PretrainingOutput(tokens.loss, tokens.right, sentences)


def initialise(network: nn.Module, deviation: float, generator: torch.Generator) -> None:
    """Draw weights from N(0, deviation^2), biases 0, norms 1, as BERT does.

    The same seed gives the same network.
    """
    for module in network.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            with torch.no_grad():
                module.weight.normal_(0.0, deviation, generator=generator)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)


def new_network(config: NetworkConfig, seed: int = 1) -> PretrainingNetwork:
    """Return a network with fresh weights.

    Next to sinusoidal positions, of deviation 0.7, token and segment rows of 0.02 would go under, and the network of Kazan 2019
    does not normalise their sum: where no score is read off the token embedding matrix its rows begin at deviation 1, as torch's
    own do.
    """
    network = PretrainingNetwork(config)
    initialise(network, config.initializer_range, torch.Generator().manual_seed(seed))
    if config.position_embedding_type == "sinusoidal" and not config.tie_word_embeddings:
        inputs = network.encoder.inputs
        with torch.no_grad():
            for table in (inputs.tokens, inputs.segments):
                table.weight.div_(config.initializer_range)
    return network

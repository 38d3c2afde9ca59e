"""The encoder: inputs, layers (shared as the config says) and the pooler.

One class is BERT, ALBERT and S1.

ALBERT differs by a linear map from the narrow embedding to hidden_size and by layers that are one
object (Lan et al. 2020, section 3.1).
"""

from __future__ import annotations

from torch import Tensor, nn

from embeddings.errors import InputError
from embeddings.models.config import NetworkConfig
from embeddings.models.outputs import EncoderOutput
from embeddings.transformer.attention import MultiHeadAttention
from embeddings.transformer.feedforward import FeedForward
from embeddings.transformer.inputs import InputEmbedding
from embeddings.transformer.layers import AttentionBlock, EncoderLayer, FeedForwardBlock
from embeddings.transformer.masks import padding_mask


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

    def forward(  # noqa: PLR0913
        self,
        input_ids: Tensor,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        *,
        position_ids: Tensor | None = None,
        mask: Tensor | None = None,
        need_states: bool = False,
        need_weights: bool = False,
        keep: Tensor | None = None,
    ) -> EncoderOutput:
        """Run the network over a batch.

        Parameters
        ----------
        input_ids, token_type_ids, position_ids : LongTensor, shape (batch, tokens)
            Segments default to 0, positions to 0, 1, 2 ...
        attention_mask : Tensor, shape (batch, tokens)
            1 at real tokens. Or ``mask``, shape (batch, 1, tokens, tokens), as `block_mask` makes
            it.
        need_states, need_weights : bool
            Return every layer's states, every head's attention (which leaves the fused kernel).
        keep : LongTensor, shape (kept,)
            Positions of the flattened batch that are wanted of the last layer; only they are
            computed there.

        Raises
        ------
        InputError
            If a sequence is longer than ``max_position_embeddings``.
        """
        if position_ids is None and input_ids.shape[1] > self.config.max_position_embeddings:
            raise InputError(
                "network_too_long",
                tokens=input_ids.shape[1],
                bound=self.config.max_position_embeddings,
            )
        if token_type_ids is None:
            token_type_ids = input_ids.new_zeros(input_ids.shape)
        if mask is None and attention_mask is not None:
            mask = padding_mask(attention_mask)
        hidden = self.inputs(input_ids, token_type_ids, position_ids)
        if self.widen is not None:
            hidden = self.widen(hidden)
        states, attentions = [hidden], []
        for number, layer in enumerate(self.layers, 1):
            wanted = keep if number == len(self.layers) else None
            hidden, weights = layer(hidden, mask, need_weights, wanted)
            if need_states:
                states.append(hidden)
            if need_weights:
                attentions.append(weights)
        return EncoderOutput(hidden, tuple(states) if need_states else (), tuple(attentions))

    def pool(self, first: Tensor) -> Tensor:
        """Turn states of [CLS], shape (pairs, hidden_size), into what the sentence head reads."""
        return first if self.pooler is None else self.pooler(first).tanh()


def build_layers(config: NetworkConfig) -> list[EncoderLayer]:
    """Return the layers; what ``share_layers`` names is the same object in each of them."""

    def attention() -> AttentionBlock:
        brick = MultiHeadAttention(
            config.hidden_size, config.num_attention_heads, config.attention_probs_dropout_prob
        )
        return AttentionBlock(brick, config.layer_norm_eps, config.hidden_dropout_prob)

    def feed_forward() -> FeedForwardBlock:
        brick = FeedForward(config.hidden_size, config.intermediate_size, config.hidden_act)
        return FeedForwardBlock(brick, config.layer_norm_eps, config.hidden_dropout_prob)

    count = config.num_hidden_layers
    attentions = (
        [attention()] * count
        if config.share_layers in ("attention", "all")
        else [attention() for _ in range(count)]
    )
    feed_forwards = (
        [feed_forward()] * count
        if config.share_layers in ("feed_forward", "all")
        else [feed_forward() for _ in range(count)]
    )
    return [EncoderLayer(a, f) for a, f in zip(attentions, feed_forwards, strict=True)]

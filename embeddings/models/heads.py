"""An encoder with its two pretraining heads.

The masked token, and the sentence pair (NSP or SOP).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from embeddings.models.config import NetworkConfig
from embeddings.models.encoder import Encoder
from embeddings.models.outputs import PretrainingOutput
from embeddings.transformer.feedforward import ACTIVATIONS
from embeddings.transformer.layers import LayerNorm


class TokenHead(nn.Module):
    """Scores the vocabulary.

    Dense, activation, norm, then the token table (or a map of its own) and a bias per token.
    """

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
        """(scored, hidden_size) -> (scored, vocab_size), logits."""
        if self.dense is not None and self.norm is not None:
            hidden = self.norm(self.activation(self.dense(hidden)))
        return self.decoder(hidden)  # type: ignore[no-any-return]


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

    def forward(
        self,
        input_ids: Tensor,
        token_type_ids: Tensor,
        position_ids: Tensor,
        mask: Tensor | None,
        scored: Tensor,
        first: Tensor,
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
        tokens = self.tokens(kept[: len(scored)])
        sentences = self.sentences(self.encoder.pool(kept[len(scored) :]))
        return PretrainingOutput(tokens, sentences)


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
    """Return a network with fresh weights."""
    network = PretrainingNetwork(config)
    initialise(network, config.initializer_range, torch.Generator().manual_seed(seed))
    return network


def masked_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Sum of cross entropies, nats, over the masked tokens; ``targets`` of -100 are left out."""
    return F.cross_entropy(logits.float(), targets, reduction="sum", ignore_index=-100)

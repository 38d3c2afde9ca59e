"""An encoder with its two pretraining heads: the masked token, and the sentence pair (NSP or SOP)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from embeddings.models.config import NetworkConfig
from embeddings.models.encoder import Encoder
from embeddings.models.outputs import PretrainingOutput
from embeddings.models.scoring import TokenLoss, token_loss
from embeddings.transformer.feedforward import ACTIVATIONS
from embeddings.transformer.layers import LayerNorm


class TokenHead(nn.Module):
    """Scores the vocabulary: dense, activation, norm, then the token table (or a map of its own) and a bias per token."""

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
        return self.decoder(self._transform(hidden))  # type: ignore[no-any-return]

    def loss(self, hidden: Tensor, targets: Tensor) -> TokenLoss:
        """(scored, hidden_size) -> the summed loss against ``targets`` (scored,), and how many are right."""
        narrow = self._transform(hidden)
        return token_loss(narrow, self.decoder.weight, self.decoder.bias, targets)

    def _transform(self, hidden: Tensor) -> Tensor:
        """Dense, activation, norm; S1 has none of it."""
        if self.dense is None or self.norm is None:
            return hidden
        return self.norm(self.activation(self.dense(hidden)))  # type: ignore[no-any-return]


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

    Beside sine waves, of deviation 0.7, token and segment rows of 0.02 would go under, and S1 does not normalise
    their sum: where no score is read off the token table they begin at deviation 1, as torch's own tables do.
    """
    network = PretrainingNetwork(config)
    initialise(network, config.initializer_range, torch.Generator().manual_seed(seed))
    if config.position_embedding_type == "sinusoidal" and not config.tie_word_embeddings:
        inputs = network.encoder.inputs
        with torch.no_grad():
            for table in (inputs.tokens, inputs.segments):
                table.weight.div_(config.initializer_range)
    return network

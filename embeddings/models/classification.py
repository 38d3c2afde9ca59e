"""An encoder with one layer on top that tells sentences apart: a pooled state, dropout, a linear map.

The state is the mean over the tokens, or [CLS] through the pooler as the paper has it (Devlin et al.
2019, section 3.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError
from embeddings.models.encoder import Encoder
from embeddings.models.heads import PretrainingNetwork
from embeddings.transformer.masks import padding_mask

POOLINGS = ("mean", "cls")
SCORED = 4096  # tokens that are scored at once, padding included


@dataclass(frozen=True, slots=True)
class ClassificationConfig:
    """What stands on top of the encoder, and how texts are read.

    Attributes
    ----------
    labels : tuple of str
        In the order of the logits.
    names : tuple of str
        What a page calls them, in the same order; by default as they are.
    pooling : {"mean", "cls"}
    longest : int
        Tokens of a text that are read, [CLS] and [SEP] included; the rest is cut off.
    lower : bool
        Texts are lower-cased first, since those trained on were.
    """

    labels: tuple[str, ...]
    names: tuple[str, ...] = ()
    pooling: str = "mean"
    longest: int = 128
    lower: bool = False
    model_type: str = "classification"

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(self.labels))  # a list in config.json
        object.__setattr__(self, "names", tuple(self.names) or self.labels)
        if len(self.labels) < 2 or len(set(self.labels)) < len(self.labels):
            raise InputError("classify_labels", labels=", ".join(map(str, self.labels)))
        if not len(set(self.names)) == len(self.names) == len(self.labels):
            raise InputError(
                "classify_names", names=", ".join(self.names), labels=", ".join(self.labels)
            )
        check_choice("pooling", self.pooling, POOLINGS)
        check_range("longest", self.longest, 3, 1_000_000)


class ClassificationNetwork(nn.Module):
    """An encoder, the pooled state and the linear map.

    Parameters
    ----------
    encoder : Encoder
    config : ClassificationConfig
    dropout : float
        Of the pooled state, in training.
    """

    def __init__(
        self, encoder: Encoder, config: ClassificationConfig, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.encoder, self.config = encoder, config
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(encoder.config.hidden_size, len(config.labels))

    def forward(self, input_ids: Tensor, real: Tensor) -> Tensor:
        """Ids and which of them are no padding, (batch, tokens) both -> logits (batch, labels)."""
        return self.from_vectors(self.encoder.inputs.tokens(input_ids), real)

    def from_vectors(self, vectors: Tensor, real: Tensor) -> Tensor:
        """Rows of the token table, (batch, tokens, embedding_size) -> logits (batch, labels)."""
        encoder = self.encoder
        segments = real.new_zeros(real.shape, dtype=torch.long)
        hidden = encoder.inputs.add_up(vectors, segments)
        if encoder.widen is not None:
            hidden = encoder.widen(hidden)
        mask = padding_mask(real)
        for layer in encoder.layers:
            hidden, _ = layer(hidden, mask)
        return self.output(self.dropout(self._pool(hidden, real)))  # type: ignore[no-any-return]

    def _pool(self, hidden: Tensor, real: Tensor) -> Tensor:
        """(batch, tokens, hidden_size) -> (batch, hidden_size)."""
        if self.config.pooling == "cls":
            return self.encoder.pool(hidden[:, 0])
        weights = real.to(hidden.dtype)[:, :, None]
        return (hidden * weights).sum(1) / weights.sum(1)


def new_classifier(
    base: PretrainingNetwork, config: ClassificationConfig, seed: int = 1, dropout: float = 0.0
) -> ClassificationNetwork:
    """Return a classifier whose encoder has the weights of ``base``, and a fresh linear map.

    Parameters
    ----------
    dropout : float
        Of the encoder's blocks and of the pooled state; attention is not dropped.
    """
    encoder = Encoder(replace(base.config, hidden_dropout_prob=dropout))
    encoder.pooler = base.encoder.pooler if base.encoder.pooler is None else encoder.pooler
    encoder.load_state_dict(base.encoder.state_dict())
    network = ClassificationNetwork(encoder, config, dropout)
    with torch.no_grad():
        generator = torch.Generator().manual_seed(seed)
        network.output.weight.normal_(0.0, base.config.initializer_range, generator=generator)
        network.output.bias.zero_()
    return network


def freeze(network: ClassificationNetwork, table: bool, layers: int) -> None:
    """Leave weights as they are: the token table; the lowest layers with all that is below them.

    Raises
    ------
    InputError
        If there are fewer layers.
    """
    encoder = network.encoder
    check_range("freeze_layers", layers, 0, len(encoder.layers))
    if table:
        encoder.inputs.tokens.requires_grad_(False)
    if layers:
        encoder.inputs.requires_grad_(False)
        if encoder.widen is not None:
            encoder.widen.requires_grad_(False)
    for layer in encoder.layers[:layers]:
        layer.requires_grad_(False)
    if network.config.pooling == "mean" and encoder.pooler is not None:
        encoder.pooler.requires_grad_(False)  # not on the way to the logits


def batch_of(ids: Sequence[Sequence[int]], pad: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return ids and which of them are real, both of shape (texts, longest of them)."""
    size = max(len(one) for one in ids)
    rows = torch.tensor([[*one, *[pad] * (size - len(one))] for one in ids])
    real = torch.arange(size)[None, :] < torch.tensor([len(one) for one in ids])[:, None]
    return rows.to(device), real.to(device)


def logits_of(network: ClassificationNetwork, ids: Sequence[Sequence[int]]) -> Tensor:
    """Return logits of many texts, shape (texts, labels), float32; those of like lengths run together."""
    device = network.output.weight.device
    pad = network.encoder.config.pad_token_id
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    found = torch.zeros(len(ids), len(network.config.labels))
    while order:
        count = max(1, SCORED // len(ids[order[-1]]))
        rows, order = order[-count:], order[:-count]
        with torch.no_grad():
            logits = network(*batch_of([ids[i] for i in rows], pad, device))
        found[rows] = logits.float().cpu()
    return found

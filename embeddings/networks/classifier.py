"""An encoder that classifies sentences: a pooled state, dropout, a linear map; and its folder.

The state is the mean over the tokens, or [CLS] through the pooler as the paper has it (Devlin et al. 2019, section 3.2). The folder
holds config.json, card.json and in model.safetensors (int8 rows) only the weights that differ from those of the BERT beneath.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from embeddings.configuration import check_choice, check_range, to_json
from embeddings.errors import CheckpointError, InputError, wrong_shape
from embeddings.files import CONFIG, WEIGHTS, write_json
from embeddings.model_card import verify_card
from embeddings.networks.bert import Encoder, PretrainingNetwork
from embeddings.networks.huggingface_folder import load_weights, read_own_settings, read_weights
from embeddings.networks.layers import padding_mask
from embeddings.networks.quantized_weights import dequantize_weights, quantize_weights

# where the texts of training lie (embeddings.probing.label_prediction)
DOMAIN = "domain.safetensors"
POOLINGS = ("mean", "cls")
SCORED = 4096  # tokens that are scored at once, padding included
HEAD_WEIGHTS = ("output.weight", "output.bias")
TABLE = "encoder.inputs.tokens.weight"
TABLE_ROWS = TABLE + ".rows"  # which rows of it a folder holds


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
        """Rows of the token embedding matrix, (batch, tokens, embedding_size) -> logits (batch, labels)."""
        return self.output(self.dropout(self.pooled(vectors, real)))

    def pooled(self, vectors: Tensor, real: Tensor) -> Tensor:
        """Rows of the token embedding matrix, (batch, tokens, embedding_size) -> states (batch, hidden_size)."""
        hidden = self.encoder.from_vectors(vectors, mask=padding_mask(real)).last
        return self.pool(hidden, real)

    def pool(self, hidden: Tensor, real: Tensor) -> Tensor:
        """States of the last layer, (batch, tokens, hidden_size) -> pooled states (batch, hidden_size)."""
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


def freeze(network: ClassificationNetwork, *, table: bool) -> None:
    """Leave weights as they are: on request the token embedding matrix, and always a pooler that is not on the way to the logits."""
    encoder = network.encoder
    encoder.inputs.tokens.requires_grad_(not table)
    if network.config.pooling == "mean" and encoder.pooler is not None:
        encoder.pooler.requires_grad_(False)


def batch_of(ids: Sequence[Sequence[int]], pad: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return ids and which of them are real, both of shape (texts, longest of them)."""
    texts = [torch.tensor(text, dtype=torch.long) for text in ids]
    rows = pad_sequence(texts, batch_first=True, padding_value=pad)
    lengths = torch.tensor([len(text) for text in ids])
    real = torch.arange(rows.shape[1]) < lengths[:, None]
    return rows.to(device), real.to(device)


def logits_of(network: ClassificationNetwork, ids: Sequence[Sequence[int]]) -> Tensor:
    """Return logits of many texts, shape (texts, labels), float32; those of like lengths run together."""
    return states_and_logits(network, ids)[1]


def states_and_logits(
    network: ClassificationNetwork, ids: Sequence[Sequence[int]]
) -> tuple[Tensor, Tensor]:
    """Return pooled states (texts, hidden_size) and logits (texts, labels), float32; texts of like lengths run together."""
    device, config = network.output.weight.device, network.encoder.config
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    all_states = torch.zeros(len(ids), config.hidden_size)
    all_logits = torch.zeros(len(ids), len(network.config.labels))
    while order:
        count = max(1, SCORED // len(ids[order[-1]]))
        rows, order = order[-count:], order[:-count]
        batch, real = batch_of([ids[i] for i in rows], config.pad_token_id, device)
        with torch.no_grad():
            states = network.pooled(network.encoder.inputs.tokens(batch), real)
            logits = network.output(network.dropout(states))
        all_states[rows], all_logits[rows] = states.float().cpu(), logits.float().cpu()
    return all_states, all_logits


def save_classifier(network: ClassificationNetwork, folder: Path, base: PretrainingNetwork) -> int:
    """Write config.json and model.safetensors into an existing folder; return how many weights it holds.

    Only what differs from ``base`` is written, of the token embedding matrix only the rows that do;
    matrices as `embeddings.networks.quantized_weights` has them.
    """
    before = dict(new_classifier(base, network.config).named_parameters())
    changed = {  # a layer that ALBERT shares is named once
        name: weight.detach().cpu()
        for name, weight in network.named_parameters()
        if name in HEAD_WEIGHTS or not torch.equal(weight.detach().cpu(), before[name])
    }
    rows: dict[str, Tensor] = {}
    known = {
        name: weight.detach().cpu() for name, weight in before.items() if name not in HEAD_WEIGHTS
    }
    if TABLE in changed:
        differs = (changed[TABLE] != known[TABLE]).any(1)
        rows[TABLE_ROWS] = differs.nonzero()[:, 0].int()
        changed[TABLE], known[TABLE] = changed[TABLE][differs], known[TABLE][differs]
    state = {
        name: weight.contiguous()
        for name, weight in (quantize_weights(changed, known) | rows).items()
    }
    save_file(state, str(folder / WEIGHTS), metadata={"format": "pt"})
    write_json(folder / CONFIG, to_json(network.config))
    return sum(weight.numel() for weight in changed.values())


def read_config(folder: Path) -> ClassificationConfig:
    """Read config.json.

    Raises
    ------
    MissingFileError, CheckpointError, FormatError
        If it is missing, of another kind of model, or has a setting that is not known.
    """
    return read_own_settings(folder, ClassificationConfig, "classification")


def open_classification(folder: Path, base: PretrainingNetwork) -> ClassificationNetwork:
    """Put what a folder holds over the weights of its BERT: float32, ready to run (dropout off).

    Raises
    ------
    MissingFileError, CheckpointError, FormatError
        If a file is missing, damaged, or does not fit the others.
    """
    verify_card(folder)
    config, path = read_config(folder), folder / WEIGHTS
    state = read_weights(path)
    for name in HEAD_WEIGHTS:  # before labels take memory
        if name not in state:
            raise CheckpointError("checkpoint_missing_weight", path=path, name=name)
        if state[name].shape[:1] != (len(config.labels),):
            raise wrong_shape(path, name, state[name].shape, len(config.labels))
    network = new_classifier(base, config)
    _put_weights(network, state, path)
    return network.eval().requires_grad_(False)


def _put_weights(network: ClassificationNetwork, state: Mapping[str, Tensor], path: Path) -> None:
    """Put weights over those that are there; a name or shape that does not fit is a sentence."""
    parameters = {name: weight.detach() for name, weight in network.named_parameters()}
    packed = dict(state)
    known = {name: weight for name, weight in parameters.items() if name not in HEAD_WEIGHTS}
    rows = packed.pop(TABLE_ROWS, None)
    if rows is not None and TABLE in packed:
        rows = _table_rows(parameters[TABLE], rows, packed, path)
        known[TABLE] = parameters[TABLE][rows]
    weights = dequantize_weights(packed, path, known)
    if rows is not None and TABLE in weights:
        table = parameters[TABLE].clone()
        table[rows] = weights[TABLE].to(table.dtype)
        weights[TABLE] = table
    load_weights(network, network.state_dict() | weights, path)


def _table_rows(table: Tensor, rows: Tensor, packed: Mapping[str, Tensor], path: Path) -> Tensor:
    """Return which rows of the token embedding matrix a folder holds, checked: one stored row for each, all in the table."""
    fits = rows.dim() == 1 and not rows.is_floating_point() and rows.dtype != torch.bool
    fits = fits and packed[TABLE].shape[:1] == rows.shape
    if not fits or (len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < len(table)):
        expected = f"{tuple(packed[TABLE].shape[:1])}, < {len(table)}"
        raise wrong_shape(path, TABLE_ROWS, rows.shape, expected)
    return rows.long()

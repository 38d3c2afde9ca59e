"""A classifier as a folder: config.json, model.safetensors (int8 rows), card.json.

It holds the weights that training has changed; all others, and the tokenizer, are those of the BERT
that the card names by the sha256 of its weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from embeddings.configuration import from_json, to_json
from embeddings.errors import CheckpointError
from embeddings.files import read_json, verify, write_json
from embeddings.models.classification import (
    ClassificationConfig,
    ClassificationNetwork,
    new_classifier,
)
from embeddings.models.compact import pack, unpack
from embeddings.models.folders import CARD, SETTINGS, WEIGHTS, fill, read_weights
from embeddings.models.heads import PretrainingNetwork
from embeddings.models.named_bert import NamedBert, holder, named_bert

HEAD = ("output.weight", "output.bias")
TABLE, ROWS = "encoder.inputs.tokens.weight", ".rows"


def save_classifier(network: ClassificationNetwork, folder: Path, base: PretrainingNetwork) -> int:
    """Write config.json and model.safetensors into an existing folder; return how many weights it holds.

    Only what differs from ``base`` is written, of the token table only the rows that do; matrices as `embeddings.models.compact` has them.
    """
    before = dict(new_classifier(base, network.config).named_parameters())
    own = {  # a layer that ALBERT shares is named once
        name: weight.detach().cpu()
        for name, weight in network.named_parameters()
        if name in HEAD or not torch.equal(weight.detach().cpu(), before[name])
    }
    rows: dict[str, Tensor] = {}
    known = {name: weight.detach().cpu() for name, weight in before.items() if name not in HEAD}
    if TABLE in own:
        differs = (own[TABLE] != known[TABLE]).any(1)
        rows[TABLE + ROWS] = differs.nonzero()[:, 0].int()
        own[TABLE], known[TABLE] = own[TABLE][differs], known[TABLE][differs]
    state = {name: weight.contiguous() for name, weight in (pack(own, known) | rows).items()}
    save_file(state, str(folder / WEIGHTS), metadata={"format": "pt"})
    write_json(folder / SETTINGS, to_json(network.config))
    return sum(weight.numel() for weight in own.values())


def read_config(folder: Path) -> ClassificationConfig:
    """Read config.json.

    Raises
    ------
    MissingFileError, CheckpointError, FormatError
        If it is missing, of another kind of model, or has a setting that is not known.
    """
    settings = read_json(folder / SETTINGS)
    if settings.get("model_type") != "classification":
        raise CheckpointError(
            "checkpoint_model_type",
            path=folder / SETTINGS,
            found=settings.get("model_type"),
            choices="classification",
        )
    if not isinstance(settings.get("labels"), list):
        raise CheckpointError(
            "checkpoint_setting", path=folder / SETTINGS, key="labels", value=settings.get("labels")
        )
    return from_json(ClassificationConfig, settings, folder / SETTINGS)


def open_classification(folder: Path, base: PretrainingNetwork) -> ClassificationNetwork:
    """Put what a folder holds over the weights of its BERT: float32, ready to run (dropout off).

    Raises
    ------
    MissingFileError, CheckpointError, FormatError
        If a file is missing, damaged, or does not fit the others.
    """
    if (folder / CARD).exists():
        files = read_json(folder / CARD).get("files", {})
        known: Mapping[str, object] = files if isinstance(files, dict) else {}
        verify(folder, {str(name): str(digest) for name, digest in known.items()})
    network = new_classifier(base, read_config(folder))
    _put(network, read_weights(folder / WEIGHTS), folder / WEIGHTS)
    return network.eval().requires_grad_(False)


def find_base(folder: Path, networks: Iterable[Path]) -> Path:
    """Return which of some network folders holds the BERT that a classifier names.

    Raises
    ------
    CheckpointError
        If none of them does (the sentence says name and sha256), or it names none.
    """
    wanted = named_bert(folder) or NamedBert("?", "?")
    place = holder(wanted, networks)
    if place is None:
        raise CheckpointError(
            "classify_bert_missing", path=folder, name=wanted.name, sha256=wanted.sha256
        )
    return place


def _put(network: ClassificationNetwork, state: Mapping[str, Tensor], path: Path) -> None:
    """Put weights over those that are there; a name or shape that does not fit is a sentence."""
    own = {name: weight.detach() for name, weight in network.named_parameters()}
    packed, known = dict(state), {n: weight for n, weight in own.items() if n not in HEAD}
    rows = packed.pop(TABLE + ROWS, None)
    places = (
        None if rows is None or TABLE not in packed else _places(own[TABLE], rows, packed, path)
    )
    if places is not None:
        known[TABLE] = own[TABLE][places]
    given = unpack(packed, path, known)
    if places is not None:
        table = own[TABLE].clone()
        table[places] = given[TABLE].to(table.dtype)
        given[TABLE] = table
    for name in HEAD:
        if name not in given:
            raise CheckpointError("checkpoint_missing_weight", path=path, name=name)
    for name in given:
        if name not in own:
            raise CheckpointError("checkpoint_unknown_weight", path=path, name=name)
    fill(network, network.state_dict() | given, path)


def _places(table: Tensor, rows: Tensor, packed: Mapping[str, Tensor], path: Path) -> Tensor:
    """Return which rows of the token table a folder holds, checked: one stored row for each, all in the table."""
    fits = rows.dim() == 1 and len(packed[TABLE]) == len(rows)
    if not fits or (len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < len(table)):
        raise CheckpointError(
            "checkpoint_shape",
            path=path,
            name=TABLE + ROWS,
            found=tuple(rows.shape),
            expected=f"({len(packed[TABLE])},), < {len(table)}",
        )
    return rows.long()

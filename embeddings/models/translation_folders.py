"""A translation network as a folder: config.json, model.safetensors, tokenizer.json, card.json.

A table that two parts share is stored once. A fused network names its BERT by the sha256 of BERT's
weights and holds none of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from embeddings.configuration import from_json, to_json
from embeddings.errors import CheckpointError
from embeddings.files import read_json, verify, write_json
from embeddings.models.compact import pack, unpack
from embeddings.models.folders import CARD, SETTINGS, WEIGHTS, fill, read_weights
from embeddings.models.named_bert import holder, named_bert
from embeddings.models.translation import TranslationConfig, TranslationNetwork


def save_translation(
    network: TranslationNetwork, folder: Path, dtype: torch.dtype = torch.float16
) -> None:
    """Write config.json and model.safetensors into an existing folder; int8 is for matrices, a row a scale."""
    copies = _copies(network.config)
    own = {n: t.detach().cpu() for n, t in network.state_dict().items() if n not in copies}
    state = pack(own) if dtype == torch.int8 else {n: t.to(dtype) for n, t in own.items()}
    state = {name: tensor.contiguous() for name, tensor in state.items()}
    save_file(state, str(folder / WEIGHTS), metadata={"format": "pt"})
    write_json(folder / SETTINGS, to_json(network.config))


def open_translation(folder: Path) -> TranslationNetwork:
    """Read a folder, float32, ready to translate (dropout off).

    Raises
    ------
    MissingFileError, CheckpointError, FormatError
        If a file is missing, damaged, of another kind, or does not fit the others.
    """
    if (folder / CARD).exists():
        files = read_json(folder / CARD).get("files", {})
        assert isinstance(files, dict)
        verify(folder, {str(name): str(digest) for name, digest in files.items()})
    settings = read_json(folder / SETTINGS)
    if settings.get("model_type") != "translation":
        raise CheckpointError(
            "checkpoint_model_type",
            path=folder / SETTINGS,
            found=settings.get("model_type"),
            choices="translation",
        )
    network = TranslationNetwork(from_json(TranslationConfig, settings, folder / SETTINGS))
    state: dict[str, Tensor] = unpack(read_weights(folder / WEIGHTS), folder / WEIGHTS)
    for copy, name in _copies(network.config).items():
        if name in state:
            state[copy] = state[name]
    fill(network, state, folder / WEIGHTS)
    return network.eval()


def find_bert(folder: Path, networks: Iterable[Path]) -> Path | None:
    """Return which of some network folders holds the BERT that a fused model names; None for a plain model.

    Raises
    ------
    CheckpointError
        If none of them does; the sentence says the name and the sha256.
    """
    wanted = named_bert(folder)
    if wanted is None:
        return None
    place = holder(wanted, networks)
    if place is None:
        raise CheckpointError(
            "translation_bert_missing", path=folder, name=wanted.name, sha256=wanted.sha256
        )
    return place


def _copies(config: TranslationConfig) -> dict[str, str]:
    """Weights that are the same object as another: name -> where it is stored."""
    source, target = "source_tokens.weight", "target_tokens.weight"
    found: dict[str, str] = {}
    if config.share_embeddings:
        found[target] = source
    if config.tie_word_embeddings:
        found["scores.weight"] = source if config.share_embeddings else target
    return found

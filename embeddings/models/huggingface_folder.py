"""A network as a folder that Hugging Face's library opens too: config.json, model.safetensors, the vocabulary, card.json.

The card holds each file's sha256; opening verifies them. Nothing is unpickled. A folder of our own form (classifier, translator)
names the BERT that it is built on in its card, by the sha256 of the weights, and holds no copy of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from embeddings.configuration import to_json
from embeddings.errors import CheckpointError, MissingFileError
from embeddings.files import read_json, sha256, verify, write_json
from embeddings.models.bert import PretrainingNetwork
from embeddings.models.huggingface_names import (
    RELATIVES,
    bert_weights,
    from_huggingface,
    from_their_config,
    to_huggingface,
    to_their_config,
)

WEIGHTS, SETTINGS, CARD = "model.safetensors", "config.json", "card.json"


def save_network(
    network: PretrainingNetwork, folder: Path, dtype: torch.dtype = torch.float32
) -> None:
    """Write config.json and model.safetensors into an existing folder (see `embeddings.files.whole_folder`)."""
    state = to_huggingface(network.state_dict(), network.config)
    state = {name: tensor.detach().to("cpu", dtype) for name, tensor in state.items()}
    save_file(state, str(folder / WEIGHTS), metadata={"format": "pt"})
    settings = to_their_config(network.config, to_json(network.config))
    if "dtype" in settings:
        settings["dtype"] = str(dtype).removeprefix("torch.")
    write_json(folder / SETTINGS, settings)


def write_card(folder: Path, card: Mapping[str, object]) -> None:
    """Write card.json with the sha256 of every other file of the folder."""
    files = {p.name: sha256(p) for p in sorted(folder.iterdir()) if p.is_file() and p.name != CARD}
    write_json(folder / CARD, {**card, "files": files})


def open_network(folder: Path) -> PretrainingNetwork:
    """Read a BERT or ALBERT folder of either making, float32, ready to run (dropout off).

    DistilBERT, RoBERTa, XLM-RoBERTa and CamemBERT are read as the BERTs that they are. A head or pooler that the folder lacks is None.

    Raises
    ------
    MissingFileError, CheckpointError
        If a file is missing, truncated, changed since its card was written, or does not fit
        config.json.
    """
    if (folder / CARD).exists():
        files = read_json(folder / CARD).get("files", {})
        verify(
            folder, {str(k): str(v) for k, v in files.items()} if isinstance(files, dict) else {}
        )
    settings = read_json(folder / SETTINGS)
    config = from_their_config(settings, folder / SETTINGS)
    network = PretrainingNetwork(config)
    path = folder / WEIGHTS
    named = f"{path} (names as in BERT)" if settings.get("model_type") in RELATIVES else path
    state, lacking = from_huggingface(bert_weights(read_weights(path), settings), config, named)
    if "tokens" in lacking:
        network.tokens = None
        state = {name: t for name, t in state.items() if not name.startswith("tokens.")}
    if "sentences" in lacking:
        network.sentences = None
    if "pooler" in lacking:
        network.encoder.pooler = None
    load_weights(network, state, named)
    return network.eval()


def read_weights(path: Path) -> dict[str, Tensor]:
    """Read a safetensors file; one that is missing, truncated or of the unsafe kind is a sentence."""
    if not path.exists():
        if (path.parent / "pytorch_model.bin").exists():
            raise CheckpointError("checkpoint_pickle", path=path.parent)
        files = ", ".join(sorted(p.name for p in path.parent.iterdir())) or "nothing"
        way_out = f"A model's folder holds config.json and {WEIGHTS}; this one holds: {files}."
        raise MissingFileError("file_missing", path=path, way_out=way_out)
    try:
        return dict(load_file(str(path)))
    except SafetensorError as error:
        raise CheckpointError("file_unreadable", path=path, reason=str(error)) from error


def load_weights(network: torch.nn.Module, state: Mapping[str, Tensor], path: object = "") -> None:
    """Put weights into a network; raises as `check_fit`."""
    check_fit(network, state, path)
    network.load_state_dict(dict(state))


def check_fit(network: torch.nn.Module, state: Mapping[str, Tensor], path: object = "") -> None:
    """Raise `CheckpointError`, which names the weight, if one is unknown, missing, of another shape, or not finite."""
    expected_state = network.state_dict()
    for name, tensor in state.items():
        if name not in expected_state:
            raise CheckpointError("checkpoint_unknown_weight", path=path, name=name)
        if expected_state[name].shape != tensor.shape:
            raise CheckpointError(
                "checkpoint_shape",
                path=path,
                name=name,
                found=tuple(tensor.shape),
                expected=tuple(expected_state[name].shape),
            )
        if not torch.isfinite(tensor).all():
            raise CheckpointError("checkpoint_not_finite", path=path, name=name)
    for name in expected_state:
        if name not in state:
            raise CheckpointError("checkpoint_missing_weight", path=path, name=name)


@dataclass(frozen=True, slots=True)
class NamedBert:
    """The BERT that a model was trained with: its name then, and the sha256 of its weights."""

    name: str
    sha256: str


def named_bert(folder: Path) -> NamedBert | None:
    """Return the BERT that a folder's card names; None where it names none."""
    about = read_json(folder / CARD).get("bert") if (folder / CARD).exists() else None
    if not isinstance(about, Mapping):
        return None
    return NamedBert(str(about.get("name", "")), str(about.get("sha256", "")))


def holder(wanted: NamedBert, networks: Iterable[Path]) -> Path | None:
    """Return the first of some network folders whose weights are those of the BERT; None if none is."""
    for folder in networks:
        if (folder / WEIGHTS).exists() and sha256(folder / WEIGHTS) == wanted.sha256:
            return folder
    return None

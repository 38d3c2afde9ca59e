"""``--model`` of the commands that ask a network: a name on the shelf or a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from embeddings.errors import InputError
from embeddings.library import Entry, find

if TYPE_CHECKING:
    from embeddings.probing.reader import Reader

MODEL_FILES = ("card.json", "config.json", "vectors.safetensors", "vectors.tsv")
NETWORK = typer.Option(
    ...,
    "--model",
    "-m",
    help="A BERT or ALBERT: its name on the shelf (klyuch models list) or its folder.",
)


def open_named(model: str) -> Reader:
    """Open a network with its tokenizer, as `open_entry`."""
    return open_entry(model)[1]


def open_entry(model: str) -> tuple[Entry, Reader]:
    """Find a network and open it with its tokenizer.

    Raises
    ------
    InputError
        If there is no such model, or it is no network.
    MissingFileError
        If it is a folder that holds no model at all.
    """
    from embeddings.probing.reader import open_reader

    entry = network_entry(model)
    return entry, open_reader(entry.path, entry.name)


def network_entry(model: str) -> Entry:
    """Find a network by its name or folder; raises as `open_entry`."""
    entry = find(model)
    is_model = not entry.path.is_dir() or any((entry.path / name).exists() for name in MODEL_FILES)
    if entry.kind != "network" and is_model:
        raise InputError("model_not_network", name=entry.name, kind=entry.kind)
    return entry

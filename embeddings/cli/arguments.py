"""What arguments of several commands name: a network, a language, a file to write.

- `CARD_LANGUAGE`: ``--language`` of a model's card.
- `open_named`, `open_entry`, `network_entry`: the network that ``--model`` names.
- `check_file_target`: whether a file can be written where ``--output`` says, checked before any work is done for it.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from embeddings.configuration import check_language
from embeddings.errors import InputError
from embeddings.files import CARD
from embeddings.shelf import Entry, find
from embeddings.shelf.loading import load_network

if TYPE_CHECKING:
    from embeddings.probing.network import Network


def _checked(value: str) -> str:
    """Refuse what is no code; left out, it stays unknown."""
    if value:
        check_language(value)
    return value


CARD_LANGUAGE = typer.Option(
    "",
    "--language",
    help="For the card: en, ru, de or another code of two or three letters (ISO 639).",
    callback=_checked,
)


MODEL_FILES = (CARD, "config.json", "vectors.safetensors", "vectors.tsv")


def open_named(model: str) -> Network:
    """Open a network with its tokenizer, as `open_entry`."""
    return open_entry(model)[1]


def open_entry(model: str) -> tuple[Entry, Network]:
    """Find a network and open it with its tokenizer.

    Raises
    ------
    InputError
        If there is no such model, or it is no network.
    MissingFileError
        If it is a folder that holds no model at all.
    """
    entry = network_entry(model)
    return entry, load_network(entry)


def network_entry(model: str) -> Entry:
    """Find a network by its name or folder; raises as `open_entry`."""
    entry = find(model)
    is_model = not entry.path.is_dir() or any((entry.path / name).exists() for name in MODEL_FILES)
    if entry.kind != "network" and is_model:
        raise InputError("model_not_network", name=entry.name, kind=entry.kind)
    return entry


def check_file_target(path: Path) -> None:
    """Raise what writing the file ``path`` would raise; nothing is made on the way.

    Raises
    ------
    OSError
        If a folder is there, something above it is no folder, or the folder may not be written to.
    """
    if path.is_dir():
        raise _refused(errno.EISDIR, path)
    above = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
    if not above.is_dir():
        raise _refused(errno.ENOTDIR, path)
    if not os.access(above, os.W_OK | os.X_OK):
        raise _refused(errno.EACCES, path)


def _refused(number: int, path: Path) -> OSError:
    """Return the error that the system itself would raise."""
    return OSError(number, os.strerror(number), str(path))

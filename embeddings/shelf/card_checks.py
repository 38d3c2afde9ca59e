"""Models checked against their cards: each file hashed now, folders that cannot be used, and a model opened as a proof at import.

On loading, the formats check for themselves: `embeddings.model_card.verify_files` and `verify_card`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from embeddings.errors import KlyuchError, MissingFileError, refusals
from embeddings.files import CONFIG, WEIGHTS, hash_file, read_json, stamp
from embeddings.model_card import CARD, checksums, verify_files
from embeddings.results import Rows, Value
from embeddings.shelf.entries import Entry, kind_of, read_card
from embeddings.shelf.locations import data, home
from embeddings.shelf.model_folders import FILES, check_names
from embeddings.vectors.formats.native_folder import read_native


def check_folder(folder: Path, kind: str, card: Mapping[str, object]) -> None:
    """Open a static model, or the settings and weights of a translator or classifier, as a proof.

    Raises
    ------
    KlyuchError
        If a file is missing, unrecorded, damaged, or does not fit the others.
    """
    check_names(folder, card)
    if kind == "static":
        read_native(folder)
        return
    verify_files(folder, CONFIG, WEIGHTS)
    if kind == "classifier":
        from embeddings.model_card import verify_card
        from embeddings.networks.classifier import read_config  # torch: seconds
        from embeddings.networks.huggingface_folder import read_weights

        verify_card(folder)
        read_config(folder)
        read_weights(folder / WEIGHTS)
    else:
        from embeddings.networks.encoder_decoder import open_translation
        from embeddings.text.subwords import SubwordVocabulary

        open_translation(folder)
        SubwordVocabulary.load(folder)


class FileState(Value):
    """A file of a model, looked at now.

    ``state`` is "sound", "changed", "missing"; or "unrecorded" where its card names no sha256.
    """

    name: str
    size: int
    state: str

    @property
    def is_bad(self) -> bool:
        """Whether the model cannot be used with this file as it is."""
        return self.state in {"changed", "missing"}


class Damage(Value):
    """A model's folder that cannot be used: ``code`` and ``reason`` as the refusal says it."""

    name: str
    path: Path
    is_own: bool
    reason: str


@refusals()
def verify_model(entry: Entry) -> tuple[FileState, ...]:
    """Hash every file of a model now, whatever was verified before, and hold it to the card.

    Returns
    -------
    tuple of FileState
        By name. Files that a card does not name are "unrecorded", all of a model without a card.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    if entry.path.is_file():
        return (_state(entry.path.name, entry.path, None),)
    expected = checksums(read_card(entry))
    files = {file.name: file for file in entry.path.iterdir() if file.is_file()}
    files.pop(CARD, None)
    return Rows(
        _state(name, files.get(name), expected.get(name)) for name in sorted({*expected, *files})
    )


def damaged() -> tuple[Damage, ...]:
    """Return the folders on the shelf that cannot be used, by name.

    Looked at are cards and which files are there; checksums are `verify_model`'s to compute.
    """
    damages: list[Damage] = []
    for models, is_own in ((data() / "models", False), (home() / "models", True)):
        for folder in sorted(models.glob("[!.]*/")):
            if folder.is_dir() and (reason := _reason(folder)):
                damages.append(Damage(folder.name, folder, is_own, reason))
    return Rows(sorted(damages, key=lambda damage: damage.name))


def _state(name: str, file: Path | None, expected: str | None) -> FileState:
    """Hold one file to the card."""
    if file is None:
        return FileState(name, 0, "missing")
    size = file.stat().st_size
    if expected is None:
        return FileState(name, size, "unrecorded")
    return FileState(name, size, "sound" if hash_file(file) == expected else "changed")


def _reason(folder: Path) -> str:
    """Say what a folder on the shelf lacks; "" where it looks whole."""
    try:
        names = _recorded_names(folder / CARD, stamp(folder / CARD))
    except MissingFileError:
        foreign = any((folder / name).exists() for name in FILES)
        return CARD if foreign or any(folder.iterdir()) else ""
    except KlyuchError as error:
        return str(error)
    return ", ".join(name for name in names if not (folder / name).is_file())


@lru_cache(maxsize=256)
def _recorded_names(card: Path, _: str) -> tuple[str, ...]:
    """Return the files that a card names, read once a state of it; a refusal where it is no model's card."""
    fields = read_json(card)
    kind_of(fields, card)
    return tuple(checksums(fields))

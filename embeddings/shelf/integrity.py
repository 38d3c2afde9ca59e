"""Which models on the shelf are whole: checksums hashed now and compared with the cards, damaged folders."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from safetensors import SafetensorError, safe_open

from embeddings.errors import KlyuchError, MissingFileError, refusals
from embeddings.files import CARD, hash_file, parse_json, read_json, stamp
from embeddings.results import Rows
from embeddings.results.shelf_states import Damage, FileState
from embeddings.shelf.entries import Entry, kind_of, read_card
from embeddings.shelf.locations import data, home
from embeddings.shelf.model_folders import FILES, recorded

LARGEST = 1 << 26  # bytes of JSON that is looked into, tokenizers among it


def verify_model(entry: Entry) -> tuple[FileState, ...]:
    """Hash every file of a model now, whatever was verified before, and hold it to the card.

    Returns
    -------
    tuple of FileState
        By name. Files that a card does not name are "unrecorded", all of a model without a card;
        "unreadable" those of them that are cut short or damaged so that they cannot be opened.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    with refusals():
        return _verified(entry)


def _verified(entry: Entry) -> tuple[FileState, ...]:
    """Hash and compare."""
    if entry.path.is_file():
        return (_state(entry.path.name, entry.path, None),)
    expected = recorded(read_card(entry))
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
        return FileState(name, size, "unrecorded" if _opens(file) else "unreadable")
    return FileState(name, size, "sound" if hash_file(file) == expected else "changed")


def _opens(file: Path) -> bool:
    """Whether a file of weights is as long as its header says, and one of JSON is JSON; others are not looked into."""
    try:
        if file.suffix == ".safetensors":
            with safe_open(file, framework="numpy"):
                pass
        elif file.suffix == ".json":
            with file.open("rb") as opened:
                parse_json(opened.read(LARGEST + 1), file, LARGEST)
    except (SafetensorError, KlyuchError):
        return False
    return True


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
    return tuple(recorded(fields))

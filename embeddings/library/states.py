"""How sound the shelf is, and how good: checksums hashed now, damaged folders, scores of all cards."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from embeddings.errors import KlyuchError, MissingFileError
from embeddings.files import hash_file, read_json
from embeddings.library.entries import CARD, Entry, read_card, shelf
from embeddings.library.folders import FILES, recorded
from embeddings.library.places import data, home
from embeddings.results.shelf import Damage, FileState, ModelScore

MEASURES = ("accuracy", "spearman")


def verify_model(entry: Entry) -> tuple[FileState, ...]:
    """Hash every file of a model now, whatever was verified before, and hold it to the card.

    Returns
    -------
    tuple of FileState
        By name. Files that a card does not name are "unrecorded"; so is a model without a card.

    Raises
    ------
    OSError
        If a file cannot be read.
    """
    if entry.path.is_file():
        return (FileState(entry.path.name, entry.path.stat().st_size, "unrecorded"),)
    expected = recorded(read_card(entry))
    found = {file.name: file for file in entry.path.iterdir() if file.is_file()}
    found.pop(CARD, None)
    return tuple(
        _state(name, found.get(name), expected.get(name)) for name in sorted({*expected, *found})
    )


def damaged() -> tuple[Damage, ...]:
    """Return the folders on the shelf that cannot be used, by name.

    Looked at are cards and which files are there; checksums are `verify_model`'s to compute.
    """
    found: list[Damage] = []
    for models, own in ((data() / "models", False), (home() / "models", True)):
        for folder in sorted(models.glob("[!.]*/")):
            if folder.is_dir() and (reason := _reason(folder)):
                found.append(Damage(folder.name, folder, own, reason))
    return tuple(sorted(found, key=lambda one: one.name))


def model_scores(entries: Sequence[Entry] | None = None) -> tuple[ModelScore, ...]:
    """Return what the cards of models say of test sets, in the order of the shelf and the cards.

    A card is anybody's: what in it is no score of a known shape is left out.
    """
    found: list[ModelScore] = []
    for entry in shelf() if entries is None else entries:
        try:
            scores = read_card(entry).get("scores")
        except KlyuchError:
            continue
        if isinstance(scores, Mapping):
            found += _scores(entry, scores)
    return tuple(found)


def _scores(entry: Entry, scores: Mapping[object, object]) -> Iterator[ModelScore]:
    """Yield the scores of one card."""
    who = (entry.name, entry.kind, entry.method, entry.language)
    for name, told in scores.items():
        if isinstance(told, Mapping):
            for measure in MEASURES:
                if (value := _number(told.get(measure))) is not None:
                    counts = (_whole(told.get(key)) for key in ("covered", "total"))
                    yield ModelScore(*who, str(name), measure, value, *counts)
        elif (value := _number(told)) is not None:
            yield ModelScore(*who, "", str(name), value)


def _number(value: object) -> float | None:
    """Return a finite number, or None."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None  # type: ignore[arg-type]


def _whole(value: object) -> int | None:
    """Return a whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


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
        card = read_json(folder / CARD)
    except MissingFileError:
        foreign = any((folder / name).exists() for name in FILES)
        return CARD if foreign or any(folder.iterdir()) else ""
    except KlyuchError as error:
        return str(error)
    return ", ".join(name for name in recorded(card) if not (folder / name).is_file())

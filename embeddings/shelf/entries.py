"""What stands on the shelf: names, folders and cards of models; opening one by name."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from embeddings.errors import InputError, KlyuchError
from embeddings.files import read_json
from embeddings.results import Rows
from embeddings.shelf.locations import data, home
from embeddings.vectors.formats import read
from embeddings.vectors.table import Vectors

CARD = "card.json"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """A model on the shelf, or a file opened from elsewhere.

    ``kind`` is "static", "network", "translation" or "classifier"; ``method`` and ``language`` are
    "" where they are not known.
    """

    name: str
    kind: str
    method: str
    language: str
    path: Path


def list_models() -> tuple[Entry, ...]:
    """Return all models, by name; a folder whose card cannot be read is left out and logged."""
    entries: dict[str, Entry] = {}
    for models in (data() / "models", home() / "models"):
        for card in sorted(models.glob(f"*/{CARD}")):
            if card.parent.name.startswith("."):  # on its way to the shelf, or from it
                continue
            try:
                entries[card.parent.name] = _entry(card.parent)
            except KlyuchError as error:
                log.warning("%s", error)
    return Rows(entries[name] for name in sorted(entries))


def find(name_or_path: str | Path) -> Entry:
    """Return the model of that name, or the folder or file at that path.

    Raises
    ------
    InputError
        If there is neither, or the name is empty; the sentence lists the shelf.
    """
    name = str(name_or_path)
    if not name.strip():  # as a path it would be the current folder
        raise _unknown(name)
    if Path(name).name == name:
        for models in (home() / "models", data() / "models"):
            if (models / name / CARD).exists():
                return _entry(models / name)
    path = Path(name).expanduser()
    if (path / CARD).exists():
        return _entry(path)
    if path.exists():
        # A network of another tool has config.json alone; vectors of another tool are files.
        kind = "network" if (path / "config.json").exists() else "static"
        return Entry(path.name.split(".")[0] or name, kind, "", "", path)
    raise _unknown(name)


def load_vectors(name_or_path: str | Path) -> Vectors:
    """Read a static model; its `UnknownWordError` tells words never seen from words too rare.

    Reading takes some 30 ms for 30 000 words and is not cached here.
    """
    from embeddings.shelf.seen_vocabulary import seen_count

    entry = find(name_or_path)
    if entry.kind != "static":
        raise InputError("model_not_static", name=entry.name, kind=entry.kind)
    vectors = read(entry.path)
    vectors.name = entry.name
    vectors.language = vectors.language or entry.language
    vectors.corpus_count = partial(seen_count, entry, lower=vectors.is_lower)
    if entry.method == "bert":  # its card names the network whose states were averaged
        vectors.is_table = isinstance(read_card(entry).get("network"), dict)
    return vectors


def read_card(entry: Entry) -> dict[str, object]:
    """Return the model's card; what is known of it where it has none."""
    if (entry.path / CARD).exists():
        return read_json(entry.path / CARD)
    about = {"name": entry.name, "kind": entry.kind, "method": entry.method}
    return {**about, "language": entry.language}


def _unknown(name: str) -> InputError:
    """Say that there is no such model, and which there are."""
    choices = ", ".join(entry.name for entry in list_models()) or "nothing"
    return InputError("model_unknown", name=name, choices=choices)


def _entry(folder: Path) -> Entry:
    """Read what a model's folder says it is."""
    card = read_json(folder / CARD)
    kind, method, language = (str(card.get(key) or "") for key in ("kind", "method", "language"))
    return Entry(folder.name, kind or "static", method, language, folder)

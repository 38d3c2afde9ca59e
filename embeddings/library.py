"""The shelf of models: what ships in ``data/models``, the user's own in ``KLYUCH_HOME/models``.

A model is a folder with a ``card.json``. Nothing is written into ``data/``. An own model stands
before a shipped one of the same name.
"""

from __future__ import annotations

import logging
import lzma
import os
import unicodedata
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from embeddings.errors import FormatError, InputError, KlyuchError, MissingFileError
from embeddings.files import read_json
from embeddings.vectors.formats import read
from embeddings.vectors.table import Vectors

CARD = "card.json"
LARGEST_VOCABULARY = 1 << 28  # bytes of a list of words seen, unpacked

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


def home() -> Path:
    """Folder of the user's own data: ``KLYUCH_HOME``, else ``~/.klyuch``."""
    return Path(os.environ.get("KLYUCH_HOME") or "~/.klyuch").expanduser()


def data() -> Path:
    """Folder of what ships: ``KLYUCH_DATA``, else ``data`` in the package or beside it.

    A wheel carries it inside the package, a clone of the repository has it beside.
    """
    if chosen := os.environ.get("KLYUCH_DATA"):
        return Path(chosen)
    inside = Path(__file__).parent / "data"
    return inside if inside.is_dir() else Path(__file__).parents[1] / "data"


def shelf() -> tuple[Entry, ...]:
    """Return all models, by name; a folder whose card cannot be read is left out and logged."""
    found: dict[str, Entry] = {}
    for models in (data() / "models", home() / "models"):
        for card in sorted(models.glob(f"*/{CARD}")):
            try:
                found[card.parent.name] = _entry(card.parent)
            except KlyuchError as error:
                log.warning("%s", error)
    return tuple(found[name] for name in sorted(found))


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
    entry = find(name_or_path)
    if entry.kind != "static":
        raise InputError("model_not_static", name=entry.name, kind=entry.kind)
    vectors = read(entry.path)
    vectors.name = entry.name
    vectors.language = vectors.language or entry.language
    vectors.seen = partial(seen_count, entry, lower=vectors.is_lower)
    return vectors


def read_card(entry: Entry) -> dict[str, object]:
    """Return the model's card; what is known of it where it has none."""
    if (entry.path / CARD).exists():
        return read_json(entry.path / CARD)
    about = {"name": entry.name, "kind": entry.kind, "method": entry.method}
    return {**about, "language": entry.language}


def seen_count(entry: Entry, word: str, *, lower: bool = True) -> int | None:
    """How often the model's corpus had a word, by the list of all words seen in it.

    The list is ``data/vocabularies/CORPUS.txt.xz``, or ``seen.txt.xz`` of the corpus folder that
    the card names: ``word<TAB>count`` lines.

    Returns
    -------
    int or None
        0 if the list lacks the word; None where there is no list.
    """
    listing = _listing(entry)
    if listing is None:
        return None
    status = listing.stat()
    try:
        text = _seen(listing, status.st_size, status.st_mtime_ns)
    except FormatError as error:
        log.warning("%s", error)
        return None
    spelling = unicodedata.normalize("NFC", word)
    key = f"\n{spelling.lower() if lower else spelling}\t".encode()
    at = text.find(key)
    if at < 0:
        return 0
    end = text.find(b"\n", at + len(key))
    number = text[at + len(key) : end]
    return int(number) if number.isdigit() else None


def _unknown(name: str) -> InputError:
    """Say that there is no such model, and which there are."""
    choices = ", ".join(entry.name for entry in shelf()) or "nothing"
    return InputError("model_unknown", name=name, choices=choices)


def _entry(folder: Path) -> Entry:
    """Read what a model's folder says it is."""
    card = read_json(folder / CARD)
    kind, method, language = (str(card.get(key) or "") for key in ("kind", "method", "language"))
    return Entry(folder.name, kind or "static", method, language, folder)


def _listing(entry: Entry) -> Path | None:
    """Path of the list of words seen by a model's corpus, None if there is none."""
    try:
        corpus = read_card(entry).get("corpus")
    except (FormatError, MissingFileError):
        return None
    if not isinstance(corpus, dict):
        return None
    name, folder = corpus.get("name"), corpus.get("folder")
    if isinstance(name, str) and name and Path(name).name == name:
        shipped = data() / "vocabularies" / f"{name}.txt.xz"
        if shipped.is_file():
            return shipped
    if isinstance(folder, str) and (own := Path(folder) / "seen.txt.xz").is_file():
        return own
    return None


@lru_cache(maxsize=4)
def _seen(path: Path, size: int, changed: int) -> bytes:  # noqa: ARG001 - the key of the cache
    """Unpack a list of words seen into one block of bytes: searching it beats parsing it."""
    try:
        with lzma.open(path) as file:
            text = file.read(LARGEST_VOCABULARY)
    except (lzma.LZMAError, EOFError, OSError) as error:
        raise FormatError("file_unreadable", path=path, reason=str(error)) from error
    return b"\n" + text + b"\n"

"""What stands on the shelf: names, folders and cards of models; opening one by name."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from embeddings.archives import unpacked, unpacked_bound
from embeddings.errors import (
    FormatError,
    InputError,
    KlyuchError,
    MissingFileError,
    clause,
    refusals,
)
from embeddings.files import CONFIG, read_json, stamp
from embeddings.model_card import CARD
from embeddings.results import Rows
from embeddings.shelf.locations import data, home
from embeddings.vectors.formats import read
from embeddings.vectors.formats.native_folder import VECTORS_FORMAT
from embeddings.vectors.table import Vectors

SHOWN_LETTERS = 100  # letters of what a card says of its model in a list
MODEL_KINDS = ("static", "network", "translation", "classifier")
KINDS_BY_TYPE = {"translation": "translation", "classification": "classifier"}  # of config.json

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

    @property
    def stamp(self) -> str:
        """Digest of the name, the folder and the state of its files now (`embeddings.files.stamp`).

        What is kept of a model is kept under its stamp: a folder that is rewritten, replaced, renamed
        or gone has another one.
        """
        return f"{self.name} {self.kind} {self.method} {self.language} {stamp(self.path)}"


def list_models() -> Rows[Entry]:
    """Return all models, by name; a folder whose card cannot be read is left out and logged.

    A card is read once per size and time of change: of 20 folders a list takes under a millisecond.
    """
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
    with refusals():
        return _find(name)


def _find(name: str) -> Entry:
    """Return the model of that name, or what lies at that path."""
    if Path(name).name == name:
        for models in (home() / "models", data() / "models"):
            if (models / name / CARD).exists():
                return _entry(models / name)
    path = Path(name).expanduser()
    if (path / CARD).exists():
        return _entry(path)
    if path.exists():
        return Entry(path.name.split(".")[0] or name, kind_without_card(path), "", "", path)
    raise _unknown(name)


def kind_without_card(path: Path) -> str:
    """Return the kind of a model that has no card, by its config.json: one that ours wrote says so, any other is a network's.

    Vectors of another tool are files, or folders without a config.json.
    """
    try:
        settings = read_json(path / CONFIG)
    except MissingFileError:
        return "static"
    except KlyuchError:  # damaged, as the reader of networks will say
        return "network"
    if settings.get("format") == VECTORS_FORMAT:
        return "static"
    return KINDS_BY_TYPE.get(str(settings.get("model_type")), "network")


def load_vectors(name_or_path: str | Path) -> Vectors:
    """Read a static model; its `UnknownWordError` tells words never seen from words too rare.

    Reading takes some 30 ms for 30 000 words and is not cached here.
    """
    entry = find(name_or_path)
    if entry.kind != "static":
        raise InputError("model_not_static", name=entry.name, kind=entry.kind)
    vectors = read(entry.path)
    vectors.name, vectors.path = entry.name, entry.path
    vectors.language = vectors.language or entry.language
    vectors.corpus_count = partial(seen_count, entry, lower=vectors.is_lower)
    if entry.method == "bert":  # its card names the network whose states were averaged
        vectors.is_table = isinstance(read_card(entry).get("network"), dict)
    return vectors


def read_card(entry: Entry) -> dict[str, object]:
    """Return the model's card; what is known of it where it has none.

    Its own checksum is not checked, so that a card that was edited by hand still says where its model comes from; `load_card`, which checks
    it, is for code that holds files to their sha256 or writes the card again.
    """
    if (entry.path / CARD).exists():
        return read_json(entry.path / CARD)
    about = {"name": entry.name, "kind": entry.kind, "method": entry.method}
    return {**about, "language": entry.language}


def _unknown(name: str) -> InputError:
    """Say that there is no such model, and which there are."""
    choices = ", ".join(entry.name for entry in list_models()) or clause("nothing")
    return InputError("model_unknown", name=name, choices=choices)


def _entry(folder: Path) -> Entry:
    """Return the model in a folder, as its card describes it."""
    kind, method, language = _described(folder / CARD, stamp(folder / CARD))
    return Entry(folder.name, kind, method, language, folder)


@lru_cache(maxsize=1024)
def _described(card: Path, _: str) -> tuple[str, str, str]:
    """Return kind, method and language on a card, read once a state of it; "" where it does not say."""
    fields = read_json(card)
    method, language = (
        str(fields.get(key) or "")[:SHOWN_LETTERS] for key in ("method", "language")
    )
    return kind_of(fields, card), method, language


def kind_of(card: Mapping[str, object], path: Path) -> str:
    """Return the kind of model that a card in ``path`` names; what `kind_without_card` says where it names none.

    Raises
    ------
    FormatError
        If it is not one of `MODEL_KINDS`: the folder is not a model.
    """
    kind = card.get("kind") or kind_without_card(path.parent)
    if kind not in MODEL_KINDS:
        raise FormatError(
            "card_kind", path=path, kind=str(kind)[:60], choices=", ".join(MODEL_KINDS)
        )
    return str(kind)


LONGEST_COUNT = 19  # digits that 64 bits hold for sure


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
    try:
        status = listing.stat()
        text = _unpacked(listing, status.st_size, status.st_mtime_ns)
    except (KlyuchError, OSError) as error:
        log.warning("%s", error)
        return None
    spelling = unicodedata.normalize("NFC", word)
    key = f"\n{spelling.lower() if lower else spelling}\t".encode()
    at = text.find(key)
    if at < 0:
        return 0
    end = text.find(b"\n", at + len(key))
    number = text[at + len(key) : end]
    return int(number) if number.isdigit() and len(number) < LONGEST_COUNT else None


def _listing(entry: Entry) -> Path | None:
    """Path of the list of words seen by a model's corpus, None if there is none."""
    try:
        corpus = read_card(entry).get("corpus")
    except (FormatError, MissingFileError):
        return None
    if not isinstance(corpus, dict):
        return None
    name, folder = corpus.get("name"), corpus.get("folder")
    with suppress(OSError, ValueError):  # a name that no file can have
        if isinstance(name, str) and name and Path(name).name == name:
            shipped = data() / "vocabularies" / f"{name}.txt.xz"
            if shipped.is_file():
                return shipped
        if isinstance(folder, str) and (listing := Path(folder) / "seen.txt.xz").is_file():
            return listing
    return None


@lru_cache(maxsize=4)
def _unpacked(path: Path, size: int, changed: int) -> bytes:  # noqa: ARG001 - part of the key of the cache
    """Unpack a list of words seen into one block of bytes: searching it beats parsing it."""
    with path.open("rb") as file, unpacked(file, ".xz", path, unpacked_bound(size)) as packed:
        return b"\n%b\n" % packed.read()

"""Words that a model's corpus had, also those too rare for a vector."""

from __future__ import annotations

import logging
import unicodedata
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from embeddings.archives import ArchiveError, list_bound, unpacked
from embeddings.errors import FormatError, MissingFileError
from embeddings.shelf.entries import Entry, read_card
from embeddings.shelf.locations import data

LONGEST_COUNT = 19  # digits that 64 bits hold for sure
log = logging.getLogger(__name__)


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
    except (FormatError, OSError) as error:
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
def _unpacked(path: Path, size: int, changed: int) -> bytes:  # noqa: ARG001 - the key of the cache
    """Unpack a list of words seen into one block of bytes: searching it beats parsing it."""
    try:
        with path.open("rb") as file, unpacked(file, ".xz", list_bound(path)) as packed:
            return b"\n%b\n" % packed.read()
    except (ArchiveError, OSError) as error:
        raise FormatError("file_unreadable", path=path, reason=str(error)) from error

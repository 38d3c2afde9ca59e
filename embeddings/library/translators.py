"""Opening a translator from the shelf, with the BERT that a fused one names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.errors import CheckpointError
from embeddings.library.entries import find, shelf

if TYPE_CHECKING:
    from embeddings.probing.translation import Translator


def load_translator(name_or_path: str | Path) -> Translator:
    """Open a translation model of that name, or in that folder.

    Raises
    ------
    CheckpointError
        If it is no translator, a file is damaged, or the BERT that it names is not on the shelf.
    """
    from embeddings.models.translation_folders import find_bert  # torch: only where it is used
    from embeddings.probing.reader import open_reader
    from embeddings.probing.translation import open_translator

    entry = find(name_or_path)
    if entry.kind not in ("translation", "network"):
        raise CheckpointError("translation_kind", name=entry.name, kind=entry.kind)
    networks = (other.path for other in shelf() if other.kind == "network")
    place = find_bert(entry.path, networks)
    bert = None if place is None else open_reader(place)
    return open_translator(entry.path, bert, entry.name)

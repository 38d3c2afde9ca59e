"""Finding and opening a translator, with the BERT that a fused one names.

Opening a classifier from the shelf, with the BERT that it names.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.errors import CheckpointError
from embeddings.files import read_json
from embeddings.optional import optional
from embeddings.shelf.entries import Entry, find, list_models
from embeddings.shelf.model_folders import CONFIG

if TYPE_CHECKING:
    from embeddings.probing.label_prediction import Classifier
    from embeddings.probing.translator import Translator


def load_classifier(name_or_path: str | Path) -> Classifier:
    """Open a classifier of that name, or in that folder.

    Raises
    ------
    CheckpointError
        If it is no classifier, a file is damaged, or the BERT that it names is not on the shelf.
    """
    with optional():
        from embeddings.models.classifier import find_base  # torch: only where it is used
        from embeddings.probing.label_prediction import open_classifier

    entry = find(name_or_path)
    if entry.kind != "classifier":
        raise CheckpointError("classify_kind", name=entry.name, kind=entry.kind)
    networks = (other.path for other in list_models() if other.kind == "network")
    return open_classifier(entry.path, find_base(entry.path, networks), entry.name)


def find_translator(name_or_path: str | Path) -> Entry:
    """Return the translator of that name, or in that folder.

    Raises
    ------
    CheckpointError
        If it is no translator; the sentence lists those on the shelf.
    """
    entry = find(name_or_path)
    if entry.kind == "translation" or (entry.kind == "network" and _translates(entry.path)):
        return entry
    choices = (
        ", ".join(other.name for other in list_models() if other.kind == "translation") or "none"
    )
    raise CheckpointError("translation_kind", name=entry.name, kind=entry.kind, choices=choices)


def load_translator(name_or_path: str | Path) -> Translator:
    """Open a translation model of that name, or in that folder.

    Raises
    ------
    CheckpointError
        If it is no translator, a file is damaged, or the BERT that it names is not on the shelf.
    """
    with optional():
        from embeddings.models.encoder_decoder import find_bert  # torch: only where it is used
        from embeddings.probing.reader import open_reader
        from embeddings.probing.translator import open_translator

    entry = find_translator(name_or_path)
    networks = (other.path for other in list_models() if other.kind == "network")
    bert_folder = find_bert(entry.path, networks)
    bert = None if bert_folder is None else open_reader(bert_folder)
    return open_translator(entry.path, bert, entry.name)


def _translates(folder: Path) -> bool:
    """Whether a folder's config.json is that of a translator, which `find` takes for a network without a card."""
    return read_json(folder / CONFIG).get("model_type") == "translation"

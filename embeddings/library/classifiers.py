"""Opening a classifier from the shelf, with the BERT that it names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.errors import CheckpointError
from embeddings.library.entries import find, list_models

if TYPE_CHECKING:
    from embeddings.probing.classification import Classifier


def load_classifier(name_or_path: str | Path) -> Classifier:
    """Open a classifier of that name, or in that folder.

    Raises
    ------
    CheckpointError
        If it is no classifier, a file is damaged, or the BERT that it names is not on the shelf.
    """
    from embeddings.models.classification_folders import find_base  # torch: only where it is used
    from embeddings.probing.classification import open_classifier

    entry = find(name_or_path)
    if entry.kind != "classifier":
        raise CheckpointError("classify_kind", name=entry.name, kind=entry.kind)
    networks = (other.path for other in list_models() if other.kind == "network")
    return open_classifier(entry.path, find_base(entry.path, networks), entry.name)

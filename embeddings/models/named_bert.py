"""The BERT that a folder of our own form is built on: named in its card by the sha256 of its weights, not copied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from embeddings.files import read_json, sha256
from embeddings.models.folders import CARD, WEIGHTS


@dataclass(frozen=True, slots=True)
class NamedBert:
    """The BERT that a model was trained with: its name then, and the sha256 of its weights."""

    name: str
    sha256: str


def named_bert(folder: Path) -> NamedBert | None:
    """Return the BERT that a folder's card names; None where it names none."""
    about = read_json(folder / CARD).get("bert") if (folder / CARD).exists() else None
    if not isinstance(about, Mapping):
        return None
    return NamedBert(str(about.get("name", "")), str(about.get("sha256", "")))


def holder(wanted: NamedBert, networks: Iterable[Path]) -> Path | None:
    """Return the first of some network folders whose weights are those of the BERT; None if none is."""
    for place in networks:
        if (place / WEIGHTS).exists() and sha256(place / WEIGHTS) == wanted.sha256:
            return place
    return None

"""Test sets of static models that are here: analogies and judged pairs of a language, shipped, downloaded or on the mirror."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from embeddings.shelf.locations import data, home

ANALOGIES = {
    "en": ("questions-words.txt",),
    "de": ("semantic_bm.questions", "syntactic.questions"),
}
SIMILARITY = {
    "en": ("EN-WS-353-ALL.txt", "EN-SIMLEX-999.txt"),
    "ru": ("wordsim353-russian.txt", "simlex-russian.txt"),
    "de": ("wordsim353-german.txt", "simlex-german.txt"),
}


def analogy_set(language: str) -> tuple[Path, ...]:
    """Return the files of a language's analogy set; nothing where it is not installed.

    Russian is the project's own, German and English may be fetched: ``klyuch corpus get analogies-en``.
    """
    if language == "ru":
        return _present(data() / "analogies" / "ru.txt")
    return _installed(f"analogies-{language}", ANALOGIES.get(language, ()))


def similarity_sets(language: str) -> tuple[Path, ...]:
    """Return the files of a language's sets of judged pairs; nothing where they are not installed."""
    return _installed(f"similarity-{language}", SIMILARITY.get(language, ()))


def installed_sets(language: str) -> dict[str, Path]:
    """Return the files of a language's test sets that are here, by name."""
    return {path.name: path for path in (*analogy_set(language), *similarity_sets(language))}


def _installed(folder: str, names: Sequence[str]) -> tuple[Path, ...]:
    """Return the files of a fetched folder or of the mirror that has all of them."""
    mirror = os.environ.get("KLYUCH_MIRROR")
    roots = [*home().glob(f"*/{folder}")]
    roots += [Path(mirror) / "evaluation" / folder.replace("-", "_")] if mirror else []
    candidates = (_present(*(root / name for name in names)) for root in roots)
    return next((files for files in candidates if files), ())


def _present(*files: Path) -> tuple[Path, ...]:
    """Return the files if all are there."""
    return files if files and all(file.is_file() for file in files) else ()

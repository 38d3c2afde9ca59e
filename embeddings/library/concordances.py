"""The user's concordances: files in ``KLYUCH_HOME/concordances``."""

from __future__ import annotations

from pathlib import Path

from embeddings.library.places import home

SUFFIX = ".sqlite"


def concordances() -> dict[str, Path]:
    """Return the concordances there are, by name."""
    return {path.stem: path for path in sorted((home() / "concordances").glob(f"*{SUFFIX}"))}


def concordance_path(name_or_path: str) -> Path:
    """Return the path of a concordance: a mere name, as ``novels``, lies in the user's folder."""
    path = Path(name_or_path).expanduser()
    if path.name == name_or_path and not path.suffix and name_or_path:
        return home() / "concordances" / f"{name_or_path}{SUFFIX}"
    return path

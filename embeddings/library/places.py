"""Where models and corpora lie: the user's own under ``KLYUCH_HOME``, what ships under ``data``."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """Folder of the user's own data: ``KLYUCH_HOME``, else ``~/.klyuch``."""
    return Path(os.environ.get("KLYUCH_HOME") or "~/.klyuch").expanduser()


def data() -> Path:
    """Folder of what ships: ``KLYUCH_DATA``, else ``data`` in the package or beside it.

    A wheel carries it inside the package, a clone of the repository has it beside.
    """
    if chosen := os.environ.get("KLYUCH_DATA"):
        return Path(chosen)
    package = Path(__file__).parents[1]
    inside = package / "data"
    return inside if inside.is_dir() else package.parent / "data"

"""The card of a model: ``card.json`` in its folder, which says where it comes from and holds the sha256 of every other file.

Trainers call `build_card`; code that writes a folder calls `write_card` last, and `change_card` after a change. A card carries its
own checksum (`embeddings.files.sealed`); cards of older versions have none. `verify_files` and `verify_card` compare files with it.
Spreads, which are measured of a model, have a card too.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from embeddings._version import __version__
from embeddings.errors import CheckpointError
from embeddings.files import read_sealed, sealed, sha256, verify, write_json

CARD = "card.json"


class Named(Protocol):
    """Anything with a name, a language and a method, as `Vectors` has."""

    name: str
    language: str
    method: str


def build_card(
    model: Named,
    *,
    corpus: Mapping[str, object],
    settings: Mapping[str, object],
    scores: Mapping[str, object] | None = None,
    command: str = "",
    kind: str = "static",
) -> dict[str, object]:
    """Return a card with commit, versions, machine and time filled in.

    Parameters
    ----------
    model : Named
        Gives ``name``, ``language`` and ``method``.
    corpus : Mapping
        ``name``, ``words`` (tokens of the text), ``licence`` and the like; for a corpus of
        the user's own also ``folder``, where its ``seen.txt.xz`` lies.
    settings : Mapping
        As `embeddings.configuration.to_json` gives them; ``seed`` is also shown apart.
    scores : Mapping, optional
        Test set to score.
    command : str, optional
        The command line that made the model.
    kind : str, default "static"
        "static", "network", "translation" or "classifier".

    Returns
    -------
    dict
        Ready for ``card.json``; the keys ``name, kind, method, language, corpus, command, seed,
        commit, settings, scores, machine, versions, created``.
    """
    return {
        "name": model.name,
        "kind": kind,
        "method": model.method,
        "language": model.language,
        "corpus": dict(corpus),
        "command": command,
        "seed": settings.get("seed"),
        "commit": current_commit(),
        "settings": dict(settings),
        "scores": dict(scores or {}),
        "machine": machine(),
        "versions": {
            "klyuch": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def current_commit() -> str | None:
    """Return the commit of this source tree, "-dirty" if changed; None outside a git checkout."""
    root = Path(__file__).parents[1]
    if not (root / ".git").exists():
        return None
    command = ["git", "describe", "--always", "--abbrev=40", "--dirty"]
    try:
        answer = subprocess.run(
            command, cwd=root, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None


def machine() -> str:
    """Return processor and number of cores, as "AMD EPYC, 2 cores"."""
    processor = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
    return f"{processor}, {os.cpu_count()} cores"


def load_card(folder: Path) -> dict[str, Any]:
    """Return the card in a folder, after a check of its own checksum.

    Raises
    ------
    MissingFileError, FormatError, CheckpointError
        As `embeddings.files.read_sealed`.
    """
    return read_sealed(folder / CARD)


def write_card(folder: Path, card: Mapping[str, object]) -> None:
    """Write a card with the sha256 of every other file of the folder under ``files``."""
    names = sorted(file.name for file in folder.iterdir() if file.is_file() and file.name != CARD)
    files = {name: sha256(folder / name) for name in names}
    write_json(folder / CARD, sealed({**card, "files": files}))


def change_card(folder: Path, *changed: str, **entries: object) -> None:
    """Record new entries on a card, and the sha256 of files that were changed or added.

    Raises
    ------
    MissingFileError, FormatError, CheckpointError
        As `load_card`: a damaged card is not given a new checksum.
    """
    card = load_card(folder)
    if changed:
        sums = {name: sha256(folder / name) for name in changed}
        entries = {**entries, "files": {**checksums(card), **sums}}
    write_json(folder / CARD, {**card, **entries})


def checksums(card: Mapping[str, object]) -> dict[str, str]:
    """Return the sha256 that a card records, by file name."""
    files = card.get("files")
    return {str(k): str(v) for k, v in files.items()} if isinstance(files, dict) else {}


def verify_files(folder: Path, *names: str) -> dict[str, object]:
    """Check the named files against the sha256 on the folder's card, and return the card.

    A file is read for it once per size and time of change.

    Raises
    ------
    CheckpointError, MissingFileError
        If the card does not record a file, or a file is missing or has changed.
    """
    card = load_card(folder)
    files = checksums(card)
    for name in names:
        if name not in files:
            raise CheckpointError("card_lacks_file", path=folder / CARD, name=name)
        verify(folder, {name: files[name]})
    return card


def verify_card(folder: Path) -> None:
    """Check every file that the folder's card records; a folder without a card passes."""
    if (folder / CARD).exists():
        verify(folder, checksums(load_card(folder)))

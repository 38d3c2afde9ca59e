"""The card of a model: its corpus, command, commit, settings and scores.

Trainers call `build_card`; the writer of the folder adds each file's sha256 under ``files``.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import numpy as np

from embeddings._version import __version__


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
    root = Path(__file__).parents[3]
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

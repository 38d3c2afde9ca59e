"""Folders of parts that a run on a cluster has finished: taken up by the same run, made again by another."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings._version import __version__
from embeddings.errors import KlyuchError
from embeddings.files import atomic_file, atomic_folder, check_replaceable, read_json, write_json

MANIFEST = "manifest.json"


def open_parts(folder: Path, about: object) -> None:
    """Make a folder of parts, or keep it if it was made of the same.

    Parameters
    ----------
    folder : Path
        Where parts lie.
    about : object
        All that decides what a part holds, as JSON.

    Raises
    ------
    FormatError
        If something else lies there.
    """
    check_replaceable(folder, MANIFEST, (MANIFEST, "*.npz", "*.npy", ".*"))
    listed = json.dumps([__version__, about], sort_keys=True)
    manifest: dict[str, object] = {"parts": hashlib.sha256(listed.encode()).hexdigest()}
    if folder.exists() and not _is_same(folder / MANIFEST, manifest):
        shutil.rmtree(folder)
    if not folder.exists():
        with atomic_folder(folder) as temporary:
            write_json(temporary / MANIFEST, manifest)


def _is_same(path: Path, manifest: dict[str, object]) -> bool:
    """Whether a manifest says the same."""
    try:
        return read_json(path) == manifest
    except KlyuchError:
        return False


def save_part(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a part, whole or not at all."""
    with atomic_file(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def is_kept(path: Path) -> bool:
    """Whether a part is there and whole, by the checksums of its arrays; a damaged one is made again."""
    try:
        with zipfile.ZipFile(path) as part:
            return part.testzip() is None
    except (OSError, zipfile.BadZipFile, zlib.error):
        return False


def count_parts(folder: Path) -> int:
    """Return how many parts a folder holds."""
    return len(list(folder.glob("*.npz")))

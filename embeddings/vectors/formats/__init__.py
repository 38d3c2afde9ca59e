"""Files of vectors: the native folder, and the formats of other tools, one file each."""

from __future__ import annotations

from pathlib import Path

from embeddings.errors import MissingFileError
from embeddings.vectors.formats.card import build_card
from embeddings.vectors.formats.native import read_native, verify_files, write_native
from embeddings.vectors.table import Vectors

__all__ = ["build_card", "read", "read_native", "verify_files", "write_native"]


def read(path: Path) -> Vectors:
    """Read vectors from a native folder."""
    if not path.exists():
        raise MissingFileError("file_missing", path=path, way_out="Check the spelling.")
    return read_native(path)

"""Files that are never half-written: a temporary sibling, synced, renamed; and checksums that are paid for once."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from embeddings.errors import CheckpointError, FormatError, MissingFileError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary sibling to write; it takes ``path``'s place only when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        _sync(temporary)
        temporary.replace(path)
        _sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary sibling folder; it takes ``path``'s place (an old one is replaced) when the block ends well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield temporary
        temporary.chmod(0o755)
        for file in temporary.rglob("*"):
            if file.is_file():
                file.chmod(0o644)
            _sync(file)
        if path.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
            path.rename(old / path.name)
            temporary.rename(path)
            shutil.rmtree(old)
        else:
            temporary.rename(path)
        _sync(path.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _sync(path: Path) -> None:
    """Flush a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sha256(path: Path) -> str:
    """Hexadecimal sha256 of a file's bytes, remembered by path, size and time of change."""
    status = path.stat()
    return _sha256(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1024)
def _sha256(path: Path, size: int, changed: int) -> str:  # noqa: ARG001 - the key of the cache
    """Hash a file in pieces of one MiB."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def verify(folder: Path, checksums: Mapping[str, str]) -> None:
    """Raise `CheckpointError` unless each named file of ``folder`` has its sha256."""
    for name, expected in checksums.items():
        path = folder / name
        if not path.exists():
            raise MissingFileError("file_missing", path=path, way_out="Get the model again.")
        found = sha256(path)
        if found != expected:
            raise CheckpointError("file_checksum", path=path, found=found, expected=expected)


def read_json(path: Path) -> dict[str, object]:
    """Read a JSON object, with a sentence for a file that is missing or broken."""
    if not path.exists():
        raise MissingFileError("file_missing", path=path, way_out="Is this a model's folder?")
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FormatError("file_unreadable", path=path, reason=str(error)) from error
    if not isinstance(value, dict):
        raise FormatError("file_unreadable", path=path, reason="it is not a JSON object")
    return value


def write_json(path: Path, value: Mapping[str, object]) -> None:
    """Write a JSON object, whole or not at all, keys in the order given, readable in any script."""
    with whole_file(path) as temporary:
        temporary.write_text(
            json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
        )

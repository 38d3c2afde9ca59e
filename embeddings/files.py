"""Files that are never half-written: a temporary sibling, synced, renamed; and checksums that are paid for once."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from embeddings.errors import CheckpointError, FormatError, InputError, MissingFileError


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
def whole_folder(path: Path, *, replace: bool = True) -> Iterator[Path]:
    """Yield a temporary sibling folder; it takes ``path``'s place (an old one is replaced) when the block ends well.

    All files get mode 0644 and all folders 0755. If the places cannot be swapped, the old folder stays.
    Without ``replace`` an old one, be it made in the meantime, is a `FileExistsError` and stays.

    Raises
    ------
    InputError
        If ``path`` is the current folder or one above it.
    OSError
        If ``path`` is a file, or its place cannot be written to.
    """
    path = path.resolve()
    _check_elsewhere(path)
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield temporary
        temporary.chmod(0o755)
        for file in temporary.rglob("*"):
            file.chmod(0o755 if file.is_dir() else 0o644)
            _sync(file)
        if path.exists() and replace:
            _swap(temporary, path)
        else:
            _first(temporary, path)
        _sync(path.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _first(new: Path, path: Path) -> None:
    """Put ``new`` where nothing stands yet; the system says so if a folder has come there."""
    try:
        new.rename(path)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error


def _swap(new: Path, path: Path) -> None:
    """Put ``new`` in the place of ``path`` and delete what was there; if that fails, all is as before."""
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
    old = aside / path.name
    try:
        path.rename(old)
        try:
            new.rename(path)
        except BaseException:
            old.rename(path)
            raise
    except BaseException:
        with suppress(OSError):
            aside.rmdir()  # only if empty: where the old folder could not go back, it stays in it
        raise
    shutil.rmtree(aside, ignore_errors=True)


def check_replaceable(folder: Path, mark: str, expected: Collection[str]) -> None:
    """Raise unless ``folder`` can be written: not there yet, empty, or one of its own kind.

    Writing replaces a folder whole: it must not be one that holds anything else.

    Parameters
    ----------
    folder : Path
        Where is to be written.
    mark : str
        The file that a folder of this kind always holds; "" if none is ever replaced.
    expected : collection of str
        All names that such a folder can hold, * for any letters; one more is refused.

    Raises
    ------
    FormatError
        If something else is there; the sentence names it.
    InputError
        If it is the current folder or one above it.
    """
    _check_elsewhere(folder.resolve())
    if not folder.exists():
        return
    is_folder = folder.is_dir()
    names = {file.name for file in folder.iterdir()} if is_folder else {folder.name}
    foreign = {
        name for name in names if not any(fnmatchcase(name, pattern) for pattern in expected)
    }
    if not is_folder or mark not in names:
        foreign = names
    if foreign:
        listed = ", ".join(sorted(foreign)[:5])
        raise FormatError("vectors_target", path=folder, found=listed)


def check_apart(folder: Path, sources: Iterable[Path]) -> None:
    """Refuse a ``folder`` that is a source, holds one or lies in one: writing could delete text."""
    target = folder.resolve()
    for source in sources:
        path = source.resolve()
        if target.is_relative_to(path) or path.is_relative_to(target):
            raise InputError("corpus_output_source", path=folder, source=source)


def _check_elsewhere(path: Path) -> None:
    """Refuse the current folder and those above it, which cannot be replaced under one's feet."""
    if Path.cwd().is_relative_to(path):
        raise InputError("output_here", path=path)


def _sync(path: Path) -> None:
    """Flush a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_file(path: Path, way_out: str) -> None:
    """Refuse a ``path`` that is no file: a folder by that name, and what is not there with the way out."""
    if path.is_dir():
        raise InputError("file_folder", path=path)
    if not path.is_file():
        raise MissingFileError("file_missing", path=path, way_out=way_out)


def sha256(path: Path) -> str:
    """Hexadecimal sha256 of a file's bytes, remembered by path, size, times of change and inode."""
    return _sha256(path, _state(path.name, path.stat()))


@lru_cache(maxsize=1024)
def _sha256(path: Path, state: tuple[str, int, int, int, int]) -> str:  # noqa: ARG001 - the key of the cache
    """Hash a file once a state."""
    return hash_file(path)


def hash_file(path: Path) -> str:
    """Hexadecimal sha256 of a file's bytes as they are now, read in pieces of one MiB."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def stamp(path: Path, *, recursive: bool = False) -> str:
    """Hexadecimal digest of a path and of the files there: another one once a file is rewritten, replaced, renamed or gone.

    Each file counts by its name, size, times of change and inode; nothing is read, so that a folder
    of five files costs some 20 microseconds. Files on their way (hidden ones) do not count.

    Parameters
    ----------
    path : Path
        A folder, a file, or nothing.
    recursive : bool, default False
        Whether what lies in folders below counts too; links to folders are not followed.
    """
    states = []
    with suppress(OSError):  # not there, or gone in this moment
        states = sorted(_states(path, recursive=recursive))
    return hashlib.blake2b(repr((str(path), states)).encode(), digest_size=16).hexdigest()


def _states(
    path: Path, below: str = "", *, recursive: bool
) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield the state of a file, or of what lies in a folder, named by the way from the folder that is stamped."""
    if not path.is_dir():
        yield _state(path.name, path.stat())
        return
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name[0] == ".":
                continue
            state = _entry_state(entry)
            yield (below + entry.name, *state[1:])
            if recursive and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):  # one that cannot be read hides no change of the others
                    yield from _states(path / entry.name, f"{below}{entry.name}/", recursive=True)


def _entry_state(entry: os.DirEntry[str]) -> tuple[str, int, int, int, int]:
    """Return the state of a file in a folder; of a link that leads nowhere, its own."""
    try:
        return _state(entry.name, entry.stat())
    except OSError:
        return _state(entry.name, entry.stat(follow_symlinks=False))


def _state(name: str, status: os.stat_result) -> tuple[str, int, int, int, int]:
    """Return what tells a file from another one of its name."""
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return (name, status.st_size, *times, status.st_ino)


def verify(folder: Path, checksums: Mapping[str, str]) -> None:
    """Raise `CheckpointError` unless each named file of ``folder`` has its sha256."""
    for name, expected in checksums.items():
        path = folder / name
        if not path.exists():
            raise MissingFileError("file_missing", path=path, way_out="Get the model again.")
        digest = sha256(path)
        if digest != expected:
            raise CheckpointError("file_checksum", path=path, found=digest, expected=expected)


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

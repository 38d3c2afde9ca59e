"""Packed data: gzip, bzip2 and xz read as streams within bounds, and zips that a person brings checked and unpacked.

Nothing that a header claims is believed: what unpacks to more than its bound is an `InflatedError` while it is being read, and a call
takes no more memory than the bytes that it asks for. `unpack_zip` alone turns names of members into paths: of texts and of models.
Members of a zip are stored or deflated, as every program packs them: of the other methods `zipfile` unpacks a whole block
whatever it is asked. `archive_refusals` turns the errors of this module into messages.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import re
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol, cast

from embeddings.errors import FormatError, InputError

RATIO = 100  # bytes that a packed byte may unpack to; text packs 3 to 12 times, vectors 2 to 4
FREE_BYTES = 1 << 24  # bytes that any packed data may unpack to
MAX_MEMBERS = 10_000  # files of a zip
_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"BZh": ".bz2"}
_OPENERS: Mapping[str, Callable[[IO[bytes]], Any]] = {
    ".gz": gzip.open,
    ".xz": lzma.open,
    ".bz2": bz2.open,
}
_DAMAGE = (zlib.error, lzma.LZMAError, zipfile.BadZipFile, struct.error)


class ArchiveError(Exception):
    """Packed data that cannot be read."""


class TruncatedError(ArchiveError):
    """Packed data that ends too early."""


class DamagedArchiveError(ArchiveError):
    """Packed data that contradicts itself, has a password or is packed in a way that is not known."""


class InflatedError(ArchiveError):
    """Packed data that unpacks to more than it may."""


class ByteSource(Protocol):
    """Anything that bytes are read from."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes."""


class PackedReader:
    """Bytes out of a packed stream, ``bound`` of them at most (None: as many as there are)."""

    def __init__(self, stream: ByteSource, bound: int | None = None) -> None:
        self._stream = stream
        self._bound = bound
        self._count = 0

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` bytes, all that are left if it is negative; fewer only at the end.

        Raises
        ------
        TruncatedError, DamagedArchiveError, InflatedError
            As soon as it is met.
        """
        if self._bound is not None:
            left = self._bound + 1 - self._count  # one too many tells more from just enough
            size = left if size < 0 else min(size, left)
        with _named_errors():
            data = self._stream.read(size)
        self._count += len(data)
        if self._bound is not None and self._count > self._bound:
            raise InflatedError(f"more than {self._bound} bytes")
        return data


@dataclass(frozen=True, slots=True)
class ZipReader:
    """An open zip; ``members`` are its files, without its folders."""

    archive: zipfile.ZipFile
    members: tuple[zipfile.ZipInfo, ...]

    @contextmanager
    def open(self, member: zipfile.ZipInfo, bound: int | None = None) -> Iterator[PackedReader]:
        """Open one member, of which ``bound`` bytes may be read."""
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            name, method = member.filename, member.compress_type
            raise DamagedArchiveError(f"{name!r} is packed by method {method}, not by deflate")
        with _named_errors():
            stream = self.archive.open(member)
        with stream:
            yield PackedReader(stream, bound)


@contextmanager
def open_zip(packed: Path | IO[bytes]) -> Iterator[ZipReader]:
    """Open a zip.

    Raises
    ------
    DamagedArchiveError
        If it is not a zip, or its list of members cannot be read.
    """
    with _named_errors():
        archive = zipfile.ZipFile(packed)
    with archive:
        if any(not info.filename for info in archive.infolist()):
            raise DamagedArchiveError("a file in it has no name")
        files = tuple(info for info in archive.infolist() if not info.is_dir())
        yield ZipReader(archive, files)


@contextmanager
def unpacked(
    stream: IO[bytes] | PackedReader, packing: str, bound: int | None = None
) -> Iterator[PackedReader]:
    """Open what a stream holds.

    Parameters
    ----------
    stream : binary file
        Stays open; may itself be a member of a zip.
    packing : {".gz", ".xz", ".bz2", ""}
        As `packing_of_name` or `packing_of_bytes` gives it; "" reads the bytes as they are.
    bound : int, optional
        Bytes that may come out.
    """
    if not packing:
        yield PackedReader(stream, bound)
        return
    with _OPENERS[packing](cast("IO[bytes]", stream)) as opened:
        yield PackedReader(opened, bound)


def unpacked_bound(size: int) -> int:
    """Return how many bytes packed data of a size may unpack to: `RATIO` times its size, or `FREE_BYTES`."""
    return max(FREE_BYTES, RATIO * size)


def unpack_zip(packed: Path, target: Path) -> None:
    """Write the files of a zip that a person brought into a new folder; hidden ones and what macOS adds are left out.

    Raises
    ------
    InputError
        If it holds over `MAX_MEMBERS` files, a link or one that would lie outside ``target``, or unpacks to over `unpacked_bound`.
    FormatError
        If it is damaged, or has a password.
    """
    target.mkdir()
    left = unpacked_bound(packed.stat().st_size)
    with archive_refusals(packed.name, ".zip"), open_zip(packed) as archive:
        if len(archive.members) > MAX_MEMBERS:
            raise InputError("archive_files", path=packed.name, bound=MAX_MEMBERS)
        for member in archive.members:
            path = PurePosixPath(member.filename.replace("\\", "/"))
            if _leads_outside(path) or stat.S_ISLNK(member.external_attr >> 16):
                raise InputError("archive_outside", path=packed.name, name=member.filename[:200])
            if any(part.startswith(".") or part == "__MACOSX" for part in path.parts):
                continue
            file = target / str(path).replace(":", "_")  # no part of a name on Windows
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member, left) as source, file.open("xb") as opened:
                    shutil.copyfileobj(source, opened)
            except (FileExistsError, NotADirectoryError) as error:
                raise DamagedArchiveError(f"two files in it are called {path}") from error
            left -= file.stat().st_size


def _leads_outside(path: PurePosixPath) -> bool:
    """Whether the path of a member would leave the folder that it is put in."""
    return path.is_absolute() or ".." in path.parts or re.match("[A-Za-z]:", str(path)) is not None


@contextmanager
def archive_refusals(path: object, kind: str) -> Iterator[None]:
    """Turn what is wrong with packed data of a ``kind``, as ".gz", into an error that names the file ``path``."""
    try:
        yield
    except TruncatedError as error:
        raise FormatError("corpus_truncated", path=path) from error
    except InflatedError as error:
        raise InputError("archive_ratio", path=path, ratio=RATIO) from error
    except ArchiveError as error:
        raise FormatError("corpus_damaged", path=path, kind=kind, reason=error) from error


def packing_of_name(name: str) -> str:
    """Return how a file is packed by its suffix: ".gz", ".xz", ".bz2", or "" for none of them.

    Examples
    --------
    >>> packing_of_name("novel.txt.GZ"), packing_of_name("novel.txt")
    ('.gz', '')
    """
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if suffix in _MAGIC.values() else ""


def packing_of_bytes(start: bytes) -> str:
    """Return how a file is packed by its first six bytes, as `packing_of_name`."""
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "")


@contextmanager
def _named_errors() -> Iterator[None]:
    """Turn what the libraries raise over packed data into the errors of this module."""
    try:
        yield
    except EOFError as error:
        raise TruncatedError(str(error)) from error
    except (*_DAMAGE, RuntimeError, ValueError, OverflowError, MemoryError) as error:
        # a password, a packing not known; names, offsets and sizes that lie
        raise DamagedArchiveError(str(error)) from error
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):  # the disk, not the data
            raise
        raise DamagedArchiveError(str(error)) from error  # as bz2 does

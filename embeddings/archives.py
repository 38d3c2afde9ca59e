"""Packed data as streams of bytes: gzip, bzip2, xz and the members of a zip; the one reader that all rooms use.

Nothing that a header claims is believed: what unpacks to more than its bound is an `InflatedError` while it is being read, and a
member's name is a path only after `Member.leads_outside` and `Member.is_link` were asked. Each room says what was raised here in
a sentence of its own: none of these errors reaches a user.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO, cast

RATIO = 100  # bytes that a packed byte may unpack to; text packs 3 to 12 times, vectors 2 to 4
_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"BZh": ".bz2"}


class ArchiveError(Exception):
    """Packed data that cannot be read."""


class TruncatedError(ArchiveError):
    """Packed data that ends too early."""


class DamagedArchiveError(ArchiveError):
    """Packed data that contradicts itself, has a password or is packed in a way that is not known."""


class InflatedError(ArchiveError):
    """Packed data that unpacks to more than it may."""


class PackedReader:
    """Bytes out of a packed stream, ``bound`` of them at most (None: as many as there are)."""

    def __init__(self, stream: IO[bytes], bound: int | None = None) -> None:
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


@dataclass(frozen=True)
class Member:
    """A file or folder that a zip lists."""

    info: zipfile.ZipInfo

    @cached_property
    def path(self) -> PurePosixPath:
        """Path as the archive has it, with / between its parts."""
        return PurePosixPath(self.info.filename.replace("\\", "/"))

    @property
    def leads_outside(self) -> bool:
        """Whether the path would leave the folder that it is put in."""
        is_drive = re.match(r"[A-Za-z]:", self.info.filename) is not None
        return self.path.is_absolute() or ".." in self.path.parts or is_drive

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.info.external_attr >> 16)

    @property
    def is_hidden(self) -> bool:
        """Whether it, or a folder above it, is hidden, or one that macOS adds."""
        return any(part.startswith(".") or part == "__MACOSX" for part in self.path.parts)


@dataclass(frozen=True, slots=True)
class ZipReader:
    """An open zip; ``members`` are its files, without its folders."""

    archive: zipfile.ZipFile
    members: tuple[Member, ...]

    @contextmanager
    def open(self, member: Member, bound: int | None = None) -> Iterator[PackedReader]:
        """Open one member, of which ``bound`` bytes may be read."""
        with _named_errors():
            stream = self.archive.open(member.info)
        with stream:
            yield PackedReader(stream, bound)


@contextmanager
def open_zip(packed: Path | IO[bytes]) -> Iterator[ZipReader]:
    """Open a zip.

    Raises
    ------
    DamagedArchiveError
        If it is none, or its list of members cannot be read.
    """
    with _named_errors():
        archive = zipfile.ZipFile(packed)
    with archive:
        files = tuple(Member(info) for info in archive.infolist() if not info.is_dir())
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
    source = cast("IO[bytes]", stream)
    if not packing:
        yield PackedReader(source, bound)
        return
    opened: IO[bytes]
    if packing == ".gz":
        opened = cast("IO[bytes]", gzip.GzipFile(fileobj=source))
    elif packing == ".xz":
        opened = cast("IO[bytes]", lzma.open(source))  # noqa: SIM115 - closed below
    else:
        opened = cast("IO[bytes]", bz2.open(source))  # noqa: SIM115
    with opened:
        yield PackedReader(opened, bound)


def packing_of_name(name: str, known: Collection[str] = (".gz", ".xz")) -> str:
    """Return how a file is packed by its suffix, "" if by none of ``known``.

    Examples
    --------
    >>> packing_of_name("novel.txt.GZ"), packing_of_name("novel.txt")
    ('.gz', '')
    """
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if suffix in known else ""


def packing_of_bytes(start: bytes, known: Collection[str] = (".gz", ".xz")) -> str:
    """Return how a file is packed by its first six bytes, "" if by none of ``known``."""
    kinds = (kind for magic, kind in _MAGIC.items() if start.startswith(magic))
    return next((kind for kind in kinds if kind in known), "")


@contextmanager
def _named_errors() -> Iterator[None]:
    """Turn what the libraries raise over packed data into the errors of this module."""
    try:
        yield
    except EOFError as error:
        raise TruncatedError(str(error)) from error
    except (zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise DamagedArchiveError(str(error)) from error
    except (NotImplementedError, RuntimeError) as error:  # a packing not known, a password
        raise DamagedArchiveError(str(error)) from error
    except (ValueError, OverflowError, struct.error) as error:  # names and offsets that lie
        raise DamagedArchiveError(str(error)) from error
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):  # the disk, not the data
            raise
        raise DamagedArchiveError(str(error)) from error  # as bz2 does

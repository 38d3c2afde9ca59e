"""Packed data: gzip, bzip2 and xz read as streams within bounds, and zips that a person brings checked and unpacked.

Nothing that a header claims is believed: what unpacks to more than its bound is refused while it is being read, and a call takes no
more memory than the bytes that it asks for. `unpack_zip` alone turns names of members into paths: of texts and of models. Members of a
zip are stored or deflated, as every program packs them: of the other methods `zipfile` unpacks a whole block whatever it is asked.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import io
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

from embeddings.errors import Clause, FormatError, InputError, KlyuchError, clause

RATIO = 100  # bytes that a packed byte may unpack to; text packs 3 to 12 times, vectors 2 to 4
FREE_BYTES = 1 << 24  # bytes that any packed data may unpack to
MAX_MEMBERS = 10_000  # files of a zip
_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"BZh": ".bz2"}
LARGEST_DICTIONARY = 1 << 27  # bytes that xz data may ask for; `xz -9` asks for half of it
_DAMAGE = (zlib.error, lzma.LZMAError, zipfile.BadZipFile, struct.error)


class ByteSource(Protocol):
    """Anything that bytes are read from."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes."""


class PackedReader:
    """Bytes out of a packed stream, ``bound`` of them at most (None: as many as there are); errors name the file ``path``."""

    def __init__(
        self, stream: ByteSource, path: object, kind: str, bound: int | None = None
    ) -> None:
        self._stream, self._path, self._kind = stream, path, kind
        self._bound = bound
        self._count = 0

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` bytes, all that are left if it is negative; fewer only at the end.

        Raises
        ------
        FormatError, InputError
            If the data ends too early or is damaged, or unpacks to more than the bound; as soon as it is met.
        """
        if self._bound is not None:
            left = self._bound + 1 - self._count  # one too many tells more from just enough
            size = left if size < 0 else min(size, left)
        with _refusals(self._path, self._kind):
            data = self._stream.read(size)
        self._count += len(data)
        if self._bound is not None and self._count > self._bound:
            raise InputError("archive_ratio", path=self._path, ratio=RATIO)
        return data


class _XzReader(io.RawIOBase):
    """Bytes out of xz, or of the older .lzma; `lzma.open` gives a stream all the memory that its header asks for, up to 4 GB."""

    def __init__(self, source: ByteSource) -> None:
        self._source, self._decompressor = source, self._begin()

    @staticmethod
    def _begin() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_AUTO, memlimit=LARGEST_DICTIONARY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        size, piece = len(buffer), b""
        while not piece:
            if self._decompressor.eof:
                packed = self._next_stream()
                following = self._begin()
                try:
                    piece = following.decompress(packed, size)
                except lzma.LZMAError:  # no stream: left out, as lzma does
                    return 0
                if not packed:
                    return 0
                self._decompressor = following
                continue
            packed = b""
            if self._decompressor.needs_input:
                packed = self._source.read(io.DEFAULT_BUFFER_SIZE)
                if not packed:
                    raise EOFError("the packed data ends before its end was marked")
            piece = self._decompressor.decompress(packed, size)
        buffer[: len(piece)] = piece
        return len(piece)

    def _next_stream(self) -> bytes:
        """Return what stands behind the stream that has ended, zeros left out."""
        packed = self._decompressor.unused_data.lstrip(b"\0")
        while not packed and (more := self._source.read(io.DEFAULT_BUFFER_SIZE)):
            packed = more.lstrip(b"\0")
        return packed


def _open_xz(source: IO[bytes]) -> io.BufferedReader:
    """Open xz data for its bytes."""
    return io.BufferedReader(_XzReader(source))


_OPENERS: Mapping[str, Callable[[IO[bytes]], Any]] = {
    ".gz": gzip.open,
    ".xz": _open_xz,
    ".bz2": bz2.open,
}


@dataclass(frozen=True, slots=True)
class ZipReader:
    """An open zip; ``members`` are its files, without its folders; ``path`` names it in errors."""

    archive: zipfile.ZipFile
    members: tuple[zipfile.ZipInfo, ...]
    path: object

    @contextmanager
    def open(self, member: zipfile.ZipInfo, bound: int | None = None) -> Iterator[PackedReader]:
        """Open one member, of which ``bound`` bytes may be read."""
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            name, method = member.filename, member.compress_type
            raise self.damage(clause("zip_method", name=repr(name), method=method))
        with _refusals(self.path, ".zip"):
            stream = self.archive.open(member)
        with stream:
            yield PackedReader(stream, self.path, ".zip", bound)

    def damage(self, reason: Clause) -> FormatError:
        """Return the error of a zip that is damaged."""
        return FormatError("corpus_damaged", path=self.path, kind=".zip", reason=reason)


@contextmanager
def open_zip(packed: Path | IO[bytes], path: object) -> Iterator[ZipReader]:
    """Open a zip, which errors call ``path``.

    Raises
    ------
    FormatError
        If it is not a zip, or its list of members cannot be read.
    """
    with _refusals(path, ".zip"):
        archive = zipfile.ZipFile(packed)
    with archive:
        named = [info for info in archive.infolist() if info.filename]
        reader = ZipReader(archive, tuple(info for info in named if not info.is_dir()), path)
        if len(named) < len(archive.infolist()):
            raise reader.damage(clause("zip_nameless"))
        yield reader


@contextmanager
def unpacked(
    stream: IO[bytes] | PackedReader, packing: str, path: object, bound: int | None = None
) -> Iterator[PackedReader]:
    """Open what a stream holds.

    Parameters
    ----------
    stream : binary file
        Stays open; may itself be a member of a zip.
    packing : {".gz", ".xz", ".bz2", ""}
        As `packing_of_name` or `packing_of_bytes` gives it; "" reads the bytes as they are.
    path : object
        What errors call the file.
    bound : int, optional
        Bytes that may come out.
    """
    if not packing:
        yield PackedReader(stream, path, packing, bound)
        return
    with _OPENERS[packing](cast("IO[bytes]", stream)) as opened:
        yield PackedReader(opened, path, packing, bound)


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
    with open_zip(packed, packed.name) as archive:
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
                raise archive.damage(clause("zip_twice", name=path)) from error
            left -= file.stat().st_size


def _leads_outside(path: PurePosixPath) -> bool:
    """Whether the path of a member would leave the folder that it is put in."""
    return path.is_absolute() or ".." in path.parts or re.match("[A-Za-z]:", str(path)) is not None


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
def _refusals(path: object, kind: str) -> Iterator[None]:
    """Turn what the libraries raise over packed data of a ``kind``, as ".gz", into an error that names the file ``path``."""
    try:
        yield
    except EOFError as error:
        raise FormatError("corpus_truncated", path=path) from error
    except (*_DAMAGE, RuntimeError, ValueError, OverflowError, MemoryError, OSError) as error:
        # a password, a packing not known; names, offsets and sizes that lie; bz2 raises a bare OSError
        is_of_disk = isinstance(error, OSError) and error.errno not in (None, errno.EINVAL)
        if is_of_disk or isinstance(error, KlyuchError):
            raise
        raise FormatError("corpus_damaged", path=path, kind=kind, reason=error) from error

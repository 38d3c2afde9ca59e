"""Packed data as streams of bytes: gzip, bzip2, xz and the members of a zip; the one reader that all packages use.

Nothing that a header claims is believed: what unpacks to more than its bound is an `InflatedError` while it is being read, a call takes
no more memory than the bytes that it asks for (`zipfile` unpacks a whole block of bzip2 or LZMA data whatever it is asked), and a
member's name is a path only after `Member.leads_outside` and `Member.is_link` were asked. Each room says what was raised here in
a sentence of its own: none of these errors reaches a user.
"""

from __future__ import annotations

import bz2
import copy
import errno
import gzip
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO, Protocol, cast

RATIO = 100  # bytes that a packed byte may unpack to; text packs 3 to 12 times, vectors 2 to 4
FREE_LIST = 1 << 24  # bytes that any packed list of words may unpack to
BLOCK = 1 << 16  # bytes that are unpacked at a time
PACKED_BLOCK = 1 << 13  # and packed ones that are taken
LARGEST_DICTIONARY = 1 << 27  # bytes that LZMA data may ask for; `xz -9` asks for half of it
_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"BZh": ".bz2"}


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


class Decompressor(Protocol):
    """A decompressor of the standard library that unpacks no more than it is asked to."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""

    @property
    def needs_input(self) -> bool:
        """Whether it can give nothing more of what it was fed."""

    @property
    def unused_data(self) -> bytes:
        """What came behind the end."""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Take packed bytes and return up to ``max_length`` unpacked ones."""


class _Deflate:
    """zlib's decompressor of raw deflate data, as `Decompressor`."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(-zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail and not self.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)


class _Stream:
    """Bytes out of a stream of packed ones, a block of either at a time.

    Parameters
    ----------
    source : ByteSource
        The packed bytes.
    begin : callable
        Makes a decompressor; another one for each further stream behind the first.
    is_single : bool
        Whether nothing may follow the first stream.
    """

    def __init__(
        self, source: ByteSource, begin: Callable[[], Decompressor], *, is_single: bool
    ) -> None:
        self._source, self._begin, self._is_single = source, begin, is_single
        self._decompressor = begin()

    def read(self, size: int = -1, /) -> bytes:
        pieces: list[bytes] = []
        while size and (piece := self._piece(BLOCK if size < 0 else min(size, BLOCK))):
            pieces.append(piece)
            size -= len(piece) if size > 0 else 0
        return b"".join(pieces)

    def _piece(self, size: int) -> bytes:
        """Return up to ``size`` bytes; none at the end."""
        while True:
            if self._decompressor.eof:
                if self._is_single or not (packed := self._next_packed()):
                    return b""
                following = self._begin()
                try:
                    piece = following.decompress(packed, size)
                except (OSError, lzma.LZMAError):  # no stream: left out, as bz2 and lzma do
                    self._is_single = True
                    return b""
                self._decompressor, is_starved = following, False
            else:
                packed = self._source.read(PACKED_BLOCK) if self._decompressor.needs_input else b""
                is_starved = self._decompressor.needs_input and not packed
                piece = self._decompressor.decompress(packed, size)
            if piece:
                return piece
            if is_starved and not self._decompressor.eof:
                raise EOFError("the packed data ends before its end was marked")

    def _next_packed(self) -> bytes:
        """Return what stands behind the stream that has ended, zeros left out."""
        packed = self._decompressor.unused_data.lstrip(b"\0")
        while not packed and (more := self._source.read(PACKED_BLOCK)):
            packed = more.lstrip(b"\0")
        return packed


class _MemberStream:
    """Bytes of a zip's member: as many as its entry claims, checked against its checksum at the end."""

    def __init__(self, source: ByteSource, info: zipfile.ZipInfo) -> None:
        self._source, self._info = source, info
        self._left, self._sum = info.file_size, 0

    def read(self, size: int = -1, /) -> bytes:
        pieces: list[bytes] = []
        while size and self._left:
            wanted = min(self._left, BLOCK, size if size > 0 else BLOCK)
            piece = self._source.read(wanted)
            if not piece:
                raise EOFError(f"{self._info.filename!r} is shorter than the archive says")
            self._left -= len(piece)
            self._sum = zlib.crc32(piece, self._sum)
            pieces.append(piece)
            size -= len(piece) if size > 0 else 0
        if not self._left and self._sum != self._info.CRC:
            raise zipfile.BadZipFile(f"bad CRC-32 for file {self._info.filename!r}")
        return b"".join(pieces)


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
        packed = copy.copy(member.info)  # the same bytes, taken as they lie
        packed.compress_type, packed.file_size = zipfile.ZIP_STORED, packed.compress_size
        del packed.CRC  # of what they unpack to
        with _named_errors():
            stream = self.archive.open(packed)
        with stream:
            with _named_errors():
                source = _unzipped(stream, member.info)
            yield PackedReader(_MemberStream(source, member.info), bound)


def _unzipped(stream: IO[bytes], info: zipfile.ZipInfo) -> ByteSource:
    """Return what unpacks a member's bytes."""
    if info.compress_type == zipfile.ZIP_STORED:
        return stream
    if info.compress_type == zipfile.ZIP_DEFLATED:
        return _Stream(stream, _Deflate, is_single=True)
    if info.compress_type == zipfile.ZIP_BZIP2:
        return _Stream(stream, bz2.BZ2Decompressor, is_single=True)
    if info.compress_type == zipfile.ZIP_LZMA:
        filters = _zip_lzma_filters(stream)
        return _Stream(
            stream,
            lambda: lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[filters]),
            is_single=True,
        )
    raise NotImplementedError(f"packed by method {info.compress_type}, which is not known")


def _zip_lzma_filters(stream: IO[bytes]) -> dict[str, int]:
    """Read the properties before a zip's LZMA data: version, their size, one byte and the dictionary's size."""
    start = stream.read(9)
    if len(start) < 9:
        raise EOFError("the LZMA data has no properties")
    size, digits, dictionary = struct.unpack("<2xHBI", start)
    if size != 5 or digits >= 9 * 5 * 5:
        raise zipfile.BadZipFile("the properties of the LZMA data are wrong")
    if dictionary > LARGEST_DICTIONARY:
        raise zipfile.BadZipFile(f"the LZMA data wants a dictionary of {dictionary} bytes")
    digits, lc = divmod(digits, 9)
    pb, lp = divmod(digits, 5)
    dictionary = max(dictionary, 4096)
    return {"id": lzma.FILTER_LZMA1, "dict_size": dictionary, "lc": lc, "lp": lp, "pb": pb}


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
    if not packing:
        yield PackedReader(stream, bound)
    elif packing == ".gz":
        with gzip.GzipFile(fileobj=cast("IO[bytes]", stream)) as opened:
            yield PackedReader(opened, bound)
    elif packing == ".xz":
        yield PackedReader(_Stream(stream, _xz, is_single=False), bound)
    else:
        yield PackedReader(_Stream(stream, bz2.BZ2Decompressor, is_single=False), bound)


def _xz() -> Decompressor:
    """Make a decompressor of xz, or of the older .lzma."""
    return lzma.LZMADecompressor(lzma.FORMAT_AUTO, memlimit=LARGEST_DICTIONARY)


def list_bound(path: Path) -> int:
    """Return how many bytes a packed list of words may unpack to."""
    return max(FREE_LIST, RATIO * path.stat().st_size)


def packing_of_name(name: str, known: Collection[str] = (".gz", ".xz", ".bz2")) -> str:
    """Return how a file is packed by its suffix, "" if by none of ``known``.

    Examples
    --------
    >>> packing_of_name("novel.txt.GZ"), packing_of_name("novel.txt")
    ('.gz', '')
    """
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if suffix in known else ""


def packing_of_bytes(start: bytes, known: Collection[str] = (".gz", ".xz", ".bz2")) -> str:
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

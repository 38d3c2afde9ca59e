"""Files that a person brings, opened as streams of text: plain, .gz, .xz, and .zip of these.

No name in an archive is used as a path; one that leads outside, a link or a password refuse the archive.

What a packed download holds, written out bounded: gzip, bzip2, and a zip of one text.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, cast

from embeddings.errors import FormatError, InputError, KlyuchError

MEMBERS = 10_000  # files of a zip
_FOREIGN = {
    b"%PDF": "a PDF",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"BZh": "bzip2 data",
}
_FOREIGN |= {b"\x28\xb5\x2f\xfd": "zstandard data", b"\xd0\xcf\x11\xe0": "an old Word document"}
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """A file that a person brings: what it is called, its bytes, and how many there are."""

    name: str
    stream: BinaryIO
    size: int


def parts(brought: Sequence[IncomingFile]) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Yield each text with its name and the size that it has packed."""
    for one in brought:
        if one.name.lower().endswith(".zip"):
            yield from _members(one)
        else:
            with _open_brought(one.name, one.stream) as stream:
                yield one.name, one.size, stream


def _members(one: IncomingFile) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Yield the texts of a zip; what is hidden is passed over."""
    with sound(one.name), zipfile.ZipFile(one.stream) as archive:
        members = [m for m in archive.infolist() if not m.is_dir()]
        if len(members) > MEMBERS:
            raise FormatError("intake_members", name=one.name, found=len(members), bound=MEMBERS)
        for member in members:
            path = PurePosixPath(member.filename.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", member.filename):
                raise FormatError("intake_outside", name=one.name, member=member.filename)
            if stat.S_ISLNK(member.external_attr >> 16):
                raise FormatError("intake_link", name=one.name, member=member.filename)
            if path.name.startswith(".") or "__MACOSX" in path.parts:
                continue
            if path.suffix.lower() not in (".txt", ".gz", ".xz", ".text", ".md"):
                raise FormatError("intake_suffix", name=one.name, member=member.filename)
            with archive.open(member) as packed, _open_brought(path.name, packed) as stream:
                yield f"{one.name}: {path.name}", max(member.compress_size, 1), stream


@contextmanager
def _open_brought(name: str, stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Open a text, unpacking it by its ending."""
    with sound(name):
        lower = name.lower()
        if lower.endswith(".gz"):
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
        elif lower.endswith(".xz"):
            with lzma.open(stream) as unpacked:
                yield cast("IO[bytes]", unpacked)
        else:
            yield stream


@contextmanager
def sound(name: str) -> Iterator[None]:
    """Turn damage to packed data, met while it is opened or read, into a sentence."""
    try:
        yield
    except KlyuchError:
        raise
    except EOFError as error:
        raise FormatError("intake_cut", name=name) from error
    except (
        *(zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile),
        *(NotImplementedError, RuntimeError),  # a way of packing that is not known; a password
    ) as error:
        raise FormatError("intake_damaged", name=name, reason=error) from error


def refuse_foreign(name: str, start: bytes, encoding: str) -> None:
    """Refuse what begins as another kind of file does."""
    for magic, what in _FOREIGN.items():
        if start.startswith(magic):
            raise FormatError("intake_foreign", name=name, what=what)
    plain = name.lower().rpartition(": ")[2]
    if start.startswith(b"PK\x03\x04") and not plain.endswith(".zip"):
        raise FormatError(
            "intake_foreign", name=name, what="a zip archive, or a document of Word or LibreOffice"
        )
    if start.startswith((b"\x1f\x8b", b"\xfd7zXZ")):
        raise FormatError(
            "intake_foreign", name=name, what="packed data without its ending .gz or .xz"
        )
    guess = next((value for mark, value in _MARKS.items() if start.startswith(mark)), "")
    if guess and encoding != guess:
        raise FormatError(
            "intake_encoding", name=name, line=1, byte=f"0x{start[0]:02X}", guess=guess
        )


RATIO = 100  # bytes that a packed byte may unpack to; text packs 3 to 12 times
LONGEST_LINE = 1 << 20  # bytes
PIECE = 1 << 20  # bytes


def unpack(
    packed: Path, target: Path, kind: str, advance: Callable[[int], None] | None = None
) -> None:
    """Write what ``packed`` holds to ``target``.

    Parameters
    ----------
    kind : str
        ".gz", ".bz2" or ".zip", as the ending of its address says.
    advance : callable, optional
        Called with the number of packed bytes read so far.

    Raises
    ------
    FormatError
        If the data is damaged or cut short.
    InputError
        If it unpacks to over `RATIO` times its size, or a zip holds other than one file.
    """
    bound = packed.stat().st_size * RATIO
    lines = _Lines() if kind == ".zip" else None
    done = 0
    try:
        with (
            packed.open("rb") as raw,
            _open_packed(raw, packed.name, kind) as source,
            target.open("wb") as file,
        ):
            while piece := source.read(PIECE):
                done += len(piece)
                if done > bound:
                    raise InputError("unpack_ratio", path=packed.name, ratio=RATIO)
                file.write(lines.broken(piece) if lines else piece)
                if advance:
                    advance(raw.tell())
    except EOFError as error:
        raise FormatError("corpus_truncated", path=packed) from error
    except (zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, lzma.LZMAError) as error:
        raise FormatError("corpus_damaged", path=packed, kind=kind, reason=error) from error
    except (
        NotImplementedError,
        RuntimeError,
    ) as error:  # a method of packing not known; a password
        raise FormatError("corpus_damaged", path=packed, kind=kind, reason=error) from error


@contextmanager
def _open_packed(packed: BinaryIO, name: str, kind: str) -> Iterator[IO[bytes]]:
    """Open the one stream of bytes that a packed file holds."""
    if kind == ".gz":
        with gzip.open(packed) as unzipped:
            yield cast("IO[bytes]", unzipped)
    elif kind == ".bz2":
        with bz2.open(packed) as source:
            yield source
    else:
        with zipfile.ZipFile(packed) as archive:
            files = [member for member in archive.infolist() if not member.is_dir()]
            if len(files) != 1:
                raise InputError("unpack_members", path=name, found=len(files))
            with archive.open(files[0]) as source:
                yield source


class _Lines:
    """Breaks lines that are too long; ``length`` is that of the line so far, in bytes."""

    def __init__(self) -> None:
        self.length = 0

    def broken(self, piece: bytes) -> bytes:
        """Return a piece of a text with a line end in place of a space wherever a line passes `LONGEST_LINE`."""
        text, start = bytearray(piece), 0
        while start < len(text):
            end = text.find(b"\n", start)
            end = len(text) if end < 0 else end
            room = max(LONGEST_LINE - self.length, 0)
            space = text.find(b" ", start + room, end) if end - start > room else -1
            if space >= 0:
                text[space] = 0x0A
                end = space
            ended = end < len(text)
            self.length = 0 if ended else self.length + end - start
            start = end + 1
        return bytes(text)

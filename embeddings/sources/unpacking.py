"""Packed text opened and bounded: the files that a person brings, and what a download holds.

A file is plain, .gz, .xz, or a .zip of these; a download gzip, bzip2, or a zip of one text. No name in
an archive is used as a path; one that leads outside, a link or a password rejects the archive.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from embeddings.archives import (
    RATIO,
    ArchiveError,
    InflatedError,
    PackedReader,
    TruncatedError,
    open_zip,
    packing_of_name,
    unpacked,
)
from embeddings.errors import FormatError, InputError

MEMBERS = 10_000  # files of a zip
TEXT_SUFFIXES = (".txt", ".gz", ".xz", ".text", ".md")  # of the files of a zip
LONGEST_LINE = 1 << 20  # bytes
PIECE = 1 << 20  # bytes
_FOREIGN = {
    b"%PDF": "a PDF",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"BZh": "bzip2 data",
    b"\x28\xb5\x2f\xfd": "zstandard data",
    b"\xd0\xcf\x11\xe0": "an old Word document",
}
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """A file that a person brings: what it is called, its bytes, and how many there are."""

    name: str
    stream: BinaryIO
    size: int


@dataclass(frozen=True, slots=True)
class IncomingText:
    """One text of such a file, open to be read once; ``name`` tells the archive too ("books.zip: a.txt")."""

    name: str
    stream: PackedReader


def incoming_texts(files: Sequence[IncomingFile]) -> Iterator[IncomingText]:
    """Yield each text; one that is packed may unpack to `RATIO` times its size, or to a MiB.

    Raises
    ------
    FormatError
        If a file is damaged, or an archive holds what is no text.
    """
    for file in files:
        if file.name.lower().endswith(".zip"):
            yield from _members(file)
        else:
            packing = packing_of_name(file.name)
            bound = max(file.size * RATIO, PIECE) if packing else None
            with unpacked(file.stream, packing, bound) as stream:
                yield IncomingText(file.name, stream)


def _members(file: IncomingFile) -> Iterator[IncomingText]:
    """Yield the texts of a zip; what is hidden is passed over."""
    with sentences_for(file.name), open_zip(file.stream) as archive:
        count = len(archive.members)
        if count > MEMBERS:
            raise FormatError("intake_members", name=file.name, found=count, bound=MEMBERS)
        for member in archive.members:
            written = member.info.filename
            if member.leads_outside:
                raise FormatError("intake_outside", name=file.name, member=written)
            if member.is_link:
                raise FormatError("intake_link", name=file.name, member=written)
            if member.is_hidden:
                continue
            if member.path.suffix.lower() not in TEXT_SUFFIXES:
                raise FormatError("intake_suffix", name=file.name, member=written)
            bound = max(max(member.info.compress_size, 1) * RATIO, PIECE)
            packing = packing_of_name(member.path.name)
            with (
                archive.open(member, bound) as packed,
                unpacked(packed, packing, bound) as stream,
            ):
                yield IncomingText(f"{file.name}: {member.path.name}", stream)


@contextmanager
def sentences_for(name: str) -> Iterator[None]:
    """Turn what is wrong with packed data, met while it is opened or read, into a sentence about ``name``."""
    try:
        yield
    except TruncatedError as error:
        raise FormatError("intake_cut", name=name) from error
    except InflatedError as error:
        raise FormatError("intake_ratio", name=name, ratio=RATIO) from error
    except ArchiveError as error:
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


def unpack_download(
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
    lines = _Lines() if kind == ".zip" else None
    try:
        with (
            packed.open("rb") as raw,
            _open_download(raw, packed, kind) as source,
            target.open("wb") as file,
        ):
            while piece := source.read(PIECE):
                file.write(lines.broken(piece) if lines else piece)
                if advance:
                    advance(raw.tell())
    except TruncatedError as error:
        raise FormatError("corpus_truncated", path=packed) from error
    except InflatedError as error:
        raise InputError("unpack_ratio", path=packed.name, ratio=RATIO) from error
    except ArchiveError as error:
        raise FormatError("corpus_damaged", path=packed, kind=kind, reason=error) from error


@contextmanager
def _open_download(raw: IO[bytes], packed: Path, kind: str) -> Iterator[PackedReader]:
    """Open the one stream of bytes that a packed file holds."""
    bound = packed.stat().st_size * RATIO
    if kind != ".zip":
        with unpacked(raw, kind, bound) as stream:
            yield stream
        return
    with open_zip(raw) as archive:
        if len(archive.members) != 1:
            raise InputError("unpack_members", path=packed.name, found=len(archive.members))
        with archive.open(archive.members[0], bound) as stream:
            yield stream


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

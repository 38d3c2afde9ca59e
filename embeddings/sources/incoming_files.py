"""The files that a person brings, opened and bounded: plain, .gz, .xz, .bz2, or a .zip of these.

No name in an archive is used as a path; one that leads outside, a link or a password rejects the archive.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

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
from embeddings.corpora.text_extraction import foreign_kind, kind_of_name
from embeddings.errors import FormatError

MEMBERS = 10_000  # files of a zip
SMALLEST_BOUND = 1 << 20  # bytes that a packed file may always unpack to
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
            bound = max(file.size * RATIO, SMALLEST_BOUND) if packing else None
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
            if kind_of_name(member.path.name) is None:
                raise FormatError("intake_suffix", name=file.name, member=written)
            bound = max(max(member.info.compress_size, 1) * RATIO, SMALLEST_BOUND)
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
    if what := foreign_kind(start):
        raise FormatError("intake_foreign", name=name, what=what)
    guess = next((value for mark, value in _MARKS.items() if start.startswith(mark)), "")
    if guess and encoding != guess:
        raise FormatError(
            "intake_encoding",
            name=name,
            line=1,
            byte=f"0x{start[0]:02X}",
            guess=guess,
            confidence=100,
        )

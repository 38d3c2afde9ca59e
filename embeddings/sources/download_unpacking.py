"""A downloaded text unpacked and bounded: gzip, bzip2, or a zip of one text.

No name in an archive is used as a path; a link or a password rejects the archive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from embeddings.archives import (
    RATIO,
    ArchiveError,
    InflatedError,
    PackedReader,
    TruncatedError,
    open_zip,
    unpacked,
)
from embeddings.errors import FormatError, InputError

LONGEST_LINE = 1 << 20  # bytes
BLOCK = 1 << 20  # bytes


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
            while piece := source.read(BLOCK):
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

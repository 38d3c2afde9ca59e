"""What a packed download holds, written out bounded: gzip, bzip2, and a zip of one text.

No name inside an archive is used, so none can lead outside. A line of over `LONGEST_LINE` in a zip is broken at
a space: text8 is one line of 100 MB, which no reader of paragraphs takes.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from embeddings.errors import FormatError, InputError

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
            _opened(raw, packed.name, kind) as source,
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
def _opened(packed: BinaryIO, name: str, kind: str) -> Iterator[IO[bytes]]:
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

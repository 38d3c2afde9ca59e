"""Files of vectors as streams of bytes: plain, gzip or xz, known by their first bytes.

What unpacks to far more than vectors ever do is refused while it is being read.
"""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from embeddings.errors import FormatError
from embeddings.files import check_file, whole_file

GZIP, XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"
FREE_BYTES = 1 << 26  # what any packed file may unpack to
RATIO = 100  # and past that, so many times its own size; numbers as text pack three to one


class Source:
    """A file open for reading: ``read`` gives the unpacked bytes, with sentences for what fails."""

    def __init__(self, path: Path, stream: IO[bytes], packed: bool) -> None:
        self.path = path
        self.packed = packed
        self.size = path.stat().st_size
        self._stream = stream
        self._count = 0

    def read(self, count: int) -> bytes:
        """Read up to ``count`` bytes; fewer only at the end."""
        try:
            data = self._stream.read(count)
        except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
            raise FormatError("file_unreadable", path=self.path, reason=str(error)) from error
        self._count += len(data)
        if self.packed and self._count > max(FREE_BYTES, RATIO * self.size):
            raise FormatError("vectors_unpacks", path=self.path, ratio=RATIO)
        return data


@contextmanager
def reading(path: Path) -> Iterator[Source]:
    """Open a file for reading, unpacking gzip and xz by their first bytes."""
    check_file(path, "Check the spelling.")
    with path.open("rb") as file:
        magic = file.read(6)
    if magic.startswith(GZIP):
        stream = cast("IO[bytes]", gzip.open(path, "rb"))  # noqa: SIM115 - closed below
    elif magic == XZ:
        stream = cast("IO[bytes]", lzma.open(path, "rb"))  # noqa: SIM115
    else:
        stream = path.open("rb")
    with stream:
        yield Source(path, stream, packed=magic.startswith(GZIP) or magic == XZ)


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing, packed as its suffix says (.gz, .xz), whole or not at all."""
    with whole_file(path) as temporary:
        if path.suffix == ".gz":
            with temporary.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                yield cast("IO[bytes]", packed)
        elif path.suffix == ".xz":
            with lzma.open(temporary, "wb", preset=6) as packed_xz:
                yield cast("IO[bytes]", packed_xz)
        else:
            with temporary.open("wb") as plain:
                yield plain

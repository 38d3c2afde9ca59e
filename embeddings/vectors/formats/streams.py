"""Files of vectors as streams of bytes: plain, gzip or xz, known by their first bytes.

What unpacks to far more than vectors ever do is refused while it is being read, and so are rows so short that they would take
many times the memory of the file.
"""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from embeddings.archives import (
    RATIO,
    ArchiveError,
    InflatedError,
    PackedReader,
    packing_of_bytes,
    unpacked,
)
from embeddings.errors import FormatError
from embeddings.files import atomic_file, check_file

FREE_BYTES = 1 << 26  # what any packed file may unpack to; past that, `RATIO` times its own size
FREE_MEMORY = (
    1 << 28
)  # bytes that the rows of any file may take; past that, so many times its size:
PLAIN_TIMES, PACKED_TIMES = 16, 48
ROW = 350  # bytes of a row beside its numbers: the word, twice, and its entries in lists and tables


class VectorFile:
    """A file open for reading: ``read`` gives the unpacked bytes, with sentences for what fails."""

    def __init__(self, path: Path, stream: PackedReader, packed: bool) -> None:
        self.path = path
        self.packed = packed
        self.size = path.stat().st_size
        self._stream = stream

    def check_memory(self, rows: int, dimensions: int) -> None:
        """Raise `FormatError` if so many rows take more memory than those of a file of this size may."""
        check_memory(self.path, rows, dimensions, packed=self.packed)

    def read(self, count: int) -> bytes:
        """Read up to ``count`` bytes; fewer only at the end."""
        try:
            return self._stream.read(count)
        except InflatedError as error:
            raise FormatError("vectors_unpacks", path=self.path, ratio=RATIO) from error
        except ArchiveError as error:
            raise FormatError("file_unreadable", path=self.path, reason=str(error)) from error


def check_memory(path: Path, rows: int, dimensions: int, *, packed: bool) -> None:
    """Raise `FormatError` if so many rows take more memory than those of a file of its size may."""
    times = PACKED_TIMES if packed else PLAIN_TIMES
    bound = max(FREE_MEMORY, times * path.stat().st_size)
    if rows * (ROW + 4 * dimensions) > bound:
        raise FormatError(
            "vectors_memory", path=path, rows=rows, dimensions=dimensions, bound=bound >> 20
        )


@contextmanager
def reading(path: Path) -> Iterator[VectorFile]:
    """Open a file for reading, unpacking gzip and xz by their first bytes."""
    check_file(path, "Check the spelling.")
    with path.open("rb") as file:
        packing = packing_of_bytes(file.read(6))
        file.seek(0)
        bound = max(FREE_BYTES, RATIO * path.stat().st_size) if packing else None
        with unpacked(file, packing, bound) as stream:
            yield VectorFile(path, stream, packed=bool(packing))


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing, packed as its suffix says (.gz, .xz), whole or not at all."""
    with atomic_file(path) as temporary:
        if path.suffix == ".gz":
            with temporary.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                yield cast("IO[bytes]", packed)
        elif path.suffix == ".xz":
            with lzma.open(temporary, "wb", preset=6) as packed_xz:
                yield cast("IO[bytes]", packed_xz)
        else:
            with temporary.open("wb") as plain:
                yield plain

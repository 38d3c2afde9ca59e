"""Files whose bytes are mapped into memory: an array of numpy opened without unpickling, and whether a file was cut since.

Reading pages that a file has lost ends the process: callers have to ask first.
"""

from __future__ import annotations

import mmap
import struct
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import CheckpointError, FormatError

_NPY = b"\x93NUMPY"


def check_mapped(array: object) -> None:
    """Raise unless the file behind a memory map is still as long as what was mapped of it; any other array passes.

    Reading pages that a file has lost ends the process: callers that read a large map have to ask first. It costs some two microseconds. A
    file that is cut in the moment after that ends the process all the same.

    Raises
    ------
    CheckpointError
        If the file was cut.
    """
    if not isinstance(array, np.memmap):
        return
    while isinstance(array.base, np.memmap):  # a part of it
        array = array.base
    if not isinstance(array.base, mmap.mmap):
        return
    size, expected = array.base.size(), int(array.offset) + array.nbytes
    if size < expected:
        raise CheckpointError("file_cut", path=array.filename, size=size, expected=expected)


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file that another library has mapped: which it was, and its size in bytes."""

    path: Path
    inode: int
    size: int

    @classmethod
    def of(cls, path: Path) -> MappedFile:
        """Return the file as it is now."""
        status = path.stat()
        return cls(path.resolve(), status.st_ino, status.st_size)

    def check(self) -> None:
        """Raise if the file was cut since, as `check_mapped`; one that was replaced or deleted stays mapped as it was."""
        try:
            status = self.path.stat()
        except OSError:
            return
        if status.st_ino == self.inode and status.st_size < self.size:
            raise CheckpointError(
                "file_cut", path=self.path, size=status.st_size, expected=self.size
            )


def map_npy(path: Path) -> NDArray[Any]:
    """Map the array of a ``.npy`` file read-only after its header was checked against the file; nothing is unpickled.

    Raises
    ------
    FormatError
        If the header is damaged, the array holds objects, or the file is shorter than the header claims.
    OSError
        If the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            if file.read(len(_NPY)) != _NPY:  # numpy would open a zip and a pickle too
                raise ValueError("it does not begin as an array of numpy does")
        with np.errstate(over="ignore"):  # sizes past 64 bits are met below
            array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        return array
    except (ValueError, TypeError, SyntaxError, tokenize.TokenError, EOFError, KeyError) as error:
        raise _unreadable(path, error) from error
    except (OverflowError, RecursionError, MemoryError, struct.error) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> FormatError:
    """Return the sentence for an array that cannot be mapped: of objects, which numpy says, or damaged."""
    reason = str(error)[:200]
    return FormatError(
        "vectors_npy" if "Python objects" in reason else "file_unreadable", path=path, reason=reason
    )

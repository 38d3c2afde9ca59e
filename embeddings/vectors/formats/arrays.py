"""Vectors as a numpy ``.npy`` with its words beside it: ``name.npy`` and ``name.txt``, one a line.

Nothing is unpickled; a large array stays memory-mapped.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from embeddings.errors import FormatError, MissingFileError
from embeddings.files import whole_file
from embeddings.vectors.formats.native import MAPPED_PAST, read_words, words_text
from embeddings.vectors.formats.words import check_finite, check_table, clean
from embeddings.vectors.table import Vectors


def read_npy(path: Path, *, limit: int | None = None) -> Vectors:
    """Read ``name.npy`` (rows of float16, float32 or float64) and ``name.txt``.

    Raises
    ------
    FormatError
        If the array holds objects, is cut short, is no table, or has not one row a word.
    """
    listing = path.with_suffix(".txt")
    if not listing.exists():
        raise MissingFileError(
            "file_missing", path=listing, way_out="The words of the array stand in it, one a line."
        )
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise FormatError("vectors_npy", path=path, reason=str(error)) from error
    if array.ndim != 2 or array.dtype.kind != "f":
        reason = f"it is an array of {array.dtype} and shape {array.shape}, not a table"
        raise FormatError("file_unreadable", path=path, reason=reason)
    words, counts = read_words(listing)
    if len(words) != len(array):
        raise FormatError("vectors_rows", path=path, words=len(words), rows=len(array))
    array = array[:limit]
    if array.dtype != np.float32 or array.nbytes < MAPPED_PAST:
        with np.errstate(over="ignore"):
            array = np.asarray(array).astype(np.float32)
    check_finite(words, array, path, 1)
    vectors = clean(words[:limit], array, listing, 1)
    if counts is not None and not vectors.dropped:
        vectors.counts = counts[:limit]
    return vectors


def write_npy(vectors: Vectors, path: Path) -> None:
    """Write ``name.npy`` as float32 and ``name.txt`` with counts, where they are known."""
    check_table(vectors, path, forbidden="\t\n")
    text = words_text(vectors, path)
    with whole_file(path.with_suffix(".txt")) as temporary:
        temporary.write_bytes(text)
    with whole_file(path) as temporary, temporary.open("wb") as file:
        np.save(file, np.asarray(vectors.matrix, dtype=np.float32), allow_pickle=False)

"""Files of vectors: the native folder, and the formats of other tools, one file each.

`read` finds the format out by the content; `write` takes it, or goes by the suffix; `convert` does
both. Nothing is unpickled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError, MissingFileError
from embeddings.vectors.formats.binary_vectors import (
    open_binary,
    open_npy,
    write_binary,
    write_npy,
)
from embeddings.vectors.formats.card import build_card
from embeddings.vectors.formats.detection import detect
from embeddings.vectors.formats.fasttext_binary import (
    open_fasttext_binary,
    write_fasttext_binary,
)
from embeddings.vectors.formats.gensim_vectors import (
    from_gensim,
    read_gensim,
    to_gensim,
    write_gensim,
)
from embeddings.vectors.formats.native_folder import read_native, verify_files, write_native
from embeddings.vectors.formats.parquet import open_parquet, write_parquet
from embeddings.vectors.formats.parsing import UNICODE_ERRORS
from embeddings.vectors.formats.projector import read_projector, write_projector
from embeddings.vectors.formats.text_vectors import (
    RowStream,
    collect,
    open_text,
    write_text,
)
from embeddings.vectors.table import Vectors

__all__ = [
    "READERS",
    "STREAMED",
    "WRITERS",
    "build_card",
    "convert",
    "detect",
    "from_gensim",
    "read",
    "read_native",
    "to_gensim",
    "verify_files",
    "words_decoded",
    "write",
    "write_native",
]

READERS: dict[str, Callable[..., Vectors]] = {
    "native": read_native,
    "projector": read_projector,
    "gensim": read_gensim,
}
STREAMED: dict[str, Callable[..., AbstractContextManager[RowStream]]] = {
    "word2vec": open_text,
    "word2vec-binary": open_binary,
    "glove": open_text,
    "fasttext": open_text,
    "fasttext-binary": open_fasttext_binary,
    "numpy": open_npy,
    "parquet": open_parquet,
}
WRITERS: dict[str, Callable[[Vectors, Path], None]] = {
    "native": write_native,
    "word2vec": write_text,
    "word2vec-binary": write_binary,
    "glove": partial(write_text, header=False),
    "fasttext": partial(write_text, end=" \n"),
    "fasttext-binary": write_fasttext_binary,
    "projector": write_projector,
    "numpy": write_npy,
    "gensim": write_gensim,
    "parquet": write_parquet,
}
_SUFFIXES = {
    "": "native",
    ".txt": "word2vec",
    ".bin": "word2vec-binary",
    ".vec": "fasttext",
    ".npy": "numpy",
    ".parquet": "parquet",
}


def read(path: Path, *, limit: int | None = None, errors: str = "strict") -> Vectors:
    """Read vectors from a folder or file in any format of `WRITERS`, found out by its content.

    Parameters
    ----------
    path : Path
        Text and binary may be packed by gzip, bzip2 or xz.
    limit : int, optional
        Only so many rows, the most frequent where the file is sorted; not for the native folder.
    errors : {"strict", "replace", "ignore"}
        What is done with words that are not UTF-8, as where word2vec.c cut one inside a character.

    Raises
    ------
    FormatError
        If the file is damaged or of a kind that is not read; the sentence gives the way out.
    MissingFileError
        If there is no such file.
    """
    if limit is not None:
        check_range("limit", limit, 1, 10**12)
    if not path.exists():
        raise MissingFileError("file_missing", path=path, way_out="Check the spelling.")
    kind = detect(path)
    if kind == "native":
        return read_native(path)
    with words_decoded(errors):
        if kind in READERS:
            return READERS[kind](path, limit=limit)
        with STREAMED[kind](path, limit=limit) as stream:
            return collect(stream, path)


@contextmanager
def words_decoded(errors: str) -> Iterator[None]:
    """Let words that are not UTF-8 be read as ``errors`` says: "strict" rejects them, "replace" and "ignore" as `bytes.decode`."""
    check_choice("unicode_errors", errors, ("strict", "replace", "ignore"))
    token = UNICODE_ERRORS.set(errors)
    try:
        yield
    finally:
        UNICODE_ERRORS.reset(token)


def write(vectors: Vectors, path: Path, *, format: str | None = None) -> None:
    """Write vectors, whole or not at all, in ``format``, a key of `WRITERS`.

    Without one the suffix decides: none is the native folder, .txt word2vec text, .bin word2vec
    binary, .vec fastText, .npy numpy, .parquet Parquet; .gz or .xz behind it packs text and binary.
    """
    plain = path.with_suffix("") if path.suffix in {".gz", ".xz"} else path
    chosen = format or _SUFFIXES.get(plain.suffix, "")
    if not chosen:
        raise InputError("vectors_suffix", path=path, choices=", ".join(WRITERS))
    check_choice("format", chosen, tuple(WRITERS))
    WRITERS[chosen](vectors, path)


def convert(source: Path, target: Path, format: str | None = None) -> Vectors:
    """Read ``source`` in any format, write ``target`` in ``format``; return what was written."""
    vectors = read(source)
    write(vectors, target, format=format)
    return vectors

"""Files of vectors: the native folder, and the formats of other tools, one file each.

`read` finds the format out by the content; `write` takes it, or goes by the suffix; `convert` does
both. Nothing is unpickled.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from embeddings.configuration import check_choice, check_range
from embeddings.errors import FormatError, InputError, MissingFileError, clause
from embeddings.files import CONFIG
from embeddings.model_card import build_card, verify_files
from embeddings.vectors.formats import (
    binary_vectors,
    fasttext_binary,
    gensim_vectors,
    parquet,
    projector,
    text_vectors,
)
from embeddings.vectors.formats.gensim_vectors import from_gensim, to_gensim
from embeddings.vectors.formats.native_folder import read_native, write_native
from embeddings.vectors.formats.parsing import NUMBER, UNICODE_ERRORS, reading, strip_end
from embeddings.vectors.formats.text_vectors import RowStream, collect, first_rows, header
from embeddings.vectors.table import Vectors

STREAMED: dict[str, Callable[[Path], AbstractContextManager[RowStream]]] = {
    "word2vec": text_vectors.open_text,
    "word2vec-binary": binary_vectors.open_binary,
    "glove": text_vectors.open_text,
    "fasttext": text_vectors.open_text,
    "fasttext-binary": fasttext_binary.open_fasttext_binary,
    "numpy": binary_vectors.open_npy,
    "parquet": parquet.open_parquet,
    "projector": projector.open_projector,
}
WRITERS: dict[str, Callable[[Vectors, Path], None]] = {
    "native": write_native,
    "word2vec": text_vectors.write_text,
    "word2vec-binary": binary_vectors.write_binary,
    "glove": partial(text_vectors.write_text, header=False),
    "fasttext": partial(text_vectors.write_text, end=" \n"),
    "fasttext-binary": fasttext_binary.write_fasttext_binary,
    "projector": projector.write_projector,
    "numpy": binary_vectors.write_npy,
    "gensim": gensim_vectors.write_gensim,
    "parquet": parquet.write_parquet,
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
        raise MissingFileError("file_missing", path=path, way_out=clause("check_spelling"))
    kind = detect(path)
    if kind == "native":
        return read_native(path)
    with words_decoded(errors):
        if kind == "gensim":
            return gensim_vectors.read_gensim(path, limit=limit)
        with STREAMED[kind](path) as stream:
            return collect(replace(stream, blocks=first_rows(stream.blocks, limit)), path)


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


MAGIC = {
    b"\x93NUMPY": "numpy",
    parquet.MAGIC: "parquet",
    fasttext_binary.MAGIC: "fasttext-binary",
}
FIELD = re.compile(rb"[0-9A-Za-z+\-.,_#/]+")  # what stands where a number should, be it nan or 1,5
SNIFFED_BYTES = 1 << 16  # bytes looked at


def detect(path: Path) -> str:
    """Return the format of a folder or file: a key of `embeddings.vectors.formats.WRITERS`.

    Raises
    ------
    FormatError
        If it is a pickle, a PyTorch checkpoint, an archive, empty, or unknown.
    """
    if path.is_dir():
        return _detect_folder(path)
    with reading(path) as source:
        head = source.read(SNIFFED_BYTES)
    if not head.strip():
        raise FormatError("vectors_empty", path=path)
    if kind := next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), ""):
        return kind
    if claim := header(head[:64]):
        return "word2vec" if _is_text_row(head, claim[1]) else "word2vec-binary"
    if fasttext_binary.is_headerless(head):
        return "fasttext-binary"
    if code := _unreadable(head):
        raise FormatError(code, path=path)
    first = head.split(b"\n", 1)[0]
    return "projector" if first.count(b"\t") > first.count(b" ") else "glove"


def _detect_folder(path: Path) -> str:
    """Tell the format of a folder."""
    marks = {CONFIG: "native", projector.TENSOR: "projector", gensim_vectors.VECTORS: "gensim"}
    for mark, kind in marks.items():
        if (path / mark).exists():
            return kind
    names = ", ".join(sorted(file.name for file in path.iterdir())[:8]) or clause("nothing")
    raise FormatError("vectors_no_folder", path=path, found=names)


def _is_text_row(head: bytes, dimensions: int) -> bool:
    """Whether the row behind a header is text: a word, then fields, one of them a number.

    Or all of them printable, as nan and 1,5 are: that is text too, whose reader names the value.
    """
    body = head.split(b"\n", 1)[-1]
    line = strip_end(body.split(b"\n", 1)[0])
    fields = line.replace(b"\t", b" ").split(b" ")
    is_whole = b"\n" in body or len(head) < SNIFFED_BYTES
    numbers = fields[1:][-dimensions:] if is_whole else fields[1:-1]
    samples = numbers[-3:] if is_whole else numbers[:3]
    is_printable = len(numbers) >= min(dimensions, 2) and all(map(FIELD.fullmatch, numbers))
    if not body or b"\0" in line[:4096]:
        return not body
    return is_printable or any(map(NUMBER.fullmatch, samples))


def _unreadable(head: bytes) -> str:
    """Return the code of the message for a kind of file that is not read; "" if it may be text."""
    if head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05":
        return "vectors_pickled"
    if head.startswith(b"PK\x03\x04"):
        return "vectors_pytorch" if b"data.pkl" in head[:4096] else "vectors_zipped"
    if head[8:10] == b'{"' and struct.unpack("<Q", head[:8])[0] < 1 << 27:
        return "vectors_safetensors"
    return "vectors_unknown" if b"\0" in head else ""

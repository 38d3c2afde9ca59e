"""Which format a file is in, by its content; what is not safe to read is refused with a way out."""

from __future__ import annotations

import re
import struct
from pathlib import Path

from embeddings.errors import FormatError
from embeddings.vectors.formats import (
    fasttext_binary,
    gensim_vectors,
    native_folder,
    parquet,
    projector,
)
from embeddings.vectors.formats.parsing import NUMBER, reading, strip_end
from embeddings.vectors.formats.text_vectors import header

MAGIC = {
    b"\x93NUMPY": "numpy",
    parquet.MAGIC: "parquet",
    fasttext_binary.MAGIC: "fasttext-binary",
}
FIELD = re.compile(rb"[0-9A-Za-z+\-.,_#/]+")  # what stands where a number should, be it nan or 1,5
SNIFFED_BYTES = 1 << 16  # bytes looked at
SAVE = 'in Python: model.wv.save_word2vec_format("vectors.bin", binary=True)'
WAYS_OUT = {
    "a pickle (gensim's save, or Python's)": "Open it where you trust it and write it anew, "
    f"{SAVE} (of KeyedVectors without .wv).",
    "a PyTorch checkpoint": "Open it where you trust it and save the matrix by numpy.save, with "
    "the words one per line in a .txt of the same name.",
    "a zip archive": "Unpack it and give the file inside.",
    "a safetensors file": "Give the folder that it lies in.",
    "an unknown binary file": "Let the tool that made it write word2vec text or binary, as "
    f"{SAVE}.",
}


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
    if what := _unreadable(head):
        raise FormatError("vectors_refused", path=path, what=what, way_out=WAYS_OUT[what])
    first = head.split(b"\n", 1)[0]
    return "projector" if first.count(b"\t") > first.count(b" ") else "glove"


def _detect_folder(path: Path) -> str:
    """Tell the format of a folder."""
    if (path / native_folder.CONFIG).exists():
        return "native"
    if (path / projector.TENSOR).exists():
        return "projector"
    if (path / gensim_vectors.VECTORS).exists():
        return "gensim"
    names = ", ".join(sorted(file.name for file in path.iterdir())[:8]) or "nothing"
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
    """Say what a file is that is not read; "" if it may be text."""
    if head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05":
        return "a pickle (gensim's save, or Python's)"
    if head.startswith(b"PK\x03\x04"):
        return "a PyTorch checkpoint" if b"data.pkl" in head[:4096] else "a zip archive"
    if head[8:10] == b'{"' and struct.unpack("<Q", head[:8])[0] < 1 << 27:
        return "a safetensors file"
    return "an unknown binary file" if b"\0" in head else ""

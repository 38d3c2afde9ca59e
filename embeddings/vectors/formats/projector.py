"""Vectors for the Embedding Projector: ``vectors.tsv``, ``metadata.tsv``, and what names them.

projector.tensorflow.org reads ``projector_config.json``, TensorBoard ``projector_config.pbtxt`` (it
is given the folder as ``--logdir``).

``metadata.tsv`` has a header only where it has two columns or more, and no blank label, since the
Projector skips blank lines and shifts all later labels.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from embeddings.arrays import Int64s
from embeddings.errors import FormatError, MissingFileError, clause
from embeddings.files import atomic_folder, check_replaceable, write_json
from embeddings.vectors.formats.parsing import check_table
from embeddings.vectors.formats.text_vectors import RowBlock, RowStream
from embeddings.vectors.table import Vectors

FOR_TENSORBOARD = "projector_config.pbtxt"
CONFIG, TENSOR, METADATA = "projector_config.json", "vectors.tsv", "metadata.tsv"
WORD_COLUMNS = ("word", "label", "name")


@contextmanager
def open_projector(path: Path) -> Iterator[RowStream]:
    """Open a folder with ``vectors.tsv`` and ``metadata.tsv``, or such a ``.tsv`` with its metadata next to it.

    Raises
    ------
    FormatError
        If rows and labels differ in number, a label is blank, or a number is not finite.
    """
    tensor, metadata = _locate(path)
    try:
        matrix = np.loadtxt(tensor, np.float32, comments=None, delimiter="\t", ndmin=2)
    except ValueError as error:
        raise FormatError("file_unreadable", path=tensor, reason=error) from error
    words, counts, first = _read_metadata(metadata)
    if len(words) != len(matrix):
        raise FormatError("vectors_rows", path=tensor, words=len(words), rows=len(matrix))
    block = RowBlock([word.encode() for word in words], matrix, counts)
    yield RowStream(matrix.shape[1], first, iter([block]))


def write_projector(vectors: Vectors, folder: Path) -> None:
    """Write the folder of four files, whole or not at all; counts become a second column."""
    check_replaceable(folder, CONFIG, (CONFIG, TENSOR, METADATA, FOR_TENSORBOARD))
    check_table(vectors, folder, forbidden="\t\n\r")
    form = "\t".join(["%.9g"] * vectors.vector_size)
    with atomic_folder(folder) as new:
        with (new / TENSOR).open("wb") as file:
            for row in vectors.matrix:
                file.write(f"{form % tuple(row.tolist())}\n".encode())
        lines = list(vectors.words)
        if vectors.counts is not None:
            pairs = zip(lines, vectors.counts.tolist(), strict=True)
            lines = ["word\tcount", *(f"{word}\t{count}" for word, count in pairs)]
        (new / METADATA).write_bytes("".join(f"{line}\n" for line in lines).encode())
        name, shape = vectors.name or "vectors", vectors.matrix.shape
        about = {
            "tensorName": name,
            "tensorShape": list(shape),
            "tensorPath": TENSOR,
            "metadataPath": METADATA,
        }
        write_json(new / CONFIG, {"embeddings": [about]})
        (new / FOR_TENSORBOARD).write_text(_pbtxt(name, shape), encoding="utf-8")


def _pbtxt(name: str, shape: tuple[int, ...]) -> str:
    """Say the same as protocol buffer text; JSON's strings are its strings too."""
    fields = [("tensor_name", name), *(("tensor_shape", size) for size in shape)]
    fields += [("tensor_path", TENSOR), ("metadata_path", METADATA)]
    lines = [f"  {key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields]
    return f"embeddings {{\n{''.join(lines)}}}\n"


def _locate(path: Path) -> tuple[Path, Path]:
    """Return the file of vectors and that of labels."""
    path = path / TENSOR if path.is_dir() else path
    for mark in ("vectors", "tensor"):
        metadata = path.with_name(path.name.replace(mark, "metadata"))
        if mark in path.name and metadata.exists():
            return path, metadata
    raise MissingFileError(
        "file_missing",
        path=path.with_name(METADATA),
        way_out=clause("words_of_projector"),
    )


def _read_metadata(path: Path) -> tuple[list[str], Int64s | None, int]:
    """Labels, counts where there is such a column, and the line of the first label."""
    lines = _lines(path)
    names = lines[0].lower().split("\t") if lines else []
    if len(names) < 2:
        return lines, None, 1
    column = next((names.index(name) for name in WORD_COLUMNS if name in names), 0)
    fields = [line.split("\t") for line in lines[1:]]
    for number, row in enumerate(fields, start=2):
        if len(row) != len(names):
            raise FormatError(
                "vectors_columns", path=path, line=number, found=len(row), expected=len(names)
            )
    numbers = [row[names.index("count")] for row in fields] if "count" in names else []
    if not numbers or not all(number.isdecimal() and len(number) < 19 for number in numbers):
        return [row[column] for row in fields], None, 2
    return [row[column] for row in fields], np.array([*map(int, numbers)], dtype=np.int64), 2


def _lines(path: Path) -> list[str]:
    """Lines of a text file, without blank ones at its end."""
    try:
        lines = [line.removesuffix("\r") for line in path.read_bytes().decode().split("\n")]
    except UnicodeDecodeError as error:
        raise FormatError("file_unreadable", path=path, reason=error) from error
    while lines and not lines[-1]:
        lines.pop()
    return lines

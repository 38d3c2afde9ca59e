"""Vectors for the Embedding Projector: ``vectors.tsv``, ``metadata.tsv``, and what names them.

projector.tensorflow.org reads ``projector_config.json``, TensorBoard ``projector_config.pbtxt`` (it
is given the folder as ``--logdir``).

``metadata.tsv`` has a header only where it has two columns or more, and no blank label, since the
Projector skips blank lines and shifts all later labels. ``.bytes`` (raw float32) is read too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import FormatError, MissingFileError, reason
from embeddings.files import atomic_folder, check_replaceable, read_json, write_json
from embeddings.vectors.formats.parsing import TAB, check_finite, check_table, clean
from embeddings.vectors.formats.streams import reading
from embeddings.vectors.formats.text_vectors import (
    BLOCK,
    Lines,
    RowStream,
    collect,
    guess_size,
    row_blocks,
)
from embeddings.vectors.table import Vectors

FOR_TENSORBOARD = "projector_config.pbtxt"
CONFIG, TENSOR, METADATA = "projector_config.json", "vectors.tsv", "metadata.tsv"
WORD_COLUMNS = ("word", "label", "name")


def read_projector(path: Path, *, limit: int | None = None) -> Vectors:
    """Read a Projector's folder, its JSON, or a ``.tsv`` with its metadata next to it.

    Raises
    ------
    FormatError
        If rows and labels differ in number, a label is blank, a number is not finite, or the JSON
        names a file elsewhere.
    """
    tensor, metadata, shape = _locate(path)
    matrix = _read_bytes(tensor, shape) if tensor.suffix == ".bytes" else _read_tsv(tensor)
    words, counts, first = _read_metadata(metadata)
    if len(words) != len(matrix) or (shape and shape != matrix.shape):
        raise FormatError(
            "vectors_projector_rows", path=tensor, rows=matrix.shape, words=len(words), shape=shape
        )
    check_finite(words, matrix, tensor, 1)
    vectors = clean(words[:limit], matrix[:limit], metadata, first)
    if counts is not None:
        rows = {word: row for row, word in reversed(list(enumerate(words)))}
        vectors.counts = counts[[rows[word] for word in vectors.words]]
    return vectors


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
        about: dict[str, object] = {
            "tensorName": vectors.name or "vectors",
            "tensorShape": list(vectors.matrix.shape),
            "tensorPath": TENSOR,
            "metadataPath": METADATA,
        }
        write_json(new / CONFIG, {"embeddings": [about]})
        (new / FOR_TENSORBOARD).write_text(_pbtxt(about), encoding="utf-8")


def _pbtxt(about: Mapping[str, object]) -> str:
    """Say the same as protocol buffer text; JSON's strings are its strings too."""
    named = {
        "tensor_name": about["tensorName"],
        "tensor_path": about["tensorPath"],
        "metadata_path": about["metadataPath"],
    }
    lines = [f"  {key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in named.items()]
    shape = about["tensorShape"]
    assert isinstance(shape, list)
    lines[1:1] = [f"  tensor_shape: {number}\n" for number in shape]
    return f"embeddings {{\n{''.join(lines)}}}\n"


def _locate(path: Path) -> tuple[Path, Path, tuple[int, ...] | None]:
    """Tensor file, metadata file, and the shape that the JSON claims."""
    if path.is_dir():
        path = path / CONFIG if (path / CONFIG).exists() else path / TENSOR
    if path.suffix != ".json":
        name = path.name
        for mark in ("vectors", "tensor"):
            sibling = path.with_name(name.replace(mark, "metadata")).with_suffix(".tsv")
            if mark in name and sibling.exists():
                return path, sibling, None
        raise MissingFileError(
            "file_missing",
            path=path.with_name(METADATA),
            way_out="The words of a Projector's vectors stand in it, one per line.",
        )
    listed = read_json(path).get("embeddings")
    about = listed[0] if isinstance(listed, list) and listed else None
    if not isinstance(about, dict):
        raise FormatError("file_unreadable", path=path, reason=reason("embeddings_none"))
    tensor, metadata = (_inside(path, about.get(key)) for key in ("tensorPath", "metadataPath"))
    shape = about.get("tensorShape")
    if shape is None:
        return tensor, metadata, None
    if not isinstance(shape, list) or not all(isinstance(n, int) and n > 0 for n in shape):
        raise FormatError("file_unreadable", path=path, reason=reason("tensor_shape", shape=shape))
    return tensor, metadata, tuple(shape)


def _inside(config: Path, name: object) -> Path:
    """Path of a file that the JSON names, which must lie in the JSON's folder."""
    folder = config.parent.resolve()
    try:
        if isinstance(name, str) and (folder / name).resolve().is_relative_to(folder):
            path = config.parent / name
            if not path.is_dir():
                return path
    except (ValueError, OSError):
        pass  # a name that no file can have
    raise FormatError(
        "file_unreadable", path=config, reason=reason("file_elsewhere", name=repr(name))
    )


def _read_tsv(path: Path) -> NDArray[np.float32]:
    """Numbers between tabs."""
    with reading(path) as source:
        head = source.read(BLOCK)
        if not head.strip():
            raise FormatError("vectors_empty", path=path)
        lines = Lines(guess_size(head, TAB, has_word=False), TAB, has_word=False)
        stream = RowStream(lines.vector_size, 1, row_blocks(source, head, lines, None))
        return collect(stream)[1]


def _read_bytes(path: Path, shape: tuple[int, ...] | None) -> NDArray[np.float32]:
    """Raw float32 of the shape in the JSON."""
    if shape is None or len(shape) != 2:
        raise FormatError("file_unreadable", path=path, reason=reason("tensor_shape_none"))
    if not path.exists():
        raise MissingFileError("file_missing", path=path, way_out="The JSON names it.")
    size = path.stat().st_size
    if size != 4 * shape[0] * shape[1]:
        rows, dimensions = shape
        raise FormatError("vectors_claim", path=path, rows=rows, dimensions=dimensions, size=size)
    return np.fromfile(path, dtype="<f4").reshape(shape).astype(np.float32)


def _read_metadata(path: Path) -> tuple[list[str], NDArray[np.int64] | None, int]:
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
    if not path.exists():
        raise MissingFileError("file_missing", path=path, way_out="The words stand in it.")
    try:
        lines = [line.removesuffix("\r") for line in path.read_bytes().decode().split("\n")]
    except UnicodeDecodeError as error:
        raise FormatError("file_unreadable", path=path, reason=str(error)) from error
    while lines and not lines[-1]:
        lines.pop()
    return lines

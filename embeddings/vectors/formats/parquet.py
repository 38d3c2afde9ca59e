"""Vectors as Parquet: columns ``word``, ``count`` (null where not known) and ``vector``, a list of D float32 a row.

pandas, polars, DuckDB and Embedding Atlas read it. pyarrow is imported only here, when asked.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import FormatError
from embeddings.files import whole_file
from embeddings.optional import optional
from embeddings.vectors.formats.parsing import check_finite, check_table, clean
from embeddings.vectors.table import Vectors

BLOCK = 1 << 16  # rows of a group
MAGIC = b"PAR1"


def write_parquet(vectors: Vectors, path: Path) -> None:
    """Write the three columns, whole or not at all, packed by zstd."""
    with optional():
        import pyarrow as pa
        from pyarrow import parquet

    check_table(vectors, path, forbidden="\0")
    size = vectors.vector_size
    kinds = [("word", pa.string()), ("count", pa.int64()), ("vector", pa.list_(pa.float32(), size))]
    schema = pa.schema(kinds)
    with (
        whole_file(path) as temporary,
        parquet.ParquetWriter(temporary, schema, compression="zstd") as file,
    ):
        for start in range(0, len(vectors), BLOCK):
            rows = np.asarray(vectors.matrix[start : start + BLOCK], dtype=np.float32)
            counts = None if vectors.counts is None else vectors.counts[start : start + BLOCK]
            columns = [
                pa.array(vectors.words[start : start + BLOCK], pa.string()),
                pa.nulls(len(rows), pa.int64()) if counts is None else pa.array(counts, pa.int64()),
                pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel(), pa.float32()), size),
            ]
            file.write_table(pa.table(columns, schema=schema))


def read_parquet(path: Path, *, limit: int | None = None) -> Vectors:
    """Read columns ``word`` and ``vector`` (lists of one length), and ``count`` where there is one.

    Raises
    ------
    FormatError
        If the file is damaged, lacks a column, or its rows differ in length.
    """
    with optional():
        import pyarrow as pa
        from pyarrow import parquet

    try:
        names = parquet.read_schema(path).names
        if not {"word", "vector"} <= set(names):
            raise FormatError("vectors_parquet", path=path, found=", ".join(names)[:200])
        chosen = [name for name in ("word", "vector", "count") if name in names]
        table = parquet.read_table(path, columns=chosen).slice(0, limit)
        words = [str(word) for word in table["word"].to_pylist()]
        matrix = _rows(table["vector"].combine_chunks(), path)
        counts = table["count"] if "count" in chosen else None
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError("file_unreadable", path=path, reason=str(error)[:200]) from error
    check_finite(words, matrix, path, 1)
    vectors = clean(words, matrix, path, 1)
    if counts is not None and not counts.null_count and not vectors.dropped:
        vectors.counts = np.asarray(counts.to_numpy(), dtype=np.int64)
    return vectors


def _rows(lists: object, path: Path) -> NDArray[np.float32]:
    """Lists of one length as a table."""
    flat = lists.flatten().to_numpy(zero_copy_only=False)  # type: ignore[attr-defined]
    rows = len(lists)  # type: ignore[arg-type]
    lengths = lists.value_lengths()  # type: ignore[attr-defined]
    if not rows or lengths.null_count or len(set(lengths.to_pylist())) != 1 or not len(flat):
        raise FormatError("file_unreadable", path=path, reason="its vectors differ in length")
    return np.asarray(flat, dtype=np.float32).reshape(rows, -1)

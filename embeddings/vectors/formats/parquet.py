"""Vectors as Parquet: columns ``word``, ``count`` (null where not known) and ``vector``, a list of D float32 a row.

pandas, polars, DuckDB and Embedding Atlas read it. pyarrow is imported only here, when asked.

A few kilobytes can stand for millions of equal rows: rows are read some at a time, and counted before and while they are.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings.arrays import Float32s, Int64s, slices
from embeddings.errors import FormatError, clause
from embeddings.files import atomic_file
from embeddings.optional import optional
from embeddings.vectors.character_ngrams import LONGEST_WORD
from embeddings.vectors.formats.parsing import check_memory, check_table
from embeddings.vectors.formats.text_vectors import (
    MOST_DIMENSIONS,
    RowBlock,
    RowStream,
)
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Schema
    from pyarrow.parquet import ParquetFile

ROWS_PER_GROUP = 1 << 16  # rows of a group
READ = 1 << 12  # rows that are read at a time
BUFFER = 1 << 20  # bytes of a column that are read at a time, however large its group of rows is
MAGIC = b"PAR1"


SECONDS = 60  # in which metadata are read
CLAIMS = """
import json, sys
from pyarrow import parquet
with parquet.ParquetFile(sys.argv[1]) as file:
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    pieces = [group.column(number) for group in groups for number in range(group.num_columns)]
    print(json.dumps([(p.path_in_schema.split(".")[0], p.num_values, p.total_uncompressed_size) for p in pieces]))
"""


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
        atomic_file(path) as temporary,
        parquet.ParquetWriter(temporary, schema, compression="zstd") as file,
    ):
        for part in slices(len(vectors), ROWS_PER_GROUP):
            rows = np.asarray(vectors.matrix[part], dtype=np.float32)
            counts = None if vectors.counts is None else vectors.counts[part]
            columns = [
                pa.array(vectors.words[part], pa.string()),
                pa.nulls(len(rows), pa.int64()) if counts is None else pa.array(counts, pa.int64()),
                pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel(), pa.float32()), size),
            ]
            file.write_table(pa.table(columns, schema=schema))


@contextmanager
def open_parquet(path: Path) -> Iterator[RowStream]:
    """Open columns ``word`` and ``vector`` (lists of one length), and ``count`` where there is one, as blocks of rows.

    Raises
    ------
    FormatError
        When it is met: the file is damaged, lacks a column, or its rows differ in length.
    """
    blocks = _blocks(path)
    first = next(blocks, None)
    if first is None:
        raise FormatError("vectors_empty", path=path)
    yield RowStream(first.rows.shape[1], 1, chain([first], blocks))


def _blocks(path: Path) -> Iterator[RowBlock]:
    """Yield the rows of a file, some at a time, within the bounds of its size; no counts where one of them has none."""
    with optional():
        import pyarrow as pa
        from pyarrow import parquet

    total, size = 0, 0
    try:
        _check_columns(parquet.read_schema(path), path)
        with parquet.ParquetFile(path, read_dictionary=["word"], buffer_size=BUFFER) as file:
            for batch in _batches(file, path):
                words, rows = _words(batch), _rows(batch.column("vector"), path)
                total, size = total + len(words), size or rows.shape[1]
                if rows.shape[1] != size:
                    raise ValueError(clause("vectors_differ"))
                check_memory(path, total, size, packed=True)
                yield RowBlock([word.encode() for word in words], rows, _counted(batch))
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError("file_unreadable", path=path, reason=error) from error


def _check_columns(schema: Schema, path: Path) -> None:
    """Refuse a file without a column of words and one of lists."""
    from pyarrow import types

    kinds = dict(zip(schema.names, schema.types, strict=True))
    if not {"word", "vector"} <= kinds.keys():
        raise FormatError("vectors_parquet", path=path, found=", ".join(kinds)[:200])
    word, vector = kinds["word"], kinds["vector"]
    is_list = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    if types.is_nested(word) or not any(test(vector) for test in is_list):
        named = f"word ({word}), vector ({vector})"
        raise FormatError("vectors_parquet", path=path, found=named[:200])


def _batches(file: ParquetFile, path: Path) -> Iterator[RecordBatch]:
    """Return the columns that are read, `READ` rows at a time; claims that are too large are refused."""
    chosen = [n for n in ("word", "vector", "count") if n in file.schema_arrow.names]
    inside = [claim for claim in _claims(path) if claim[0] in chosen]
    vectors = sum(values for name, values, _ in inside if name == "vector")
    total = file.metadata.num_rows
    check_memory(path, total, vectors // max(total, 1), packed=True)
    check_memory(path, 1, sum(size for *_, size in inside) // 4, packed=True)
    return file.iter_batches(READ, columns=chosen)


def _claims(path: Path) -> list[tuple[str, int, int]]:
    """Return column, values and unpacked bytes of every piece of the file, as its metadata claim.

    Damaged metadata of a piece make the library end the whole process: they are read in a process of their own.
    """
    command = [sys.executable, "-c", CLAIMS, str(path)]
    read = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if read.returncode:
        raise FormatError("file_unreadable", path=path, reason=clause("metadata_damaged"))
    return [(name, values, size) for name, values, size in json.loads(read.stdout)]


def _words(batch: RecordBatch) -> list[str]:
    """Words of some rows; each spelling is unpacked once, and null is a word that is not there, as an empty one."""
    column = batch.column("word")
    is_packed = hasattr(column, "dictionary")
    spellings = column.dictionary if is_packed else column
    if spellings.nbytes > READ * LONGEST_WORD:
        raise ValueError(clause("word_long", bound=LONGEST_WORD))
    known = ["" if word is None else str(word) for word in spellings.to_pylist()]
    if not is_packed:
        return known
    return ["" if index is None else known[index] for index in column.indices.to_pylist()]


def _counted(batch: RecordBatch) -> Int64s | None:
    """Return the counts of some rows; None if one is not known, or is no whole number from 0 to 2^63 - 1."""
    if "count" not in batch.schema.names or batch.column("count").null_count:
        return None
    from pyarrow import ArrowInvalid, ArrowNotImplementedError

    try:
        column = batch.column("count").cast("int64")
    except (ArrowInvalid, ArrowNotImplementedError):
        return None
    counts = np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.int64)
    return counts if counts.min(initial=0) >= 0 else None


def _rows(lists: Any, path: Path) -> Float32s:
    """Lists of one length as a table."""
    flat = lists.flatten()
    lengths = lists.value_lengths().to_numpy(zero_copy_only=False)
    if lists.null_count or not len(flat) or (lengths != lengths[0]).any():
        raise ValueError(clause("vectors_differ"))
    if lengths[0] > MOST_DIMENSIONS:
        raise FormatError(
            "vectors_dimensions", path=path, value=int(lengths[0]), high=MOST_DIMENSIONS
        )
    table = np.asarray(flat.to_numpy(zero_copy_only=False), dtype=np.float32)
    return table.reshape(len(lists), -1)

"""What a worker does with a shard of text: the loops of one machine, over the shard's blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from embeddings.cluster.shards import Shard
from embeddings.corpora.word_counts import count_block, file_blocks
from embeddings.corpora.word_table import WordTable
from embeddings.errors import KlyuchError
from embeddings.text.tokenizer_kernel import DOCUMENT_END

BLOCK = 1 << 20  # bytes
BASE_BYTES = 256 << 20  # of a worker that does nothing: the libraries
BYTES_PER_BYTE = (
    40  # of memory for a byte of text if nearly every word is a new one; 3 for plain text
)

TableArrays = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class ShardCounts:
    """A shard as ids of a table of its own, SENTENCE_END and DOCUMENT_END between them.

    Attributes
    ----------
    table : tuple of arrays
        As `WordTable.arrays`.
    ids : tuple of NDArray of int32
        A block each.
    next_start : int
        Where the file goes on, if it was read from its start and did not end; else -1.
    """

    table: TableArrays
    ids: tuple[NDArray[np.int32], ...]
    next_start: int


def bytes_needed(shard_bytes: int) -> int:
    """Return the memory that a worker needs for a shard, whatever its words are."""
    return BASE_BYTES + BYTES_PER_BYTE * shard_bytes


def count_shard(shard: Shard, lower: bool) -> ShardCounts:
    """Tokenise and count a shard.

    Raises
    ------
    KlyuchError
        If the shard cannot be read, is damaged or no text: file, line and value as for the whole file.
    """
    try:
        return _count(shard, lower)
    except KlyuchError as error:
        if isinstance(line := error.fields.get("line"), int):
            fields = {**error.fields, "line": line + shard.lines_before()}
            raise type(error)(error.code, **fields) from error
        raise


def _count(shard: Shard, lower: bool) -> ShardCounts:
    """Count block after block; memory is that of the ids and of the shard's words."""
    table, ids = WordTable(), []
    is_start = shard.is_sequential or shard.start == 0
    begin = shard.start if shard.is_sequential else 0
    next_start = -1
    for block in file_blocks(shard, min(BLOCK, shard.size), is_start=is_start):
        if block.offset < begin:
            continue  # read before
        if shard.is_sequential and block.offset - begin >= shard.size:
            next_start = block.offset
            break
        ends_file = block.ends_file and shard.is_sequential
        ids.append(count_block(replace(block, ends_file=ends_file), lower, table))
    if not shard.is_sequential and shard.ends_file:
        ids.append(np.array([DOCUMENT_END], np.int32))
    return ShardCounts(table.arrays, tuple(ids), next_start)

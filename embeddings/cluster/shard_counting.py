"""What a worker does with a shard of text: the loops of one machine, over the shard's blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from embeddings.cluster.shards import Shard
from embeddings.corpora.text_counting import PieceSize
from embeddings.corpora.word_counts import count_block, file_blocks
from embeddings.corpora.word_table import WordTable
from embeddings.errors import KlyuchError
from embeddings.text.tokenizer_kernel import DOCUMENT_END

BLOCK = 1 << 20  # bytes
BASE_BYTES = 320 << 20  # of a worker with its libraries and kernels; 272 were seen
BYTES_PER_BYTE = (
    40  # of memory for a byte of text if nearly every word is a new one; 3 for plain text
)

TableArrays = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]
TABLE = ("letters", "ends", "hashes", "counts")


class ShardPart(Protocol):
    """What a shard came to."""

    @property
    def next_start(self) -> int:
        """Where the file goes on, if it was read from its start and did not end; else -1."""

    @property
    def words(self) -> int:
        """Words of its text, and ends of sentences and documents where they are kept between them."""

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is to be kept of it."""


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

    @property
    def words(self) -> int:
        """Entries of all blocks."""
        return sum(map(len, self.ids))

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Table and ids."""
        ids = np.concatenate([np.empty(0, np.int32), *self.ids])
        return {**dict(zip(TABLE, self.table, strict=True)), "ids": ids}


@dataclass(frozen=True, slots=True)
class ShardSize:
    """A shard as its words with their counts, and what it holds.

    Attributes
    ----------
    table : tuple of arrays
        As `WordTable.arrays`; empty where the words are not asked for.
    size : PieceSize
        Words, sentences, documents.
    next_start : int
        As that of `ShardCounts`.
    """

    table: TableArrays
    size: PieceSize
    next_start: int

    @property
    def words(self) -> int:
        """Words of its text."""
        return self.size.words

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Table and size."""
        return {**dict(zip(TABLE, self.table, strict=True)), "size": self.size.numbers}


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


def measure_shard(shard: Shard, lower: bool, with_words: bool) -> ShardSize:
    """Tokenise and count a shard, and leave its ids out; raises as `count_shard`."""
    counts, size = count_shard(shard, lower), PieceSize()
    for ids in counts.ids:
        size += PieceSize.of(ids)
    return ShardSize(counts.table if with_words else WordTable(1).arrays, size, counts.next_start)


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

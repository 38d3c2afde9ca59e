"""Co-occurrence counts: how often word j stands near word i, each meeting weighted by 1 / distance unless said otherwise.

A *block* is a range of words whose positions fit the memory; one pass over the text finds them all. A *chunk* is a part of a block that
one thread counts. The order of additions within a row is the text's order in every case, so that blocks, chunks, threads and memory
change nothing in the result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from embeddings.arrays import Float32s, Float64s, Int32s, Int64s, bounds_of
from embeddings.configuration import CheckedConfig, setting
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.results import Report, Value, progress_of
from embeddings.static.kernels import cooccurrence_kernel

ENTRIES = 1 << 21  # of a chunk, when memory is no matter: 16 MB
COLUMNS, VALUES = "columns.int32", "values.float32"


class CooccurrenceConfig(CheckedConfig):
    """How co-occurrences are counted."""

    window: int = setting(10, "Window: words on either side.", 1, 255)
    distance_weighting: bool = setting(True, "A meeting counts 1 / distance, or 1 at any distance.")
    memory_mb: int = setting(
        0, "Memory in MB for counting on disk; 0: count in memory.", 0, 1 << 30
    )
    workers: int = setting(2, "Threads.", 1, 256)


class RowRange(NamedTuple):
    """Words ``first`` up to ``end``, which is the one behind the last."""

    first: int
    end: int


class Chunk(NamedTuple):
    """Counted rows: the size of each, and the entries of all of them in a sequence."""

    sizes: Int64s
    columns: Int32s
    values: Float32s


class _Text(Value):
    """What the loops read: ids, sentence bounds, uses of each word, words of a window on either side, weights by place."""

    ids: Int32s
    bounds: Int64s
    counts: Int64s
    window: int
    weights: Float64s

    @property
    def most(self) -> Int64s:
        """Bound on each row's entries: no more than its meetings, or than words."""
        return most_entries(self.counts, self.window)


def most_entries(counts: Int64s, window: int) -> Int64s:
    """Return bounds on the entries of rows: no more than a word's meetings, or than words."""
    return np.minimum(counts * 2 * window, len(counts))


class _Room(Value):
    """How many positions a block may have, entries a chunk, and chunks may be under way; a desk per thread to write on.

    Desks are kept from chunk to chunk: fresh memory would cost a page fault for every 4 KB.
    """

    positions: int
    entries: int
    ahead: int
    desks: SimpleQueue[tuple[Int32s, Float32s]]


def counted_rows(
    corpus: EncodedCorpus,
    config: CooccurrenceConfig,
    report: Report | None = None,
    rows: RowRange | None = None,
) -> Iterator[Chunk]:
    """Yield the counts of all words in order, or of the range ``rows``, ``config.memory_mb`` being in use at most (0: no bound)."""
    words = len(corpus.vocabulary)
    rows = rows or RowRange(0, words)
    ids = np.asarray(corpus.ids, dtype=np.int32)
    bounds = np.asarray(corpus.sentence_bounds, dtype=np.int64)
    counts = cooccurrence_kernel.count_words(ids, words)
    distances = np.abs(np.arange(-config.window, config.window + 1))
    weights = 1 / np.maximum(distances, 1) if config.distance_weighting else np.ones(len(distances))
    text = _Text(ids, bounds, counts, config.window, np.where(distances > 0, weights, 0.0))
    room = _room(text, config.workers, config.memory_mb << 20)
    advance, done = progress_of(report, "cooccurrence", len(ids)), 0
    with ThreadPoolExecutor(config.workers) as pool:
        for part, chunk in _chunks(text, room, rows, pool):
            yield chunk
            done += int(counts[part.first : part.end].sum())
            advance(done)


def _room(text: _Text, workers: int, memory: int) -> _Room:
    """Share the memory out: sums and marks of a row per thread, then half for positions and half for chunks under way.

    The positions of the commonest word, 8 bytes each, are in memory in any case.
    """
    words = len(text.counts)
    longest = int(text.most.max())
    ahead = workers + 1
    bytes_per_entry = 8 * (workers + ahead)  # on the desks, and in chunks that wait
    fixed = words * (9 * workers + 48) + (1 << 18)
    needed = fixed + 2 * max(longest * bytes_per_entry, 1 << 20)
    if memory and memory < needed:
        raise InputError(
            "cooccurrence_memory", memory_mb=memory >> 20, needed=-(-needed >> 20), words=words
        )
    half = (memory - fixed) // 2
    positions = max(half // 8, int(text.counts.max())) if memory else len(text.ids) + 1
    entries = min(half // bytes_per_entry, ENTRIES) if memory else max(ENTRIES, longest)
    desks: SimpleQueue[tuple[Int32s, Float32s]] = SimpleQueue()
    for _ in range(workers):
        desks.put((np.empty(entries, np.int32), np.empty(entries, np.float32)))
    return _Room(positions, entries, ahead if memory else 1 << 30, desks)


def _chunks(
    text: _Text, room: _Room, rows: RowRange, pool: ThreadPoolExecutor
) -> Iterator[tuple[RowRange, Chunk]]:
    """Count block after block."""
    for block in cut_rows(text.counts, rows, room.positions):
        starts = bounds_of(text.counts[block.first : block.end])
        packed = np.empty(int(starts[-1]), np.int64)
        cooccurrence_kernel.invert_positions(
            text.ids, text.bounds, (block.first, block.end), text.window, starts[:-1].copy(), packed
        )
        parts = list(cut_rows(text.most, block, room.entries))
        jobs = (
            pool.submit(
                _count_rows, text, room, packed, starts[low - block.first : high - block.first + 1]
            )
            for low, high in parts
        )
        yield from zip(parts, _in_order(jobs, room.ahead), strict=True)


def cut_rows(sizes: Int64s, rows: RowRange, limit: int) -> Iterator[RowRange]:
    """Cut rows into runs whose sizes add up to ``limit`` at most; a row above it stands alone."""
    ends = np.cumsum(sizes[rows.first : rows.end])
    low, spent = 0, 0
    while low < len(ends):
        high = max(int(np.searchsorted(ends, spent + limit, side="right")), low + 1)
        yield RowRange(rows.first + low, rows.first + high)
        low, spent = high, int(ends[high - 1])


def _in_order(jobs: Iterable[Future[Chunk]], ahead: int) -> Iterator[Chunk]:
    """Yield results in the order of the jobs, of which ``ahead`` at most are under way or waiting."""
    waiting: deque[Future[Chunk]] = deque()
    for job in jobs:
        waiting.append(job)
        if len(waiting) == ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _count_rows(text: _Text, room: _Room, packed: Int64s, starts: Int64s) -> Chunk:
    """Count some rows of a block."""
    sizes = np.empty(len(starts) - 1, np.int64)
    columns, values = room.desks.get()
    try:
        written = cooccurrence_kernel.count_rows(
            text.ids, packed, starts, text.weights, len(text.counts), sizes, columns, values
        )
        return Chunk(sizes, columns[:written].copy(), values[:written].copy())
    finally:  # without it another thread would wait for ever
        room.desks.put((columns, values))


class Cooccurrences(Value):
    """Sparse rows X_i: ``columns`` and ``values`` of word i are ``[starts[i]:starts[i + 1]]``, columns rising.

    Attributes
    ----------
    starts : NDArray of int64, shape (words + 1,)
    columns : NDArray of int32, shape (pairs,)
    values : NDArray of float32, shape (pairs,)
        Sum of 1 / distance over all meetings, or their number without distance weighting.
    folder : Path or None
        Where the arrays lie if they are memory maps.
    """

    starts: Int64s
    columns: Int32s
    values: Float32s
    folder: Path | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def pairs(self) -> int:
        """Number of pairs that met at least once."""
        return len(self.columns)

    @property
    def arrays(self) -> tuple[Int64s, Int32s, Float32s]:
        """All that there is to the counts."""
        return self.starts, self.columns, self.values

    def row(self, word: int) -> tuple[Int32s, Float32s]:
        """Columns and values of one word."""
        entries = slice(self.starts[word], self.starts[word + 1])
        return self.columns[entries], self.values[entries]

    def row_sums(self) -> Float64s:
        """X_i, the sum of each row, over the whole vocabulary; shape (words,)."""
        return cooccurrence_kernel.row_sums(self.starts, self.values)


def count_cooccurrences(
    corpus: EncodedCorpus,
    config: CooccurrenceConfig | None = None,
    report: Report | None = None,
    *,
    folder: Path | None = None,
) -> Cooccurrences:
    """Count how often words meet within a window.

    Parameters
    ----------
    corpus : EncodedCorpus
        Ids and sentence bounds.
    config : CooccurrenceConfig, optional
        Window, memory bound, threads.
    report : callable, optional
        Called with `Progress` in words of text counted.
    folder : Path, optional
        Where counts are spilled when ``config.memory_mb`` is set.

    Returns
    -------
    Cooccurrences
        Symmetric: X_ij = X_ji to rounding.

    Raises
    ------
    InputError
        If there is nothing to count, or if ``memory_mb`` has no room for the longest row.
    """
    config = config or CooccurrenceConfig()
    if len(corpus.ids) == 0:
        raise InputError("cooccurrence_empty")
    chunks = counted_rows(corpus, config, report)
    return write_rows(chunks, folder) if config.memory_mb and folder else join_rows(chunks)


def counted_words(
    corpus: EncodedCorpus, config: CooccurrenceConfig, words: int, report: Report | None = None
) -> Iterator[tuple[Int32s, Float32s]]:
    """Yield columns and values of the ``words`` commonest words, one after the other, within ``config.memory_mb``.

    Raises
    ------
    InputError
        If ``memory_mb`` has no room for the longest row.
    """
    row = 0
    for chunk in counted_rows(corpus, config, report):
        ends = np.cumsum(chunk.sizes)
        for end, size in zip(ends.tolist(), chunk.sizes.tolist(), strict=True):
            if row == words:
                return
            yield chunk.columns[end - size : end], chunk.values[end - size : end]
            row += 1


def join_rows(chunks: Iterable[Chunk]) -> Cooccurrences:
    """Join the chunks as they come; arrays grow in place, so that the entries exist once."""
    sizes, columns, values = [], np.empty(0, np.int32), np.empty(0, np.float32)
    for part in chunks:
        sizes.append(part.sizes)
        for array, added in ((columns, part.columns), (values, part.values)):
            end = len(array)
            array.resize(end + len(added), refcheck=False)
            array[end:] = added
    return Cooccurrences(bounds_of(np.concatenate(sizes)), columns, values)


def write_rows(chunks: Iterable[Chunk], folder: Path) -> Cooccurrences:
    """Append the chunks to files as they come, and map these into memory."""
    folder.mkdir(parents=True, exist_ok=True)
    sizes = []
    with (folder / COLUMNS).open("wb") as columns, (folder / VALUES).open("wb") as values:
        for part in chunks:
            sizes.append(part.sizes)
            part.columns.tofile(columns)
            part.values.tofile(values)
    starts = bounds_of(np.concatenate(sizes))
    if starts[-1] == 0:  # an empty file cannot be mapped
        return Cooccurrences(starts, np.empty(0, np.int32), np.empty(0, np.float32), folder)
    return Cooccurrences(
        starts,
        np.memmap(folder / COLUMNS, np.int32, "r"),
        np.memmap(folder / VALUES, np.float32, "r"),
        folder,
    )

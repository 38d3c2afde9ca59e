"""Co-occurrences over a cluster: each worker counts the rows of some words, slice after slice of the text.

The sums of a row are added up in the order of the text and in float64, as on one machine: whatever
rows, slices and workers there are, the counts are the same bytes.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.cluster.connection import Cluster
from embeddings.cluster.encoding import BASE_BYTES, is_kept, open_parts, save_part
from embeddings.cluster.shards import TextSlice, cut_text
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.results import Progress
from embeddings.static.cooccurrence import (
    Chunk,
    CooccurrenceConfig,
    Cooccurrences,
    RowRange,
    cut_rows,
    most_entries,
    place_weights,
    write_rows,
)
from embeddings.static.kernels import cooccurrence_kernel

LARGEST_TASK = 1 << 30  # bytes that a task takes where nothing else is said
LEAST_TASK = 1 << 20  # bytes that a task takes at least
PER_POSITION = 40  # bytes: ids, bounds, and positions inverted
PER_ENTRY = 40  # bytes: the rows before and after a slice, and the columns and values that are sent
PER_WORD = 64  # bytes: one row's sums and marks, counts of the slice
PARTS = 4  # pieces of work for each thread


@dataclass(frozen=True, slots=True)
class RowJob:
    """Rows ``first`` up to ``end`` of the counts, over all slices of the text."""

    first: int
    end: int
    slices: tuple[TextSlice, ...]
    window: tuple[int, int]
    distance_weighting: bool

    def __str__(self) -> str:
        return f"rows {self.first} to {self.end - 1}"


def count_on_cluster(
    corpus: EncodedCorpus,
    config: CooccurrenceConfig,
    cluster: Cluster,
    folder: Path,
    report: Callable[[Progress], None] | None = None,
) -> Cooccurrences:
    """Count how often words meet, as `embeddings.static.cooccurrence.count_cooccurrences`.

    Parameters
    ----------
    corpus : EncodedCorpus
        In a folder that every worker sees under the same path.
    config : CooccurrenceConfig
        ``memory_mb`` bounds every task; 0 takes half of what a worker has, at most 1 GB.
    cluster : Cluster
        The workers.
    folder : Path
        Where the counts go; rows that are counted stay in ``folder/rows`` until all are.
    report : callable, optional
        Called with `Progress` in words of text counted.

    Raises
    ------
    KlyuchError
        If there is nothing to count, if the memory has no room for the longest row, and as `Cluster.results`.
    """
    if len(corpus.ids) == 0:
        raise InputError("cooccurrence_empty")
    memory = (config.memory_mb << 20) or _memory_of(cluster)
    cluster.check_memory(BASE_BYTES + memory, "cluster_memory_rows")
    jobs = plan_rows(
        corpus, config.sides, config.distance_weighting, memory, PARTS * cluster.threads
    )
    rows = folder / "rows"
    open_parts(rows, [[asdict(job) for job in jobs], _digest(corpus)])
    paths = {job: rows / f"{job.first:09d}-{job.end:09d}.npz" for job in jobs}
    _count_missing(cluster, paths, corpus, report)
    counts = write_rows(_chunks(list(paths.values())), folder)
    for path in paths.values():
        path.unlink()
    return counts


def _memory_of(cluster: Cluster) -> int:
    """Return the bytes that a task may take."""
    limit = cluster.memory_per_task
    return min(LARGEST_TASK, max((limit - BASE_BYTES) // 2, LEAST_TASK)) if limit else LARGEST_TASK


def _digest(corpus: EncodedCorpus) -> list[int]:
    """Return numbers that change when a corpus is encoded again from another text."""
    return [len(corpus.ids), len(corpus.sentence_bounds), *corpus.vocabulary.counts.tolist()]


def plan_rows(
    corpus: EncodedCorpus,
    window: tuple[int, int],
    distance_weighting: bool,
    memory: int,
    parts: int,
) -> list[RowJob]:
    """Cut the rows into jobs that fit ``memory`` bytes each, at least about ``parts`` of them.

    Raises
    ------
    InputError
        If the longest row does not fit.
    """
    words = len(corpus.vocabulary)
    most = most_entries(corpus.vocabulary.counts, window)
    longest = int(most.max())
    needed = PER_WORD * words + 2 * max(longest * PER_ENTRY, 1 << 20)
    if memory < needed:
        raise InputError(
            "cooccurrence_memory", memory_mb=memory >> 20, needed=-(-needed >> 20), words=words
        )
    half = (memory - PER_WORD * words) // 2
    slices = tuple(cut_text(corpus, half // PER_POSITION))
    share = max(int(most.sum()) // max(parts, 1), longest)
    limit = min(half // PER_ENTRY, share)
    return [
        RowJob(rows.first, rows.end, slices, window, distance_weighting)
        for rows in cut_rows(most, RowRange(0, words), limit)
    ]


def _count_missing(
    cluster: Cluster,
    paths: dict[RowJob, Path],
    corpus: EncodedCorpus,
    report: Callable[[Progress], None] | None,
) -> None:
    """Count the rows whose file is not there yet."""
    counts, total = corpus.vocabulary.counts, len(corpus.ids)
    missing = [job for job, path in paths.items() if not is_kept(path)]
    done = total - sum(int(counts[job.first : job.end].sum()) for job in missing)
    before, began = done, time.perf_counter()
    for job, chunk in cluster.results(count_job, deque(missing)):
        sizes, columns, values = chunk
        save_part(paths[job], {"sizes": sizes, "columns": columns, "values": values})
        done += int(counts[job.first : job.end].sum())
        if report:
            rate = (done - before) / max(time.perf_counter() - began, 1e-9)
            report(Progress("cooccurrence", 0, done, total, 0.0, rate, (total - done) / rate))


def _chunks(paths: list[Path]) -> Iterator[Chunk]:
    """Yield the rows of files, one file in memory at a time."""
    for path in paths:
        with np.load(path) as part:
            yield Chunk(part["sizes"], part["columns"], part["values"])


def count_job(job: RowJob) -> Chunk:
    """Count rows on a worker, slice after slice."""
    number = job.end - job.first
    weights = place_weights(max(job.window), job.distance_weighting)
    starts, columns = np.zeros(number + 1, np.int64), np.empty(0, np.int32)
    values = np.empty(0, np.float64)
    for piece in job.slices:
        starts, columns, values = _add_slice(job, piece, weights, (starts, columns, values))
    return Chunk(np.diff(starts), columns, values.astype(np.float32))


Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]


def _add_slice(job: RowJob, piece: TextSlice, weights: NDArray[np.float64], rows: Rows) -> Rows:
    """Add what a slice of the text holds to some rows."""
    ids, bounds = piece.read()
    counts = cooccurrence_kernel.count_words(ids, piece.words)[job.first : job.end]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    packed = np.empty(int(offsets[-1]), np.int64)
    cooccurrence_kernel.invert_positions(
        ids, bounds, (job.first, job.end), job.window, offsets[:-1].copy(), packed
    )
    most = np.minimum(np.diff(rows[0]) + counts * sum(job.window), piece.words)
    room = int(most.sum())
    sizes = np.empty(len(counts), np.int64)
    columns, values = np.empty(room, np.int32), np.empty(room, np.float64)
    written = cooccurrence_kernel.add_counts(
        rows, ids, packed, offsets, weights, piece.words, sizes, columns, values
    )
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return starts, columns[:written].copy(), values[:written].copy()

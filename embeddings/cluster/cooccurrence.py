"""Co-occurrences over a cluster: each worker counts the rows of some words, over the whole text.

A row is counted as on one machine: whatever rows and workers there are, the counts are the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from embeddings.cluster.connection import Arrays, Cluster, kept_results
from embeddings.cluster.encoding import BASE_BYTES
from embeddings.corpora.encoded_corpus import IDS_FILE, EncodedCorpus
from embeddings.errors import InputError
from embeddings.results import Report, Value, progress_of
from embeddings.static.cooccurrence import (
    Chunk,
    CooccurrenceConfig,
    Cooccurrences,
    RowRange,
    counted_rows,
    cut_rows,
    most_entries,
    write_rows,
)

LARGEST_TASK = 1 << 30  # bytes that a task takes where nothing else is said
LEAST_TASK = 1 << 20  # bytes that a task takes at least
PER_ENTRY = 16  # bytes: the columns and values of a task, as they are counted and as they are sent
PIECES_PER_THREAD = 4  # pieces of work for each thread


class RowJob(Value):
    """Some rows of the counts, over all of a corpus, which was ``changed`` at a time in nanoseconds."""

    corpus: Path
    changed: int
    rows: RowRange
    config: CooccurrenceConfig

    def __str__(self) -> str:
        return f"rows {self.rows.first} to {self.rows.end - 1}"


def count_on_cluster(
    corpus: EncodedCorpus,
    config: CooccurrenceConfig,
    cluster: Cluster,
    folder: Path,
    report: Report | None = None,
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
    of_task = replace(config, memory_mb=memory >> 20, workers=1)
    most = most_entries(corpus.vocabulary.counts, config.window)
    limit = min(memory // 2 // PER_ENTRY, int(most.sum()) // (PIECES_PER_THREAD * cluster.threads))
    path = Path(str(corpus.folder)).resolve()
    changed = (path / IDS_FILE).stat().st_mtime_ns
    parts = cut_rows(most, RowRange(0, len(most)), limit)
    jobs = [RowJob(path, changed, rows, of_task) for rows in parts]

    def chunks() -> Iterator[Chunk]:
        counts, done = corpus.vocabulary.counts, 0
        advance = progress_of(report, "cooccurrence", len(corpus.ids))
        for job, arrays in kept_results(cluster, count_job, jobs, folder / "rows"):
            yield Chunk(*arrays)
            done += int(counts[job.rows.first : job.rows.end].sum())
            advance(done)

    return write_rows(chunks(), folder)


def _memory_of(cluster: Cluster) -> int:
    """Return the bytes that a task may take."""
    limit = cluster.memory_per_task
    return min(LARGEST_TASK, max((limit - BASE_BYTES) // 2, LEAST_TASK)) if limit else LARGEST_TASK


def count_job(job: RowJob) -> Arrays:
    """Count rows on a worker.

    Raises
    ------
    KlyuchError
        If the corpus is not there, or damaged: the loops write to memory by its ids.
    """
    counted = counted_rows(EncodedCorpus.open(job.corpus), job.config, rows=job.rows)
    return tuple(map(np.concatenate, zip(*counted, strict=True)))

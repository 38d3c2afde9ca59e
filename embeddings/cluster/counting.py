"""A text counted over a cluster: words, sentences and documents, and how often it has each word, as one machine counts them.

No ids travel: a worker sends the size of a shard and, where they are asked for, its words with their counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from embeddings.cluster.connection import Cluster
from embeddings.cluster.encoding import lemmas_on
from embeddings.cluster.kept_shards import KeptShards, table_of
from embeddings.cluster.shard_counting import bytes_needed, measure_shard
from embeddings.cluster.shards import list_shards
from embeddings.corpora.frequency_list import FrequencyList
from embeddings.corpora.text_counting import CountedWords, PieceSize, write_frequencies
from embeddings.corpora.word_table import WordTable
from embeddings.results import Report
from embeddings.results.shelf_states import TextSize


def count_text_on_cluster(
    sources: Sequence[str],
    cluster: Cluster,
    folder: Path,
    frequencies: FrequencyList | None = None,
    report: Report | None = None,
    *,
    shard_bytes: int = 16 << 20,
) -> TextSize:
    """Count a text as `embeddings.corpora.text_counting.count_files`, on many machines.

    Parameters
    ----------
    sources : sequence of str
        As `embeddings.cluster.encoding.encode_on_cluster` takes them.
    cluster : Cluster
        The workers.
    folder : Path
        Where what is counted lies on this machine until all is; the same call goes on there.
    frequencies : FrequencyList, optional
        A file of words that is wanted too, as `embeddings.corpora.text_counting.write_frequencies` writes it.
    report : callable, optional
        Receives `Progress` in the phase "encode" (bytes read of all).
    shard_bytes : int
        Bytes of text that a worker takes at a time; the result does not depend on it.

    Raises
    ------
    KlyuchError
        As `count_files`, `write_frequencies` and `Cluster.results`. What was counted until then stays in ``folder``.
    """
    shards = list_shards(sources, shard_bytes)
    cluster.check_memory(bytes_needed(shard_bytes))
    with_words = frequencies is not None
    lower = frequencies is not None and frequencies.config.reads_lower
    task = partial(measure_shard, lower=lower, with_words=with_words)
    kept = KeptShards.opened(folder, shards, task, ["sizes", lower, with_words])
    kept.complete(cluster, report)
    counted = _merged(kept)
    if frequencies is not None:
        write_frequencies(counted, frequencies, partial(lemmas_on, cluster))
    kept.remove()
    return counted.size


def _merged(kept: KeptShards) -> CountedWords:
    """Add up all shards in the order of the text."""
    size, table = PieceSize(), WordTable()
    for path in kept.paths:
        with np.load(path) as part:
            size += PieceSize.from_numbers(part["size"])
            table.add(*table_of(part))
    return CountedWords(kept.files, size.total, table)

"""Tokenisation and encoding over a cluster: the corpus that one machine would write, byte for byte.

Workers count shards; here their words are merged in the order of the text, ranked, and their ids
renumbered, by the second pass of one machine (`embeddings.corpora.corpus_encoding`). What a shard
came to is kept next to the corpus until that is whole, so that a run that ended goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.cluster.connection import Cluster
from embeddings.cluster.kept_shards import KeptShards, shards_folder, table_of
from embeddings.cluster.shard_counting import bytes_needed, count_shard
from embeddings.cluster.shards import is_remote, list_shards
from embeddings.corpora import encoded_corpus
from embeddings.corpora.corpus_encoding import CountedText, ProvisionalBlock, write_counted
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.corpora.word_table import WordTable
from embeddings.errors import InputError
from embeddings.files import atomic_folder, check_apart, check_replaceable
from embeddings.results import Report
from embeddings.text.lemmas import lemmas_of

WORDS_AT_ONCE = 20_000  # that a worker looks lemmas up for


def encode_on_cluster(
    sources: Sequence[str],
    folder: Path,
    config: EncodingConfig,
    cluster: Cluster,
    report: Report | None = None,
    *,
    shard_bytes: int = 16 << 20,
) -> EncodedCorpus:
    """Turn text into ids on disk, as `embeddings.corpora.encoded_corpus.encode`, on many machines.

    Parameters
    ----------
    sources : sequence of str
        Files and folders, by paths that every worker sees, or by addresses (s3://, https://).
    folder : Path
        Where the corpus goes, on this machine.
    config : EncodingConfig
        What is kept.
    cluster : Cluster
        The workers.
    report : callable, optional
        Receives `Progress` in phases "encode" (bytes read of all) and "number" (shards).
    shard_bytes : int
        Bytes of text that a worker takes at a time; the result does not depend on it.

    Raises
    ------
    KlyuchError
        As `encode` and `Cluster.results`. What was counted until then stays in ``folder.shards``.
    """
    if config.encoding:
        raise InputError("encoding_cluster", encoding=config.encoding)
    check_apart(folder, [Path(source) for source in sources if not is_remote(source)])
    check_replaceable(folder, encoded_corpus.IDS, encoded_corpus.FILES)
    shards = list_shards(sources, shard_bytes)
    cluster.check_memory(bytes_needed(shard_bytes))
    lower = config.reads_lower
    task = partial(count_shard, lower=lower)
    kept = KeptShards.opened(shards_folder(folder), shards, task, lower)
    kept.complete(cluster, report)
    with atomic_folder(folder) as temporary:
        write_counted(_merged(kept), temporary, config, report, partial(lemmas_on, cluster))
    kept.remove()
    return EncodedCorpus.open(folder)


def lemmas_on(cluster: Cluster, words: Sequence[bytes], language: str) -> Iterator[str]:
    """Look lemmas up on the workers; as `lemmas_of`."""
    starts = range(0, len(words), WORDS_AT_ONCE)
    jobs = [(list(words[start : start + WORDS_AT_ONCE]), language) for start in starts]
    for lemmas in cluster.in_order(_lemma_list, jobs):
        yield from lemmas


def _lemma_list(job: tuple[list[bytes], str]) -> list[str]:
    """Look up some words on a worker."""
    return list(lemmas_of(*job))


def _merged(kept: KeptShards) -> CountedText:
    """Merge the words of all shards in the order of the text; the ids stay on the disk."""
    paths, table = kept.paths, WordTable()
    for path in paths:
        with np.load(path) as part:
            ranks = table.add(*table_of(part))
        np.save(path.with_suffix(".npy"), ranks)

    def blocks(ranks: NDArray[np.int32]) -> Iterator[ProvisionalBlock]:
        for path in paths:
            with np.load(path) as part:
                yield ranks[np.load(path.with_suffix(".npy"))], part["ids"]

    return CountedText(kept.files, table, blocks, len(paths), kept.local_paths)

"""Tokenisation and encoding over a cluster: the corpus that one machine would write, byte for byte.

Workers count shards; here their words are merged in the order of the text, ranked, and their ids
renumbered, by the second pass of one machine (`embeddings.corpora.corpus_encoding`). What a shard
came to is kept beside the corpus until that is whole, so that a run that ended goes on.
"""

from __future__ import annotations

import math
import shutil
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.cluster.connection import Cluster
from embeddings.cluster.kept_parts import is_kept, open_parts, save_part
from embeddings.cluster.shard_counting import ShardCounts, bytes_needed, count_shard
from embeddings.cluster.shards import Shard, is_remote, list_shards
from embeddings.corpora import encoded_corpus
from embeddings.corpora.corpus_encoding import CountedText, ProvisionalBlock, write_counted
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.corpora.word_table import WordTable
from embeddings.files import check_apart, check_replaceable, whole_folder
from embeddings.results import Progress, Report
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
    check_apart(folder, [Path(source) for source in sources if not is_remote(source)])
    check_replaceable(folder, encoded_corpus.IDS, encoded_corpus.FILES)
    shards = list_shards(sources, shard_bytes)
    cluster.check_memory(bytes_needed(shard_bytes))
    kept = KeptShards.opened(shards_folder(folder), shards, config.reads_lower)
    kept.complete(cluster, report)
    with whole_folder(folder) as temporary:
        text = kept.merged()
        lemmatise = partial(_lemmas_on, cluster)
        write_counted(text, temporary, config, report, lemmatise)
    kept.remove()
    return EncodedCorpus.open(folder)


def shards_folder(folder: Path) -> Path:
    """Return where the counts of shards lie until the corpus ``folder`` is whole."""
    return folder.with_name(folder.name + ".shards")


def _lemmas_on(cluster: Cluster, words: Sequence[bytes], language: str) -> Iterator[str]:
    """Look lemmas up on the workers; as `lemmas_of`."""
    starts = range(0, len(words), WORDS_AT_ONCE)
    jobs = [(list(words[start : start + WORDS_AT_ONCE]), language) for start in starts]
    for lemmas in cluster.in_order(_lemma_list, jobs):
        yield from lemmas


def _lemma_list(job: tuple[list[bytes], str]) -> list[str]:
    """Look up some words on a worker."""
    return list(lemmas_of(*job))


@dataclass(frozen=True, slots=True)
class KeptShards:
    """Counts of shards on this machine's disk, a file each, and how they become a text.

    Attributes
    ----------
    folder : Path
        Where they lie.
    shards : tuple of Shard
        All ranges, and of files that are read from their start the first shards.
    lower : bool
        Whether words are lower-cased as the text is split.
    """

    folder: Path
    shards: tuple[Shard, ...]
    lower: bool

    @classmethod
    def opened(cls, folder: Path, shards: tuple[Shard, ...], lower: bool) -> KeptShards:
        """Take up a folder of the same shards and settings; one of others is made anew."""
        open_parts(folder, [lower, [asdict(shard) for shard in shards]])
        return cls(folder, shards, lower)

    def complete(self, cluster: Cluster, report: Report | None) -> None:
        """Count every shard that is not counted yet."""
        begun, words, done = time.perf_counter(), 0, 0
        total = sum(shard.whole for shard in {shard.file: shard for shard in self.shards}.values())
        jobs: deque[Shard] = deque()
        for first in self.shards:
            shard = first
            while (next_start := self._next_start(shard)) is not None and next_start >= 0:
                shard = shard.following(next_start)
            if next_start is None:
                jobs.append(shard)
            else:
                done += _share(shard)
        task = partial(count_shard, lower=self.lower)
        for shard, counts in cluster.results(task, jobs):
            self._save(shard, counts)
            words += sum(len(ids) for ids in counts.ids)
            if counts.next_start >= 0:
                jobs.append(shard.following(counts.next_start))
            else:
                done += _share(shard)
            if report is not None:
                seconds = max(time.perf_counter() - begun, 1e-9)
                left = seconds * (total - done) / max(done, 1)
                report(Progress("encode", 0, done, total, math.nan, words / seconds, left))

    def merged(self) -> CountedText:
        """Merge the words of all shards in the order of the text; the ids stay on the disk."""
        paths = sorted(self.folder.glob("*.npz"))
        table = WordTable()
        for path in paths:
            with np.load(path) as part:
                ranks = table.add(*(part[name] for name in ("letters", "ends", "hashes", "counts")))
            np.save(path.with_suffix(".npy"), ranks)

        def blocks(ranks: NDArray[np.int32]) -> Iterator[ProvisionalBlock]:
            for path in paths:
                with np.load(path) as part:
                    yield ranks[np.load(path.with_suffix(".npy"))], part["ids"]

        files = list({shard.file: shard for shard in self.shards}.values())
        addresses = [shard.address for shard in files]
        local = () if any(map(is_remote, addresses)) else tuple(map(Path, addresses))
        return CountedText(files, table, blocks, len(paths), local)

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder)

    def _next_start(self, shard: Shard) -> int | None:
        """Return where a counted shard's file goes on, -1 where it does not; None if it is not counted."""
        path = self.folder / f"{shard.key}.npz"
        if not is_kept(path):
            return None
        with np.load(path) as part:
            return int(part["next_start"])

    def _save(self, shard: Shard, counts: ShardCounts) -> None:
        """Write what a shard came to."""
        letters, ends, hashes, times = counts.table
        ids = np.concatenate([np.empty(0, np.int32), *counts.ids])
        arrays: dict[str, NDArray[Any]] = {
            "letters": letters,
            "ends": ends,
            "hashes": hashes,
            "counts": times,
            "ids": ids,
        }
        next_start = np.array(counts.next_start)
        save_part(self.folder / f"{shard.key}.npz", {**arrays, "next_start": next_start})


def _share(shard: Shard) -> int:
    """Return the bytes of a file that are done with a shard."""
    return shard.whole if shard.is_sequential else min(shard.size, shard.whole - shard.start)

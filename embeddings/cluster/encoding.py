"""A text counted and encoded over a cluster: the counts and the corpus that one machine would write, byte for byte.

Workers count shards, by the loops of one machine over blocks; here their words are merged in the order of the text, ranked, and their ids
renumbered, by the second pass of one machine (`embeddings.corpora.corpus_encoding`). What a shard came to is kept on this machine until
the whole is made, so that a run that ended goes on; parts of another run are made again.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import time
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings._version import __version__
from embeddings.cluster.connection import Cluster
from embeddings.cluster.shards import Shard, is_remote, list_shards
from embeddings.corpora import encoded_corpus
from embeddings.corpora.corpus_answers import TextSize
from embeddings.corpora.corpus_encoding import CountedText, ProvisionalBlock, write_counted
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.corpora.text_counting import CountedWords, PieceSize, write_frequencies
from embeddings.corpora.word_counts import FrequencyList, count_block, file_blocks
from embeddings.corpora.word_table import WordTable
from embeddings.errors import InputError, KlyuchError
from embeddings.files import (
    atomic_file,
    atomic_folder,
    check_apart,
    check_replaceable,
    read_json,
    write_json,
)
from embeddings.results import Progress, Report
from embeddings.text.lemmas import lemmas_of
from embeddings.text.tokenizer_kernel import DOCUMENT_END

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
    for _, lemmas in cluster.results(_lemma_list, deque(jobs)):
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
    counted = _merged_counts(kept)
    if frequencies is not None:
        write_frequencies(counted, frequencies, partial(lemmas_on, cluster))
    kept.remove()
    return counted.size


def _merged_counts(kept: KeptShards) -> CountedWords:
    """Add up all shards in the order of the text."""
    size, table = PieceSize(), WordTable()
    for path in kept.paths:
        with np.load(path) as part:
            size += PieceSize.from_numbers(part["size"])
            table.add(*table_of(part))
    return CountedWords(kept.files, size.total, table)


SHARD_BYTES = 1 << 20  # bytes
BASE_BYTES = 320 << 20  # of a worker with its libraries and kernels; 272 were seen
BYTES_PER_BYTE = (
    40  # of memory for a byte of text if nearly every word is a new one; 3 for plain text
)

TableArrays = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]
TABLE = ("letters", "ends", "hashes", "counts")


@dataclass(frozen=True, slots=True)
class ShardPart:
    """A shard as its words with their counts, and its ids or only its size.

    Attributes
    ----------
    table : tuple of arrays
        As `WordTable.arrays`; empty where the words are not asked for.
    ids : tuple of NDArray of int32
        Rows of the table in text order, a block each, SENTENCE_END and DOCUMENT_END between them; none where only the
        size is asked for.
    size : PieceSize, optional
        Words, sentences, documents, in place of the ids.
    next_start : int
        Where the file goes on, if it was read from its start and did not end; else -1.
    """

    table: TableArrays
    ids: tuple[NDArray[np.int32], ...]
    next_start: int
    size: PieceSize | None = None

    @property
    def words(self) -> int:
        """Words of its text; with ids the ends of sentences and documents too."""
        return self.size.words if self.size else sum(map(len, self.ids))

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is stored of it."""
        tables: dict[str, NDArray[Any]] = dict(zip(TABLE, self.table, strict=True))
        if self.size:
            return {**tables, "size": self.size.numbers}
        return {**tables, "ids": np.concatenate([np.empty(0, np.int32), *self.ids])}


def bytes_needed(shard_bytes: int) -> int:
    """Return the memory that a worker needs for a shard, whatever its words are."""
    return BASE_BYTES + BYTES_PER_BYTE * shard_bytes


def count_shard(shard: Shard, lower: bool) -> ShardPart:
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


def measure_shard(shard: Shard, lower: bool, with_words: bool) -> ShardPart:
    """Tokenise and count a shard, and leave its ids out; raises as `count_shard`."""
    counts, size = count_shard(shard, lower), PieceSize()
    for ids in counts.ids:
        size += PieceSize.of(ids)
    table = counts.table if with_words else WordTable(1).arrays
    return ShardPart(table, (), counts.next_start, size)


def _count(shard: Shard, lower: bool) -> ShardPart:
    """Count block after block; memory is that of the ids and of the shard's words."""
    table, ids = WordTable(), []
    is_start = shard.is_sequential or shard.start == 0
    begin = shard.start if shard.is_sequential else 0
    next_start = -1
    for block in file_blocks(shard, min(SHARD_BYTES, shard.size), is_start=is_start):
        if block.offset < begin:
            continue  # read before
        if shard.is_sequential and block.offset - begin >= shard.size:
            next_start = block.offset
            break
        ends_file = block.ends_file and shard.is_sequential
        ids.append(count_block(replace(block, ends_file=ends_file), lower, table))
    if not shard.is_sequential and shard.ends_file:
        ids.append(np.array([DOCUMENT_END], np.int32))
    return ShardPart(table.arrays, tuple(ids), next_start)


Task = Callable[[Shard], ShardPart]


@dataclass(frozen=True, slots=True)
class KeptShards:
    """Files of what shards came to, one each, in the order of the text by their names.

    Attributes
    ----------
    folder : Path
        Where they lie.
    shards : tuple of Shard
        All ranges, and of files that are read from their start the first shards.
    task : callable
        What a worker does with a shard: a function of this package.
    """

    folder: Path
    shards: tuple[Shard, ...]
    task: Task

    @classmethod
    def opened(
        cls, folder: Path, shards: tuple[Shard, ...], task: Task, about: object
    ) -> KeptShards:
        """Take up a folder of the same shards and settings, which ``about`` says; one of others is made again."""
        open_parts(folder, [about, [asdict(shard) for shard in shards]])
        return cls(folder, shards, task)

    @property
    def files(self) -> list[Shard]:
        """A shard of each file."""
        return list({shard.file: shard for shard in self.shards}.values())

    @property
    def local_paths(self) -> tuple[Path, ...]:
        """All files where they lie on this machine, none where one does not."""
        addresses = [shard.address for shard in self.files]
        return () if any(map(is_remote, addresses)) else tuple(map(Path, addresses))

    def complete(self, cluster: Cluster, report: Report | None) -> None:
        """Have every shard worked on that is not kept yet."""
        begun, words, done = time.perf_counter(), 0, 0
        total = sum(shard.whole for shard in self.files)
        jobs: deque[Shard] = deque()
        for first in self.shards:
            shard = first
            while (next_start := self._next_start(shard)) is not None and next_start >= 0:
                shard = shard.following(next_start)
            if next_start is None:
                jobs.append(shard)
            else:
                done += _share(shard)
        for shard, part in cluster.results(self.task, jobs):
            place = np.array(part.next_start)
            save_part(self._path(shard), {**part.arrays, "next_start": place})
            words += part.words
            if part.next_start >= 0:
                jobs.append(shard.following(part.next_start))
            else:
                done += _share(shard)
            if report is not None:
                seconds = max(time.perf_counter() - begun, 1e-9)
                left = seconds * (total - done) / max(done, 1)
                report(Progress("encode", 0, done, total, math.nan, words / seconds, left))

    @property
    def paths(self) -> list[Path]:
        """Files of what is kept, in the order of the text."""
        return sorted(self.folder.glob("*.npz"))

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder)

    def _path(self, shard: Shard) -> Path:
        """Where what a shard came to is kept."""
        return self.folder / f"{shard.key}.npz"

    def _next_start(self, shard: Shard) -> int | None:
        """Return where the file of a kept shard goes on, -1 where it does not; None if it is not kept."""
        path = self._path(shard)
        if not is_kept(path):
            return None
        with np.load(path) as part:
            return int(part["next_start"])


def shards_folder(output: Path) -> Path:
    """Return where what shards came to lies until ``output`` is whole."""
    return output.with_name(output.name + ".shards")


def table_of(part: Any) -> Iterator[Any]:
    """Yield the arrays of a kept part's table of words, as `WordTable.add` takes them."""
    return (part[name] for name in TABLE)


def _share(shard: Shard) -> int:
    """Return the bytes of a file that are done with a shard."""
    return shard.whole if shard.is_sequential else min(shard.size, shard.whole - shard.start)


MANIFEST = "manifest.json"


def open_parts(folder: Path, about: object) -> None:
    """Make a folder of parts, or keep it if it was made of the same.

    Parameters
    ----------
    folder : Path
        Where parts lie.
    about : object
        All that decides what a part holds, as JSON.

    Raises
    ------
    FormatError
        If something else lies there.
    """
    check_replaceable(folder, MANIFEST, (MANIFEST, "*.npz", "*.npy", ".*"))
    listed = json.dumps([__version__, about], sort_keys=True)
    manifest: dict[str, object] = {"parts": hashlib.sha256(listed.encode()).hexdigest()}
    if folder.exists() and not _is_same(folder / MANIFEST, manifest):
        shutil.rmtree(folder)
    if not folder.exists():
        with atomic_folder(folder) as temporary:
            write_json(temporary / MANIFEST, manifest)


def _is_same(path: Path, manifest: dict[str, object]) -> bool:
    """Whether a manifest says the same."""
    try:
        return read_json(path) == manifest
    except KlyuchError:
        return False


def save_part(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a part, whole or not at all."""
    with atomic_file(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def is_kept(path: Path) -> bool:
    """Whether a part is there and whole, by the checksums of its arrays; a damaged one is made again."""
    try:
        with zipfile.ZipFile(path) as part:
            return part.testzip() is None
    except (OSError, zipfile.BadZipFile, zlib.error):
        return False


def count_parts(folder: Path) -> int:
    """Return how many parts a folder holds."""
    return len(list(folder.glob("*.npz")))

"""A text counted and encoded over a cluster: the counts and the corpus that one machine would write, byte for byte.

Workers count shards, by the loops of one machine over blocks; here their words are merged in the order of the text, ranked, and their ids
renumbered, by the second pass of one machine (`embeddings.corpora.corpus_encoding`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.cluster.connection import Arrays, Cluster, kept_results
from embeddings.cluster.shards import Shard, list_shards
from embeddings.corpora import encoded_corpus
from embeddings.corpora.corpus_answers import TextSize
from embeddings.corpora.corpus_encoding import CountedText, ProvisionalBlock, write_counted
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.corpora.text_counting import CountedWords, PieceSize, write_frequencies
from embeddings.corpora.text_files import text_files
from embeddings.corpora.word_counts import FrequencyList, count_block, file_blocks
from embeddings.corpora.word_table import WordTable
from embeddings.errors import InputError, KlyuchError
from embeddings.files import atomic_folder, check_apart, check_replaceable
from embeddings.results import Report, progress_of
from embeddings.text.tokenizer_kernel import DOCUMENT_END

SHARD_BYTES = 16 << 20  # that a worker takes at a time
BLOCK_BYTES = 1 << 20
BASE_BYTES = 320 << 20  # of a worker with its libraries and kernels; 272 were seen
# of memory for a byte of text if nearly every word is a new one; 3 for plain text
BYTES_PER_BYTE = 40


def encode_on_cluster(
    sources: Sequence[Path],
    folder: Path,
    config: EncodingConfig,
    cluster: Cluster,
    report: Report | None = None,
    *,
    shard_bytes: int = SHARD_BYTES,
) -> EncodedCorpus:
    """Turn text into ids on disk, as `embeddings.corpora.corpus_encoding.encode`, on many machines.

    Parameters
    ----------
    sources : sequence of Path
        Files and folders, by paths that every worker sees.
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
        As `encode` and `Cluster.results`. What was counted until then stays in ``folder.shards``, and the same call goes on there.
    """
    if config.encoding:
        raise InputError("encoding_cluster", encoding=config.encoding)
    check_apart(folder, sources)
    check_replaceable(folder, encoded_corpus.IDS_FILE, encoded_corpus.FILES)
    files, table = text_files(sources), WordTable()
    paths: list[Path] = []

    def blocks(ranks: NDArray[np.int32]) -> Iterator[ProvisionalBlock]:
        for path in paths:
            with np.load(path) as part:
                yield ranks[part["rows"]], part["ids"]

    shards, kept = list_shards(files, shard_bytes), shards_folder(folder)
    with atomic_folder(folder) as temporary:
        for *words, ids in _counted(count_shard, shards, config.reads_lower, cluster, kept, report):
            paths.append(temporary / f"{len(paths)}.npz")
            np.savez(paths[-1], rows=table.add(*words), ids=ids)
        text = CountedText(files, table, blocks, len(paths))
        write_counted(text, temporary, config, report)
        for path in paths:
            path.unlink()
    return EncodedCorpus.open(folder)


def count_text_on_cluster(
    sources: Sequence[Path],
    cluster: Cluster,
    folder: Path,
    frequencies: FrequencyList | None = None,
    report: Report | None = None,
    *,
    shard_bytes: int = SHARD_BYTES,
) -> TextSize:
    """Count a text as `embeddings.corpora.text_counting.count_files`, on many machines.

    Parameters
    ----------
    sources, cluster, shard_bytes
        As `encode_on_cluster` takes them.
    folder : Path
        Where what is counted lies on this machine until all is; the same call goes on there.
    frequencies : FrequencyList, optional
        A file of words that is wanted too, as `embeddings.corpora.text_counting.write_frequencies` writes it.
    report : callable, optional
        Receives `Progress` in the phase "encode" (bytes read of all).

    Raises
    ------
    KlyuchError
        As `count_files`, `write_frequencies` and `Cluster.results`.
    """
    files, size, table = text_files(sources), PieceSize(), WordTable()
    lower = frequencies is not None and frequencies.config.reads_lower
    shards = list_shards(files, shard_bytes)
    for *words, numbers in _counted(measure_shard, shards, lower, cluster, folder, report):
        size += PieceSize.from_numbers(numbers)
        table.add(*words)
    counted = CountedWords(files, size.total, table)
    if frequencies is not None:
        write_frequencies(counted, frequencies)
    return counted.size


def _counted(
    task: Callable[[Shard, bool], Arrays],
    shards: Sequence[Shard],
    lower: bool,
    cluster: Cluster,
    folder: Path,
    report: Report | None,
) -> Iterator[Arrays]:
    """Yield what shards come to on the workers, in the order of the text: the arrays of words with their counts, and one more."""
    longest = max(shard.end - shard.start for shard in shards)
    cluster.check_memory(BASE_BYTES + BYTES_PER_BYTE * longest)
    counted = done = 0
    advance = progress_of(report, "encode", sum(shard.end - shard.start for shard in shards))
    for shard, arrays in kept_results(cluster, task, shards, folder, lower):
        yield arrays
        counted += int(arrays[-2].sum())
        done += shard.end - shard.start
        advance(done, counted)


def shards_folder(output: Path) -> Path:
    """Return where what shards came to lies until ``output`` is whole."""
    return output.with_name(output.name + ".shards")


def count_shard(shard: Shard, lower: bool) -> Arrays:
    """Tokenise and count a shard; return its words as `WordTable.arrays`, and its ids with SENTENCE_END and DOCUMENT_END between them.

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


def measure_shard(shard: Shard, lower: bool) -> Arrays:
    """Tokenise and count a shard; return its words and the numbers of its size. Raises as `count_shard`."""
    *words, ids = count_shard(shard, lower)
    return *words, PieceSize.of(ids).numbers


def _count(shard: Shard, lower: bool) -> Arrays:
    """Count block after block; memory is that of the ids and of the shard's words."""
    table, ids = WordTable(), [np.empty(0, np.int32)]
    for block in file_blocks(shard, BLOCK_BYTES, is_start=shard.start == 0):
        ids.append(count_block(replace(block, ends_file=False), lower, table))
    if shard.end == shard.size:
        ids.append(np.array([DOCUMENT_END], np.int32))
    return *table.arrays, np.concatenate(ids)

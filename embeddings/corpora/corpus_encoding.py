"""The two passes that make a corpus folder.

Text becomes provisional ids in order of first sight, with counts; these become ids by falling
frequency, with the bounds next to them, block by block. Memory is that of the vocabulary and of some
blocks.
"""

from __future__ import annotations

import logging
import lzma
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Int32s, Int64s
from embeddings.configuration import to_json
from embeddings.corpora import encoded_corpus
from embeddings.corpora.encoded_corpus import DOCUMENTS_FILE, IDS_FILE, SENTENCES_FILE
from embeddings.corpora.text_conversion import as_utf8
from embeddings.corpora.text_files import file_checksums, text_files
from embeddings.corpora.word_counts import CountedBlock, count_blocks
from embeddings.corpora.word_table import WordTable
from embeddings.errors import InputError
from embeddings.files import CONFIG, atomic_folder, check_apart, check_replaceable, write_json
from embeddings.results import Report, Value, progress_of
from embeddings.text.lemmas import lemmas_of
from embeddings.text.spelling_rules import respell
from embeddings.text.tokenizer_kernel import SENTENCE_END, compiled
from embeddings.text.words import groups_of

log = logging.getLogger(__name__)
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1780-\u17ff]{13}|[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]{5}"
)
"""A clause of a script without spaces: few words have 5 letters of Chinese or Japanese, or 13 of Thai, Lao or Khmer."""
MAX_UNSPACED_SHARE = 0.1


@contextmanager
def _growing(path: Path, kind: type[np.generic]) -> Iterator[Callable[[NDArray[np.generic]], None]]:
    """Yield what appends arrays to a one-dimensional .npy file, its header set right at the end: numpy leaves room for any length."""
    length, dtype = 0, np.dtype(kind)

    def write_header() -> None:
        file.seek(0)
        about = {"descr": dtype.str, "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(file, about)

    def append(array: NDArray[np.generic]) -> None:
        nonlocal length
        array.astype(dtype, copy=False).tofile(file)
        length += len(array)

    with path.open("w+b") as file:
        write_header()
        yield append
        write_header()


@compiled
def _renumber(
    entries: Int32s, ranks: Int32s, state: Int64s, ids: Int32s, sentences: Int64s, documents: Int64s
) -> tuple[int, int, int]:
    """Turn provisional ids into ids and bounds; returns how many of each were written.

    ``state``: ids so far, the last sentence's end, sentences so far, the last document's end.
    Sentences and documents without words are left out.
    """
    n = s = d = 0
    for entry in entries:
        if entry >= 0:
            rank = ranks[entry]
            ids[n] = rank
            n += rank >= 0
        elif entry == SENTENCE_END:
            if state[0] + n > state[1]:
                state[1] = state[0] + n
                sentences[s] = state[1]
                s += 1
        elif state[2] + s > state[3]:
            state[3] = state[2] + s
            documents[d] = state[3]
            d += 1
    state[0] += n
    state[2] += s
    return n, s, d


ProvisionalBlock = tuple[Int32s, Int32s]
"""For each id of the block's table its final id, -1 where the word is left out; and the block."""


def renumber(
    blocks: Iterable[ProvisionalBlock], count: int, folder: Path, report: Report | None
) -> int:
    """Write ids and bounds of ``count`` blocks into ``folder`` and return the number of ids."""
    ids, (sentences, documents) = np.empty(0, np.int32), np.empty((2, 0), np.int64)
    state = np.zeros(4, np.int64)
    advance = progress_of(report, "number", count)
    with (
        _growing(folder / IDS_FILE, np.int32) as add_ids,
        _growing(folder / SENTENCES_FILE, np.int64) as add_sentences,
        _growing(folder / DOCUMENTS_FILE, np.int64) as add_documents,
    ):
        add_sentences(np.zeros(1, np.int64))
        add_documents(np.zeros(1, np.int64))
        for number, (ranks, entries) in enumerate(blocks, 1):
            if len(ids) <= len(entries):
                ids = np.empty(len(entries) + 1, np.int32)
                sentences, documents = np.empty((2, len(entries) + 1), np.int64)
            n, s, d = _renumber(entries, ranks, state, ids, sentences, documents)
            add_ids(ids[:n])
            add_sentences(sentences[:s])
            add_documents(documents[:d])
            advance(number, int(state[0]))
    return int(state[0])


def encode(
    sources: Sequence[Path],
    folder: Path,
    config: encoded_corpus.EncodingConfig = encoded_corpus.EncodingConfig(),
    report: Report | None = None,
    *,
    workers: int = 2,
    block_size: int = 1 << 21,
) -> encoded_corpus.EncodedCorpus:
    """Turn text files into ids on disk.

    Parameters
    ----------
    sources : sequence of Path
        Files (.txt, .gz, .xz, anything else is read as plain text) and folders of them, in the
        order of the corpus.
    folder : Path
        Where the corpus goes, whole or not at all; a corpus that lay there is replaced, anything
        else is refused, and so is a folder that is a source, holds one or lies in one.
    config : EncodingConfig
        What is kept.
    report : callable, optional
        Receives `Progress` in phases "encode" (bytes read of all) and "number" (blocks), with words
        per second.
    workers : int, default 2
        Threads; the result does not depend on it.
    block_size : int, default 2 MiB
        Bytes of text that a thread takes at a time; the result does not depend on it.

    Returns
    -------
    EncodedCorpus
        Memory-mapped.

    Raises
    ------
    MissingFileError, FormatError, InputError
        For sources that are missing, damaged, not text in UTF-8, or without words to keep.
    """
    files = text_files(sources)
    check_apart(folder, sources)
    check_replaceable(folder, encoded_corpus.IDS_FILE, encoded_corpus.FILES)
    lower = config.reads_lower
    with atomic_folder(folder) as temporary:
        tables: list[WordTable] = []
        provisional = temporary / "provisional.bin"
        with as_utf8(files, config.encoding, temporary) as texts:
            total = sum(path.stat().st_size for path in texts)
            blocks = count_blocks(
                texts, lower=lower, workers=workers, size=block_size, tables=tables
            )
            pieces = _first_pass(blocks, provisional, total, report)
        merged, maps = merge_tables(tables)
        warn_of_unsegmented(merged)

        def provisional_blocks(ranks: Int32s) -> Iterator[ProvisionalBlock]:
            ranks_by_table = [ranks[ids] for ids in maps]
            with provisional.open("rb") as file:
                for table, length in pieces:
                    yield ranks_by_table[table], np.fromfile(file, np.int32, length)

        counted = CountedText(files, merged, provisional_blocks, len(pieces))
        write_counted(counted, temporary, config, report)
        provisional.unlink()
    return encoded_corpus.EncodedCorpus.open(folder)


class CountedText(Value):
    """What the first pass leaves.

    Attributes
    ----------
    files : sequence of Path
        What was read.
    table : WordTable
        All words with their counts.
    blocks : callable
        Takes the final id of each word of the table, -1 where it is left out; returns the blocks in
        the order of the text.
    block_count : int
        How many there are.
    """

    files: Sequence[Path]
    table: WordTable
    blocks: Callable[[Int32s], Iterable[ProvisionalBlock]]
    block_count: int


def write_counted(
    text: CountedText,
    folder: Path,
    config: encoded_corpus.EncodingConfig,
    report: Report | None,
) -> None:
    """Write all files of a corpus: the second pass.

    Raises
    ------
    InputError
        If there is no word, or none that is common enough.
    """
    named = rank_words(text.files, text.table, config)
    words = renumber(text.blocks(named.ranks), text.block_count, folder, report)
    _write_words(folder, named)
    about = {
        "config": to_json(config),
        "sources": [path.name for path in text.files],
        "words_of_text": int(text.table.counts.sum()),
        "words_kept": words,
        "files": file_checksums(text.files),
    }
    write_json(folder / CONFIG, about)


def rank_words(
    files: Sequence[Path],
    table: WordTable,
    config: encoded_corpus.EncodingConfig,
) -> Ranked:
    """Number the words that are kept of a table.

    Raises
    ------
    InputError
        Naming the files, if there is no word, or none that is common enough.
    """
    if not len(table):
        raise InputError("corpus_wordless", path=_names(files))
    named = _rank(table, config)
    if not len(named.words):
        raise InputError(
            "corpus_min_count",
            path=_names(files),
            min_count=config.min_count,
            word=named.frequent[0].decode() if named.frequent else table.words()[0].decode(),
            count=int(named.frequent_counts[0]) if named.frequent else 1,
        )
    return named


def _names(files: Sequence[Path]) -> str:
    """Files for a sentence."""
    return ", ".join(map(str, files[:3])) + (" ..." if len(files) > 3 else "")


def _first_pass(
    blocks: Iterable[CountedBlock], target: Path, total: int, report: Report | None
) -> list[tuple[int, int]]:
    """Write the provisional ids of ``blocks``; returns each block's table and length."""
    advance, words = progress_of(report, "encode", total), 0
    pieces: list[tuple[int, int]] = []
    with target.open("wb") as file:
        for block in blocks:
            block.ids.tofile(file)
            pieces.append((block.table, len(block.ids)))
            words += len(block.ids)
            advance(block.read, words)
    return pieces


def warn_of_unsegmented(table: WordTable) -> None:
    """Log a warning if much of a text is written without spaces: there a whole clause counts as a word."""
    words, counts = table.words(), table.counts
    order = np.argsort(-counts, kind="stable")[:20_000].tolist()
    weighed = [(words[row].decode(), int(counts[row])) for row in order]
    share = sum(n for word, n in weighed if UNSPACED.match(word)) / max(
        sum(n for _, n in weighed), 1
    )
    if share > MAX_UNSPACED_SHARE:
        log.warning(
            "%.0f %% of the words are Chinese, Japanese or Thai, which are written without spaces: each clause counts as"
            " one word. Segment the text first: klyuch corpus convert FILES --output FOLDER --segment zh (or ja, th)",
            100 * share,
        )


def merge_tables(tables: Sequence[WordTable]) -> tuple[WordTable, list[Int32s]]:
    """Add all tables into the first; returns it and where each table's ids went."""
    first = tables[0]
    unchanged = np.arange(len(first), dtype=np.int32)
    return first, [unchanged, *(first.merge(table) for table in tables[1:])]


class Ranked(Value):
    """Words as they are numbered; ``ranks`` maps ids of the table to final ids, -1 if left out."""

    words: list[bytes]
    counts: Int64s
    frequent: list[bytes]
    frequent_counts: Int64s
    ranks: Int32s

    @property
    def lines(self) -> bytes:
        """Lines ``word<TAB>count`` of the words that are kept."""
        return b"".join(_lines(self.words, self.counts))


def _lines(words: Sequence[bytes], counts: Int64s) -> list[bytes]:
    """Lines ``word<TAB>count``."""
    return [b"%b\t%d\n" % pair for pair in zip(words, counts.tolist(), strict=True)]


def _rank(table: WordTable, config: encoded_corpus.EncodingConfig) -> Ranked:
    """Rank words by falling count, ties by code points (which is the order of their UTF-8)."""
    words, counts = table.words(), table.counts
    groups = np.arange(len(words), dtype=np.int32)
    if config.spelling:
        lower = config.lower and not config.lemmas
        spelled = (respell(word.decode("utf-8"), config.spelling) for word in words)
        words, groups = groups_of(spelled, len(words), lower=lower)
    if config.lemmas:
        lemmas = lemmas_of(words, config.lemmas)
        words, group_of_spelling = groups_of(lemmas, len(words), lower=config.lower)
        groups = group_of_spelling[groups]
    if config.spelling or config.lemmas:
        counts = np.bincount(groups, weights=counts, minlength=len(words)).astype(np.int64)
    chosen = np.flatnonzero(counts >= min(2, config.min_count)).tolist()
    listed = counts.tolist()
    chosen.sort(key=lambda row: (-listed[row], words[row]))
    order = np.array(chosen, np.int64)
    kept = int(np.count_nonzero(counts >= config.min_count))
    if config.max_words:
        kept = min(kept, config.max_words)
    ranks = np.full(len(words), -1, np.int32)
    ranks[order[:kept]] = np.arange(kept, dtype=np.int32)
    frequent = [words[row] for row in chosen]
    return Ranked(
        frequent[:kept],
        counts[order[:kept]],
        frequent,
        counts[order],
        ranks[groups],
    )


def _write_words(folder: Path, named: Ranked) -> None:
    """Write the vocabulary, and all words that the text has at least twice."""
    lines = _lines(named.frequent, named.frequent_counts)
    (folder / encoded_corpus.WORDS_FILE).write_bytes(b"".join(lines[: len(named.words)]))
    with lzma.open(folder / encoded_corpus.FREQUENT_WORDS_FILE, "wb", preset=0) as file:
        file.write(b"".join(lines))

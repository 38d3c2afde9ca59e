"""The two passes that make a corpus folder.

Text becomes provisional ids in order of first sight, with counts; these become ids by falling
frequency. Memory is that of the vocabulary and of some blocks.
"""

from __future__ import annotations

import lzma
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import to_json
from embeddings.errors import InputError
from embeddings.files import check_apart, check_replaceable, whole_folder, write_json
from embeddings.results import Progress
from embeddings.text import encoded, encoded_files
from embeddings.text.blocks import CountedBlock, count_blocks
from embeddings.text.corpora import text_files
from embeddings.text.renumbering import renumber
from embeddings.text.word_table import WordTable

Report = Callable[[Progress], None]


def write_corpus(
    sources: Sequence[Path],
    folder: Path,
    config: encoded.EncodingConfig,
    report: Report | None,
    *,
    workers: int,
    block_size: int,
) -> None:
    """Do what `embeddings.text.encoded.encode` says."""
    files = text_files(sources)
    check_apart(folder, sources)
    check_replaceable(folder, encoded_files.IDS, encoded_files.FILES)
    total = sum(path.stat().st_size for path in files)
    lower = config.lower and not config.lemmas  # lemmas are looked up in the text's own case
    with whole_folder(folder) as temporary:
        tables: list[WordTable] = []
        provisional = temporary / "provisional.bin"
        blocks = count_blocks(files, lower=lower, workers=workers, size=block_size, tables=tables)
        pieces = _first_pass(blocks, provisional, total, report)
        merged, maps = _merge(tables)
        named = _rank(merged, config)
        if not len(merged):
            raise InputError("corpus_wordless", path=_names(files))
        if not len(named.words):
            raise InputError(
                "corpus_min_count",
                path=_names(files),
                min_count=config.min_count,
                word=named.commonest,
                count=named.highest,
            )
        ranks = [named.ranks[ids] for ids in maps]
        words = renumber(provisional, pieces, ranks, temporary, report)
        provisional.unlink()
        _write_words(temporary, named)
        about = {
            "config": to_json(config),
            "sources": [path.name for path in files],
            "words_of_text": int(merged.counts.sum()),
            "words_kept": words,
        }
        write_json(temporary / encoded_files.CONFIG, about)


def _names(files: Sequence[Path]) -> str:
    """Files for a sentence."""
    return ", ".join(map(str, files[:3])) + (" ..." if len(files) > 3 else "")


def _first_pass(
    blocks: Iterable[CountedBlock], target: Path, total: int, report: Report | None
) -> list[tuple[int, int]]:
    """Write the provisional ids of ``blocks``; returns each block's table and length."""
    begun, words = time.perf_counter(), 0
    pieces: list[tuple[int, int]] = []
    with target.open("wb") as file:
        for block in blocks:
            block.ids.tofile(file)
            pieces.append((block.table, len(block.ids)))
            words += len(block.ids)
            if report is not None:
                seconds = time.perf_counter() - begun
                left = seconds * (total - block.read) / max(block.read, 1)
                report(Progress("encode", 0, block.read, total, math.nan, words / seconds, left))
    return pieces


def _merge(tables: Sequence[WordTable]) -> tuple[WordTable, list[NDArray[np.int32]]]:
    """Add all tables into the first; returns it and where each table's ids went."""
    first = tables[0]
    own = np.arange(len(first), dtype=np.int32)
    return first, [own, *(first.merge(table) for table in tables[1:])]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Words as they are numbered; ``ranks`` maps ids of the table to final ids, -1 if left out."""

    words: list[bytes]
    counts: NDArray[np.int64]
    seen: list[bytes]
    seen_counts: NDArray[np.int64]
    ranks: NDArray[np.int32]
    commonest: str
    highest: int


def _rank(table: WordTable, config: encoded.EncodingConfig) -> Ranked:
    """Rank words by falling count, ties by code points (which is the order of their UTF-8)."""
    words, counts = table.words(), table.counts
    groups = np.arange(len(words), dtype=np.int32)
    if config.lemmas:
        from embeddings.text.forms import lemma_groups

        words, groups = lemma_groups(words, config.lemmas, lower=config.lower)
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
    seen = [words[row] for row in chosen]
    best = int(counts.argmax()) if len(counts) else -1
    return Ranked(
        seen[:kept],
        counts[order[:kept]],
        seen,
        counts[order],
        ranks[groups],
        words[best].decode() if best >= 0 else "",
        int(counts[best]) if best >= 0 else 0,
    )


def _write_words(folder: Path, named: Ranked) -> None:
    """Write the vocabulary and all words seen."""
    lines = [
        b"%b\t%d\n" % pair for pair in zip(named.seen, named.seen_counts.tolist(), strict=True)
    ]
    (folder / encoded_files.WORDS).write_bytes(b"".join(lines[: len(named.words)]))
    with lzma.open(folder / encoded_files.SEEN, "wb", preset=0) as file:
        file.write(b"".join(lines))

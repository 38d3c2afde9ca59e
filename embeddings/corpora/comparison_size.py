"""How much text the two sides of a comparison have, counted before anything is trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from embeddings.corpora.text_counting import PieceSize
from embeddings.corpora.text_files import text_files
from embeddings.corpora.word_counts import BOUND, count_block, text_blocks
from embeddings.corpora.word_table import WordTable
from embeddings.errors import InputError
from embeddings.results.word_changes import ComparisonSize


@dataclass(frozen=True, slots=True)
class _Side:
    """Counts of each word, documents, and which share of the text was read."""

    counts: dict[bytes, int]
    documents: int
    share: float


def comparison_size(
    first: Sequence[Path], second: Sequence[Path], undated: int = 0, bound: int = BOUND
) -> ComparisonSize:
    """Count the words and documents of two texts.

    Parameters
    ----------
    first, second : sequence of Path
        Files and folders of text, in lower case as `embeddings.corpora.encoded_corpus.encode` reads them.
    undated : int, default 0
        Texts that were left out of both.
    bound : int
        Bytes on disk of either text after which counting stops; sizes are scaled up.

    Raises
    ------
    KlyuchError
        If a text cannot be read, or has no word.
    """
    sides = [_counted(text_files(sources), bound) for sources in (first, second)]
    smaller, larger = sorted((side.counts for side in sides), key=len)
    common = [min(count, larger[word]) for word, count in smaller.items() if word in larger]
    documents = [round(side.documents / side.share) for side in sides]
    tokens = [round(sum(side.counts.values()) / side.share) for side in sides]
    return ComparisonSize(
        (documents[0], documents[1]),
        (tokens[0], tokens[1]),
        np.array(common, np.int64),
        undated,
        all(side.share == 1 for side in sides),
    )


def _counted(files: Sequence[Path], bound: int) -> _Side:
    """Count one text."""
    table, size, read = WordTable(), PieceSize(), 0
    total = sum(path.stat().st_size for path in files)
    for block in text_blocks(files, 1 << 20):
        ids = count_block(block, lower=True, table=table)
        size, read = size + PieceSize.of(ids), block.read
        if read >= bound:
            break
    if not len(table.counts):
        raise InputError("corpus_wordless", path=", ".join(path.name for path in files[:3]))
    counts = dict(zip(table.words(), table.counts.tolist(), strict=True))
    return _Side(counts, max(size.total.documents, 1), min(read / max(total, 1), 1.0))

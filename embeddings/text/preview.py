"""What becomes a word: the first lines split, and the words of a text counted, before anything is trained."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from embeddings.errors import InputError
from embeddings.results.jobs import TextPreview
from embeddings.text.blocks import count_block, text_blocks
from embeddings.text.corpora import paragraphs, text_files
from embeddings.text.word_table import WordTable
from embeddings.text.words import split_words

BOUND = 32 << 20  # bytes on disk that are counted; of a larger text, the beginning
COMMON = 400  # commonest words that are told
LINES = 5  # lines that are shown split
LETTERS = 240  # of such a line


def preview(sources: Sequence[Path], *, lower: bool = True, bound: int = BOUND) -> TextPreview:
    """Count the words of a text, and split its first lines.

    Parameters
    ----------
    sources : sequence of Path
        Files and folders, as `embeddings.text.encoded.encode` takes them.
    lower : bool, default True
        Whether words are lower-cased.
    bound : int
        Bytes on disk after which counting stops.

    Raises
    ------
    MissingFileError, FormatError, InputError
        As `encode` raises them; a text without a word too.
    """
    files = text_files(sources)
    total = sum(path.stat().st_size for path in files)
    table, read = WordTable(), 0
    for block in text_blocks(files, 1 << 20):
        count_block(block, lower, table)
        read = block.read
        if read >= bound:
            break
    counts = table.counts
    if not len(counts):
        raise InputError("corpus_wordless", path=", ".join(path.name for path in files[:3]))
    order = np.argsort(-counts, kind="stable")
    words = table.words()
    common = tuple((words[row].decode(), int(counts[row])) for row in order[:COMMON])
    return TextPreview(
        int(counts.sum()), counts[order], common, _split(files[0], lower), min(read, total), total
    )


def _split(path: Path, lower: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Split the first lines of a file."""
    lines = [line[:LETTERS] for line in islice(paragraphs(path), LINES)]
    return tuple((line, tuple(split_words(line, lower=lower))) for line in lines)

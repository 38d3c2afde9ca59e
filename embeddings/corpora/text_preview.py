"""Words of a text before anything is trained on it, without compiled loops where the text is short: they take seconds to come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from embeddings.corpora.text_files import paragraphs, text_files
from embeddings.errors import InputError
from embeddings.results.trainings import TextPreview
from embeddings.text.words import split_words

SHORT = 1 << 18  # bytes: a quarter of a second
COMMON = 400  # most frequent words that are returned
LINES = 5  # lines that are shown split
LETTERS = 240  # of such a line


def preview(sources: Sequence[Path], *, lower: bool = True) -> TextPreview:
    """Count the words of a text, and split its first lines, as `embeddings.corpora.word_counts.preview` does."""
    files = text_files(sources)
    total = sum(path.stat().st_size for path in files)
    if total > SHORT:
        from embeddings.corpora import word_counts  # numba: a second, and more where it compiles

        return word_counts.preview(sources, lower=lower)
    words = Counter(
        word
        for file in files
        for text in paragraphs(file)
        for word in split_words(text, lower=lower)
    )
    if not words:
        raise wordless(files)
    common = words.most_common()
    counts = np.array([count for _, count in common], np.int64)
    lines = first_lines(files[0], lower)
    return TextPreview(int(counts.sum()), counts, tuple(common[:COMMON]), lines, total, total)


def wordless(files: Sequence[Path]) -> InputError:
    """Return the error of a text that has no word."""
    return InputError("corpus_wordless", path=", ".join(path.name for path in files[:3]))


def first_lines(path: Path, lower: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Split the first lines of a file."""
    lines = [line[:LETTERS] for line in islice(paragraphs(path), LINES)]
    return tuple((line, tuple(split_words(line, lower=lower))) for line in lines)

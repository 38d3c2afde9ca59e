"""Words of a text before anything is trained on it, without compiled loops where the text is short: they take seconds to come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from embeddings.corpora.corpus_answers import TextPreview
from embeddings.corpora.text_files import paragraphs, text_files
from embeddings.errors import InputError
from embeddings.text.words import split_words

SHORT = 1 << 18  # bytes: a quarter of a second
BOUND = 32 << 20  # bytes on disk that are counted; of a larger text, the beginning
MAX_FREQUENT_WORDS = 400  # most frequent words that are returned
LINES = 5  # lines that are shown split
LETTERS = 240  # of such a line


def preview(sources: Sequence[Path], *, lower: bool = True, bound: int = BOUND) -> TextPreview:
    """Count the words of a text, and split its first lines: what becomes a word.

    Parameters
    ----------
    sources : sequence of Path
        Files and folders, as `embeddings.corpora.corpus_encoding.encode` takes them.
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
    read = total = sum(path.stat().st_size for path in files)
    if total > SHORT:
        from embeddings.corpora import word_counts  # numba: a second, and more where it compiles

        counts, common, read = word_counts.count_beginning(
            files, lower=lower, bound=bound, most=MAX_FREQUENT_WORDS
        )
    else:
        texts = (text for file in files for text in paragraphs(file))
        every = Counter(word for text in texts for word in split_words(text, lower=lower))
        counts = np.array([count for _, count in every.most_common()], np.int64)
        common = tuple(every.most_common(MAX_FREQUENT_WORDS))
    if not len(counts):
        raise InputError("corpus_wordless", path=", ".join(path.name for path in files[:3]))
    first = [line[:LETTERS] for line in islice(paragraphs(files[0]), LINES)]
    lines = tuple((line, tuple(split_words(line, lower=lower))) for line in first)
    return TextPreview(int(counts.sum()), counts, common, lines, min(read, total), total)

"""Sentences sampled from a corpus so that every common word has enough of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from embeddings.configuration import CheckedConfig, setting
from embeddings.corpora.text_files import documents, text_files
from embeddings.errors import InputError
from embeddings.results import Progress, Value, progress_of
from embeddings.text.word_positions import sentences
from embeddings.text.words import normalize

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
MAX_SENTENCE = 300  # characters: a longer sentence teaches little more and costs more
SHORTEST = 20


class TableConfig(CheckedConfig):
    """How a table of type-averaged contextual vectors is made."""

    words: int = setting(10_000, "Number of words, the most frequent of the text.", 2, 10_000_000)
    sentences: int = setting(20, "Sentences per word, at most.", 1, 100_000)
    megabytes: float = setting(60.0, "Million characters of text read.", 1e-6, 1e6)
    layers: str = setting("-1", "A layer, or several that are averaged: 3, -1 (the last), 1-3.")
    vector_size: int = setting(
        100, "Principal components kept; 0 keeps all dimensions of the network.", 0, 100_000
    )
    lower: bool = setting(True, "Lower-case the words.", flag="--lower/--keep-case")
    seed: int = setting(1, "Seed of the order in which sentences are taken.", 0, 2**63 - 1)


class SampledWord(NamedTuple):
    """A word in a sampled sentence: its row in `Sample.words`, and its characters from ``start`` to ``end``."""

    row: int
    start: int
    end: int


class SampledSentence(NamedTuple):
    """A chosen sentence and those of its words that are sampled."""

    text: str
    words: tuple[SampledWord, ...]


class Sample(Value):
    """Chosen sentences.

    ``words`` and ``counts`` by falling frequency in all text read.
    ``read``: tokens of that text.
    """

    words: tuple[str, ...]
    counts: tuple[int, ...]
    sentences: tuple[SampledSentence, ...]
    read: int


def sample_sentences(
    sources: Sequence[Path],
    config: TableConfig,
    extra: Iterable[str] = (),
    report: Callable[[Progress], None] | None = None,
) -> Sample:
    """Choose sentences in which each of the commonest words stands ``config.sentences`` times, as far as the text goes.

    Parameters
    ----------
    sources : sequence of Path
        Text files, or folders of them; documents are drawn evenly from all of them.
    config : TableConfig
        How many words, how many sentences a word, how much text.
    extra : iterable of str
        Words that are kept however rare they are.
    report : callable, optional
        Called as the text is read.

    Raises
    ------
    InputError
        If the text holds no word that is seen twice.
    """
    key = cache(partial(normalize, lower=config.lower))  # each word is normalised once
    pool = list(_read(text_files(sources), config.megabytes * 1e6, report))
    counted: Counter[str] = Counter()
    for text in pool:
        counted.update(map(key, _WORD.findall(text)))
    wanted = {key(word) for word in extra}
    common = [word for word, count in counted.most_common(config.words) if count > 1]
    kept = set(common) | {word for word in wanted if counted[word]}
    order = sorted(kept, key=lambda word: (-counted[word], word))
    if not order:
        raise InputError("table_no_words", files=len(text_files(sources)))
    rows = {word: row for row, word in enumerate(order)}
    lacking = np.full(len(order), config.sentences)
    chosen = []
    for number in np.random.default_rng(config.seed).permutation(len(pool)):
        spans = tuple(
            SampledWord(row, match.start(), match.end())
            for match in _WORD.finditer(pool[number])
            if (row := rows.get(key(match.group()))) is not None
        )
        if any(lacking[row] > 0 for row, _, _ in spans):
            chosen.append(SampledSentence(pool[number], spans))
            for row, _, _ in spans:
                lacking[row] -= 1
    counts = tuple(counted[word] for word in order)
    return Sample(tuple(order), counts, tuple(chosen), sum(counted.values()))


def _read(
    files: Sequence[Path], characters: float, report: Callable[[Progress], None] | None
) -> Iterator[str]:
    """Sentences of documents drawn evenly from all files, about ``characters`` in all."""
    total = sum(_size(path) for path in files)
    share = min(1.0, characters / max(1.0, total))
    advance = progress_of(report, "read", int(share * total))
    read = yielded = 0
    for path in files:
        for document in documents(path):
            length = sum(map(len, document))
            read += length
            if yielded > share * read:
                continue
            yielded += length
            for paragraph in document:
                yield from (s for s in sentences(paragraph) if SHORTEST <= len(s) <= MAX_SENTENCE)
            advance(min(yielded, int(share * total)))


def _size(path: Path) -> float:
    """Characters of a file, about: packed text is a quarter, a Cyrillic letter two bytes."""
    packed = 4.0 if path.suffix in (".gz", ".xz") else 1.0
    with path.open("rb") as file:
        start = file.read(1 << 16) if packed == 1.0 else b""
    width = len(start) / max(1, len(start.decode("utf-8", "ignore"))) if start else 1.0
    return path.stat().st_size * packed / width

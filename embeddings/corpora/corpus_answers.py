"""Answers about texts: their size, lines of a concordance, collocates, words around a word, senses by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from embeddings.arrays import Int64s
from embeddings.results import Result, Table, Value


class TextPreview(Value):
    """What a text holds as words, counted in its first ``read`` of ``total`` bytes on disk.

    ``counts``: int64, falling, one a different word; ``common``: the commonest words with their counts;
    ``sentences``: the first lines split into words, next to what they were.
    """

    words: int
    counts: Int64s
    common: tuple[tuple[str, int], ...]
    sentences: tuple[tuple[str, tuple[str, ...]], ...]
    read: int
    total: int

    def vocabulary(self, min_count: int) -> int:
        """Return how many types occur at least ``min_count`` times."""
        return int(np.count_nonzero(self.counts >= min_count))

    def kept_tokens(self, min_count: int) -> int:
        """Return how many tokens these are."""
        return int(self.counts[self.counts >= min_count].sum())


class ConcordanceAnswer(Result):
    """Lines that a search finds.

    Attributes
    ----------
    lines : tuple of ConcordanceLine
        In the order asked for; the first span of each is the word.
    forms : tuple of WordForm
        Of the word, the commonest first.
    examined : int
        Paragraphs that were looked at.
    is_complete : bool
        Whether these are all paragraphs that could have it; else they are spread evenly over the corpus.
    """

    lines: tuple[ConcordanceLine, ...]
    forms: tuple[WordForm, ...]
    examined: int
    is_complete: bool

    def table(self) -> Table:
        """Return the lines."""
        lines = [[line.file, line.document, line.text] for line in self.lines]
        return ["file", "document", "text"], lines


class Collocate(Value):
    """A word that stands by another.

    Attributes
    ----------
    word : str
    together : int
        Paragraphs in which the two stand within the window.
    paragraphs : int
        Paragraphs of the corpus that have the word.
    log_likelihood : float
        Dunning's G², signed: negative where they stand together less often than chance would give.
    log_dice : float
        14 + log2 of the Dice coefficient; at most 14.
    """

    word: str
    together: int
    paragraphs: int
    log_likelihood: float
    log_dice: float


class TextSize(Value):
    """What a corpus holds: words, sentences (lines with a word in them), documents."""

    words: int
    sentences: int
    documents: int


class ConcordanceLine(Value):
    """A piece of a paragraph that has the word at ``spans``: (start, end) in characters of ``text``.

    ``file`` is the name of the text file, ``document`` the number of the document in it, from 1.
    ``is_cut``: the paragraph is longer, and ``text`` are the sentences around the word. ``file_words`` and ``document_words``:
    words of the file and of the document, if every use of the word was found; else None, as no frequency can be calculated.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    file: str
    document: int
    is_cut: bool = False
    file_words: int | None = None
    document_words: int | None = None


class WordForm(Value):
    """A form of a word in small letters, and in how many paragraphs it stands."""

    form: str
    paragraphs: int


class SurroundingWord(Value):
    """A word that is next to the one in question.

    ``word`` is shown; ``keys`` are what it is looked up by, the first that is known counts;
    ``distance`` is in words to the nearest place of the word in question, 5 where that has none;
    ``span`` are its first and past-the-last character in the context.
    """

    word: str
    keys: tuple[str, ...]
    distance: int = 1
    span: tuple[int, int] = (0, 0)


Surroundings = Sequence[Sequence[SurroundingWord]]
"""The words around a word, for each of its contexts."""


class SenseGrouping(Value):
    """Senses of n contexts, as they were induced or as a person arranged them.

    Attributes
    ----------
    labels : tuple of int
        Sense of each context, from 0; no sense is empty.
    names : tuple of str
        What a person calls each sense, "" for a sense that has no such name.
    """

    labels: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def number(self) -> int:
        """How many senses there are."""
        return len(self.names)

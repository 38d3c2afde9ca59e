"""How much a text holds and how often it has each word, without its ids: pieces counted by themselves and joined in the order of the text.

A piece may end in the middle of a document: what it knows of the ends in it is enough to join it with what goes before and after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from embeddings.arrays import Int32s, Int64s
from embeddings.corpora.corpus_answers import TextSize
from embeddings.corpora.corpus_encoding import merge_tables, rank_words
from embeddings.corpora.text_files import text_files
from embeddings.corpora.word_counts import FrequencyList, count_blocks
from embeddings.corpora.word_table import WordTable
from embeddings.files import atomic_file
from embeddings.results import Value
from embeddings.text.tokenizer_kernel import DOCUMENT_END, SENTENCE_END

NO_END = -1
COUNTED_AT_A_TIME = 1 << 22  # bytes that a thread takes at a time


class Ends(Value):
    """Ends of sentences, or of documents, in a piece of text; one without a word since the end before it ends nothing.

    Attributes
    ----------
    before : int
        Words before the first end; all words where there is none.
    later : int
        Ends behind the first that end something.
    after : int
        Words behind the last end; `NO_END` where there is none.
    """

    before: int = 0
    later: int = 0
    after: int = NO_END

    @classmethod
    def of(cls, places: Int64s, words: int) -> Ends:
        """Return the ends of a piece of so many words by the number of words before each."""
        if not len(places):
            return cls(words)
        later = int(np.count_nonzero(np.diff(places)))
        return cls(int(places[0]), later, words - int(places[-1]))

    def __add__(self, behind: Ends) -> Ends:
        """Join with the piece behind."""
        if self.after == NO_END:
            return replace(behind, before=self.before + behind.before)
        between = self.after + behind.before
        if behind.after == NO_END:
            return replace(self, after=between)
        return Ends(self.before, self.later + (between > 0) + behind.later, behind.after)

    @property
    def count(self) -> int:
        """How many end something."""
        return self.later + (self.after != NO_END and self.before > 0)


class PieceSize(Value):
    """What a piece of text holds; pieces are added in the order of the text."""

    words: int = 0
    sentences: Ends = Ends()
    documents: Ends = Ends()

    @classmethod
    def of(cls, ids: Int32s) -> PieceSize:
        """Return the size of a piece as `embeddings.corpora.word_counts.count_block` gives it."""
        before = np.cumsum(ids >= 0)
        words = int(before[-1]) if len(before) else 0
        sentences, documents = (before[ids == end] for end in (SENTENCE_END, DOCUMENT_END))
        return cls(words, Ends.of(sentences, words), Ends.of(documents, words))

    def __add__(self, behind: PieceSize) -> PieceSize:
        """Join with the piece behind."""
        sentences = self.sentences + behind.sentences
        return PieceSize(self.words + behind.words, sentences, self.documents + behind.documents)

    @property
    def total(self) -> TextSize:
        """Sizes of a text of which this is all."""
        return TextSize(self.words, self.sentences.count, self.documents.count)

    @property
    def numbers(self) -> Int64s:
        """All that there is to it, shape (7,)."""
        ends = (self.sentences, self.documents)
        listed = [number for end in ends for number in (end.before, end.later, end.after)]
        return np.array([self.words, *listed], np.int64)

    @classmethod
    def from_numbers(cls, numbers: Int64s) -> PieceSize:
        """Return what `numbers` came from."""
        words, *listed = numbers.tolist()
        return cls(words, Ends(*listed[:3]), Ends(*listed[3:]))


class CountedWords(Value):
    """A text as its files, its size and its words with their counts."""

    files: Sequence[Path]
    size: TextSize
    table: WordTable


def count_files(sources: Sequence[Path], *, lower: bool, workers: int = 2) -> CountedWords:
    """Read text and count words, sentences (lines with a word) and documents.

    Some 4 to 8 million words a second on two cores.

    Raises
    ------
    KlyuchError
        If there is no text, or it is damaged or not UTF-8.
    """
    tables: list[WordTable] = []
    files, size = text_files(sources), PieceSize()
    for block in count_blocks(
        files, lower=lower, workers=workers, size=COUNTED_AT_A_TIME, tables=tables
    ):
        size += PieceSize.of(block.ids)
    table, _ = merge_tables(tables)
    return CountedWords(files, size.total, table)


def write_frequencies(counted: CountedWords, target: FrequencyList) -> None:
    """Write words or lemmas by falling frequency, ``word<TAB>count`` a line, whole or not at all.

    Parameters
    ----------
    counted : CountedWords
        Counted with ``target.config.reads_lower``.
    target : FrequencyList
        What is written where.

    Raises
    ------
    InputError
        If there is no word, or none that is common enough.
    """
    named = rank_words(counted.files, counted.table, target.config)
    with atomic_file(target.path) as temporary:
        temporary.write_bytes(named.lines)

"""Vectors: one row per word, the table that every static method produces and every analysis reads.

Rows are ordered by falling frequency. The matrix is float32 in memory (float16 and int8 on
disk); it may be a memory map, and so may the words of a large vocabulary (`WordList`). Words follow
the model's own casing: a lower-cased model finds König under könig.

A table larger than memory is read as it lies, int8 rows as `QuantizedRows`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings.arrays import Float32s, Floats, Int32s, Int64s, slices
from embeddings.errors import FormatError, InputError, UnknownWordError
from embeddings.results import Rows, Value
from embeddings.text.spelling_rules import respell
from embeddings.text.words import normalize, without_elision
from embeddings.vectors.character_ngrams import Ngram, WordParts
from embeddings.vectors.cosine_search import nearest
from embeddings.vectors.gensim_interface import GensimMethods, first_rows, is_vector, weighted
from embeddings.vectors.hnsw_index import NearIndex
from embeddings.vectors.vector_rows import inverse_lengths, normalize_rows
from embeddings.vectors.word_list import (
    Spellings,
    WordList,
    close_spellings,
    fold_order,
    rows_beginning,
)
from embeddings.verbs import VectorFiles, VectorVerbs

if TYPE_CHECKING:
    from embeddings.vectors.character_ngrams import Subwords
    from embeddings.vectors.sense_table import SenseTable


class WordSense(Value):
    """One sense of a word.

    Attributes
    ----------
    word : str
        As it is asked for: ``ключ#2``.
    number : int
        From 1, by falling share.
    name : tuple of str
        Words near this sense and not near the others: родник, вода.
    share : float
        Of the word's uses in the corpus, in (0, 1].
    examples : tuple of str
        Sentences of the corpus, if some were to be kept: words as they were encoded.
    """

    word: str
    number: int
    name: tuple[str, ...]
    share: float
    examples: tuple[str, ...] = ()


CACHED = ("index", "inverse_norms", "unit", "near_index", "spellings", "is_lower", "_fold_order")


class Vectors(VectorVerbs, VectorFiles, GensimMethods):
    """Words with their vectors and counts; questions are methods (`VectorVerbs`), the others as in gensim (`VectorFiles`, `GensimMethods`).

    Parameters
    ----------
    words : sequence of str
        Distinct words, by falling frequency.
    matrix : NDArray, shape (words, vector_size)
        One row per word, float32 (a memory map may be float16).
    counts : NDArray of int64, shape (words,), optional
        Occurrences in the training corpus.
    name, language, method : str
        What the shelf calls it, "en", "ru", "de" or "", and "skipgram", "cbow", "glove", "fasttext" or "".

    lower : bool, optional
        Whether the training text was lower-cased; None finds out from the words.
    spelling : str
        Name of the rule that the training text was respelled by (`embeddings.text.spelling_rules`), "" for none: queries are read by it.

    Attributes
    ----------
    dropped : int
        Rows that a file held for words it had already given; the first of each was kept.
    path : Path or None
        Where the model lies that it was opened from; `load` and the shelf set it.
    corpus_count : callable or None
        Gives how often the training corpus had a word that the table lacks (None: not known);
        the shelf sets it.
    is_table : bool
        Whether it holds a network's averages for the commonest words alone, so that a word that it
        lacks may well be common; the shelf sets it.
    subwords : Subwords or None
        Vectors of n-grams, from which a word outside the vocabulary gets a vector (fastText).
    senses : SenseTable or None
        Vectors of the senses of words that have several: ``vectors["bank#2"]``, ``vectors.senses["bank"]``.

    Examples
    --------
    >>> table = Vectors(["north", "south"], np.array([[0.0, 2.0], [0.0, -1.0]], np.float32))
    >>> "north" in table, len(table), table.most_similar("north", topn=1)
    (True, 2, [('south', -1.0)])
    """

    def __init__(  # noqa: PLR0913 - what is known of a table
        self,
        words: Sequence[str],
        matrix: Floats,
        counts: Int64s | None = None,
        *,
        name: str = "",
        language: str = "",
        method: str = "",
        lower: bool | None = None,
        spelling: str = "",
    ) -> None:
        if isinstance(matrix, list | tuple):
            matrix = np.asarray(matrix, np.float32)
        if matrix.ndim != 2 or len(words) != matrix.shape[0]:
            raise FormatError("vectors_shape", words=len(words), shape=matrix.shape)
        self.words: WordList | tuple[str, ...] = (
            words if isinstance(words, WordList) else tuple(words)
        )
        self.matrix = matrix
        self.counts: Int64s | None = counts
        self.name, self.language, self.method = name, language, method
        self.lower, self.spelling = lower, spelling
        self.dropped = 0
        self.path: Path | None = None
        self.corpus_count: Callable[[str], int | None] | None = None
        self.is_table = False
        self.subwords: Subwords | None = None
        self.senses: SenseTable | None = None

    @classmethod
    def from_frame(cls, frame: Any) -> Vectors:
        """Return the table in a pandas frame of one row per word: what `to_frame` returns."""
        return cls(list(map(str, frame.index)), frame.to_numpy(np.float32))

    @cached_property
    def index(self) -> dict[str, int]:
        """Row of each word, as a dictionary; of millions it takes hundreds of megabytes: `find` does without."""
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def inverse_norms(self) -> Float32s:
        """One over the length of each row, shape (words,); 0 for a zero row."""
        inverse = np.empty(len(self), dtype=np.float32)
        for part in slices(len(self), 65536):
            inverse[part] = inverse_lengths(np.asarray(self.matrix[part], dtype=np.float32))
        return inverse

    @cached_property
    def unit(self) -> Float32s:
        """Rows of length one, float32, shape (words, vector_size); a zero row stays zero.

        As large as the matrix in float32: past some 100 000 words ask `unit_rows` instead.
        """
        return self.unit_rows(slice(None))

    def unit_rows(self, rows: slice | Sequence[int] | Int64s) -> Float32s:
        """Return the given rows scaled to length one."""
        chosen = np.asarray(self.matrix[rows], dtype=np.float32)
        return chosen * self.inverse_norms[rows, None]

    @cached_property
    def near_index(self) -> NearIndex:
        """HNSW index over the rows, in memory: for searches that may miss a few."""
        return NearIndex(self)

    @cached_property
    def spellings(self) -> Spellings:
        """Words laid out for `embeddings.vectors.word_list`."""
        return Spellings.build(self.words)

    @cached_property
    def is_lower(self) -> bool:
        """Whether the words are in lower case, so that queries are lower-cased too."""
        if self.lower is not None:
            return self.lower
        return all(word == word.lower() for word in self.words)

    @property
    def vector_size(self) -> int:
        """Length of each vector."""
        return int(self.matrix.shape[1])

    def find(self, word: str) -> int | None:
        """Row of ``word`` as it stands, in NFC, in the model's casing, as words of a text are written, or as its rule spells it.

        None if there is none. A word that is copied out of the training text is found: don’t, за́мок, well‑known; l’homme as homme.
        """
        normal = unicodedata.normalize("NFC", word)
        for spelling in (word, normal, normal.lower() if self.is_lower else normal):
            if (row := self._row_of(spelling)) is not None:
                return row
        plain = normalize(word, lower=self.is_lower)
        if (row := self._row_of(plain)) is None and self.spelling:
            row = self._row_of(self._spelled(normal))
        if row is None and (rest := without_elision(plain)) != plain:
            row = self._row_of(rest)
        return row

    def read_as(self, word: str) -> str:
        """Return how the model reads ``word``, in its own case: as its rule spells it, or without an elided article; else "".

        Examples
        --------
        >>> table = Vectors(["schloss"], np.ones((1, 2), np.float32))
        >>> table.spelling = "de-1996"
        >>> table.read_as("Schloß"), table.read_as("Schloss")
        ('Schloss', '')
        """
        if (row := self.find(word)) is None:
            return ""
        normal = unicodedata.normalize("NFC", word)
        if self.words[row] in (normal, normal.lower(), plain := normalize(word)):
            return ""
        rest = without_elision(plain)
        return normal[-len(rest) :] if self.words[row] == rest else respell(normal, self.spelling)

    def _row_of(self, word: str) -> int | None:
        """Row of a word as it is spelled: of a large vocabulary by binary search, so that no dictionary is built."""
        return self.words.find(word) if isinstance(self.words, WordList) else self.index.get(word)

    def beginning_with(self, letters: str, limit: int = 10) -> tuple[str, ...]:
        """Return up to ``limit`` words that begin with ``letters``, in whatever case, the commonest first.

        Examples
        --------
        >>> Vectors(["ice", "Iceland", "hot"], np.ones((3, 2), np.float32)).beginning_with("ICE")
        ('ice', 'Iceland')
        """
        rows = rows_beginning(self.words, self._fold_order, letters, limit)
        return tuple(self.words[row] for row in rows.tolist())

    @cached_property
    def _fold_order(self) -> Int32s:
        """Rows by the folded spelling of their words; of a large vocabulary it is kept in a file."""
        return self.words.order if isinstance(self.words, WordList) else fold_order(self.words)

    def row(self, word: str, code: str = "") -> int:
        """Row of ``word``; raises `UnknownWordError` with close spellings, with the message ``code`` if one is given."""
        row = self.find(word)
        if row is None:
            raise self._unknown(word, code)
        return row

    def _unknown(self, word: str, code: str = "") -> UnknownWordError:
        """Return the error for a word without a vector."""
        count = None
        if self.is_table:
            code = "word_table"
        elif self.corpus_count is not None:
            count = self.corpus_count(self._spelled(word))
        return UnknownWordError(word, len(self), close_spellings(word, self), count, code)

    def compose(self, word: str) -> Float32s | None:
        """Return the vector that the n-grams of ``word`` compose, shape (vector_size,), in the model's casing.

        None if the model has no vectors of n-grams, or none of those in the word. A word of the vocabulary has a row of its own
        besides, and another vector: ``vectors[word]``.
        """
        return None if self.subwords is None else self.subwords.compose(self._spelled(word))

    def _spelled(self, word: str) -> str:
        """Return a word in NFC, as the rule of the model spells it, and in the model's casing."""
        normal = respell(normalize(word, lower=False), self.spelling)
        return normal.lower() if self.is_lower else normal

    def sense_row(self, text: str) -> int | None:
        """Row in `senses` of ``word#number``; None for any other text, and where the word has one sense.

        Raises
        ------
        InputError
            If the word has senses, and none of that number.
        """
        if self.senses is None or "#" not in text:
            return None
        return self.senses.find(self._spelled(text))

    def senses_of(self, word: str) -> Rows[WordSense]:
        """Return the senses of a word in any of its forms; () where the model keeps one sense.

        Examples
        --------
        >>> Vectors(["bank"], np.ones((1, 2), np.float32)).senses_of("bank")
        ()
        """
        return Rows(() if self.senses is None else self.senses[self._spelled(word)])

    def forms_of_sense(self, row: int) -> list[int]:
        """Rows of all forms of a sense's word; ``row`` is from `sense_row`."""
        forms = () if self.senses is None else self.senses.forms_of(row)
        return [place for form in forms if (place := self._row_of(form)) is not None]

    def rows_left_out(self, word: str) -> list[int]:
        """Rows that no answer to ``word`` repeats: its own, and of a sense those of all forms of its word."""
        row, sense = self.find(word), self.sense_row(word)
        return ([] if row is None else [row]) + (
            [] if sense is None else self.forms_of_sense(sense)
        )

    def with_senses(self, texts: Iterable[str]) -> Vectors:
        """Return the table with a row more for each of ``texts`` that is a sense, ``bank#2``; itself where none is.

        These rows stand last, of length one; their count is the share of the sense in that of its word.
        """
        found = (self.sense_row(text) for text in texts if self.find(text) is None)
        rows = list(dict.fromkeys(row for row in found if row is not None))
        if not rows or self.senses is None:
            return self
        counts = self.counts
        if counts is not None:
            totals = [int(counts[self.forms_of_sense(row)].sum()) for row in rows]
            uses = np.rint(self.senses.shares[rows] * totals).astype(np.int64)
            counts = np.concatenate([counts, uses])
        words = (*self.words, *map(self.senses.label, rows))
        matrix = np.concatenate([np.asarray(self.matrix, np.float32), self.senses.vectors[rows]])
        extended = self._of_rows(words, matrix, counts)
        lengths = inverse_lengths(self.senses.vectors[rows])
        extended.inverse_norms = np.concatenate([self.inverse_norms, lengths])
        return extended

    def _outside(self, word: str) -> Float32s | None:
        """Return the vector of what is not in the vocabulary: a sense, or a word composed of n-grams."""
        row = self.sense_row(word)
        if row is None or self.senses is None:
            return self.compose(word)
        vector: Float32s = self.senses.vectors[row]
        return vector

    def has_vector(self, word: str) -> bool:
        """Whether ``word`` has a vector: of the vocabulary, of a sense, or composed of n-grams."""
        return self.find(word) is not None or self._outside(word) is not None

    def is_composed(self, word: str) -> bool:
        """Whether ``word`` has a vector that is composed of n-grams alone."""
        known = self.find(word) is not None or self.sense_row(word) is not None
        return not known and self.compose(word) is not None

    def rows_of(self, words: Sequence[str], *, unit: bool = False) -> Float32s:
        """Return the vectors of words, shape (words, vector_size), composed where the vocabulary lacks one.

        Parameters
        ----------
        words : sequence of str
            Senses (``bank#2``) too, where the model has them.
        unit : bool, default False
            Scale each to length one.

        Raises
        ------
        UnknownWordError
            If a word has no vector and none can be composed.
        """
        rows = [self.find(word) for word in words]
        known = [row for row in rows if row is not None]
        chosen = np.empty((len(words), self.vector_size), np.float32)
        chosen[[row is not None for row in rows]] = (
            self.unit_rows(known) if unit else self.matrix[known]
        )
        for number, word in enumerate(words):
            if rows[number] is None:
                if (vector := self._outside(word)) is None:
                    raise self._unknown(word)
                chosen[number] = normalize_rows(vector) if unit else vector
        return chosen

    def parts(self, word: str) -> WordParts:
        """Return what the vector of ``word`` is the mean of.

        Raises
        ------
        InputError
            If the model has no vectors of n-grams.
        UnknownWordError
            If ``word`` has no vector and none can be composed.
        """
        if self.subwords is None:
            raise InputError("vectors_no_subwords", name=self.name or self.method or "?")
        row = self.find(word)
        spelled = self._spelled(word) if row is None else self.words[row]
        vector = self.rows_of([spelled])[0].astype(np.float64)
        ngrams, rows = self.subwords.ngrams(spelled)
        size = len(rows) + (row is not None)
        length = size * (vector @ vector)
        shares = self.subwords.take(rows) @ vector / (length or 1)
        merged: dict[str, Ngram] = {}
        for raw, share, place in zip(ngrams, shares.tolist(), rows.tolist(), strict=True):
            text = raw.decode(errors="replace")
            before = merged[text].share if text in merged else 0.0
            merged[text] = Ngram(text, before + share, place >= 0)
        own_share = 0.0 if row is None else 1.0 - float(shares.sum())
        return WordParts(spelled, row is None, own_share, tuple(merged.values()))

    def count(self, row: int) -> int | None:
        """Occurrences of a row's word, None if the source did not say."""
        return None if self.counts is None else int(self.counts[row])

    def subset(self, words: Iterable[str]) -> Vectors:
        """Only the given words, in the given order."""
        rows = [self.row(word) for word in words]
        counts = None if self.counts is None else self.counts[rows]
        return self._of_rows([self.words[row] for row in rows], self.matrix[rows], counts)

    def _of_rows(self, words: Sequence[str], matrix: Floats, counts: Int64s | None) -> Vectors:
        """Return a table of other rows that knows what this one knows next to its rows."""
        other = copy(self)
        other._set_rows(words, matrix, counts)
        return other

    def most_similar(
        self,
        positive: Any = (),
        negative: Any = (),
        topn: int | None = 10,
        restrict_vocab: int | None = None,
    ) -> Any:
        """Return the words nearest to the sum of weighted unit vectors, as gensim does.

        Parameters
        ----------
        positive, negative : key, sequence of keys, or of (key, float)
            Words, row numbers or vectors that weigh 1 and -1; a pair brings its own weight, which gensim takes as it
            stands, in ``negative`` too: ``negative=[("man", -0.5)]`` subtracts half of man.
        topn : int or None, default 10
            How many words come back; the given ones never do. None: the cosines of all rows, in their order.
        restrict_vocab : int, optional
            Answers come from so many most frequent words only.

        Returns
        -------
        list of (str, float), or NDArray of float32 where ``topn`` is None

        Raises
        ------
        InputError
            If no key is given.
        UnknownWordError
            If a word has no vector.
        """
        pairs = [*weighted(positive, 1.0), *weighted(negative, -1.0)]
        if not pairs:
            raise InputError("similar_nothing")
        weights = np.array([weight for _, weight in pairs], dtype=np.float32)
        query = weights @ np.stack([self._weighed_vector(key) for key, _ in pairs])
        first = first_rows(restrict_vocab)
        if topn is None:
            return np.clip(self.unit_rows(first) @ normalize_rows(query), -1, 1)
        if topn < 1:
            return []
        allowed = None if restrict_vocab is None else np.arange(len(self)) < restrict_vocab
        input_rows = [
            row
            for key, _ in pairs
            if not is_vector(key)
            for row in ([int(key)] if not isinstance(key, str) else self.rows_left_out(key))
        ]
        rows, cosines = nearest(self, query, int(topn), allowed=allowed, excluded=input_rows)
        return [(self.words[row], float(cosine)) for row, cosine in zip(rows, cosines, strict=True)]

    def __getitem__(self, key: Any) -> Float32s:
        """Return the vector of a word or a row number; a matrix for a list of them or a slice of rows."""
        if isinstance(key, slice):
            return np.asarray(self.matrix[key], np.float32)
        if isinstance(key, list | tuple | np.ndarray):
            if not len(key):
                return np.empty((0, self.vector_size), np.float32)
            listed = key.tolist() if isinstance(key, np.ndarray) else key
            return np.stack([self.get_vector(one) for one in listed])
        return self.get_vector(key)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        """Return the matrix: ``np.asarray(vectors)``."""
        return np.array(self.matrix, dtype=dtype, copy=copy)

    def vectors_for_all(
        self, keys: Iterable[str], allow_inference: bool = True, copy_vecattrs: bool = False
    ) -> Vectors:
        """Return a table of those of some words that have a vector, composed of n-grams only if ``allow_inference``."""
        has = self.has_vector if allow_inference else self.has_index_for
        words = [word for word in dict.fromkeys(keys) if has(word)]
        counts = None
        if copy_vecattrs and self.counts is not None:
            known = [self.find(word) for word in words]
            counts = np.array([0 if row is None else self.counts[row] for row in known], np.int64)
        matrix = self.rows_of(words) if words else np.empty((0, self.vector_size), np.float32)
        return self._of_rows(words, matrix, counts)

    def _set_rows(self, words: Iterable[str], matrix: Floats, counts: Int64s | None) -> None:
        """Replace all rows, and forget what was computed from the old ones."""
        self.lower = self.is_lower if len(self) else self.lower
        self.words, self.matrix, self.counts = tuple(words), matrix, counts
        for name in CACHED:
            self.__dict__.pop(name, None)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.find(word) is not None

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __repr__(self) -> str:
        label = self.name or self.method or "vectors"
        return f"<Vectors {label}: {len(self)} words, {self.vector_size} dimensions>"

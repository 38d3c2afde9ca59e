"""Corpora made of the documents of others: documents left out, repeated, in another order, or those of two corpora as one.

Bootstraps, halves, corpora without some texts; `joined` lets documents of two texts be dealt out to two sides with one vocabulary.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from embeddings.arrays import Bools, Int32s, Int64s, bounds_of
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError, UnknownWordError
from embeddings.text.words import Vocabulary, normalize


def with_documents(corpus: EncodedCorpus, documents: Int64s) -> EncodedCorpus:
    """Return a corpus of the given documents, in their order, in memory.

    Words keep their ids; a word that is in none of the documents has the count 0.

    Parameters
    ----------
    corpus : EncodedCorpus
        Where they are taken from.
    documents : NDArray of int64, shape (documents,)
        Numbers of documents; one may come several times.

    Raises
    ------
    InputError
        If no document is given.

    Examples
    --------
    >>> corpus = EncodedCorpus.from_sentences([[["a", "b"]], [["b"], ["c"]]])
    >>> chosen = with_documents(corpus, np.array([1, 1]))
    >>> [" ".join(sentence) for sentence in chosen.sentences()], chosen.vocabulary.counts.tolist()
    (['b', 'c', 'b', 'c'], [2, 0, 2])
    """
    if not len(documents):
        raise InputError("documents_none", documents=len(corpus.document_bounds) - 1)
    sizes = np.diff(corpus.document_bounds)[documents]
    sentences = _ranges(corpus.document_bounds, documents)
    return _of_sentences(corpus, sentences, bounds_of(sizes))


def _of_sentences(corpus: EncodedCorpus, sentences: Int64s, documents: Int64s) -> EncodedCorpus:
    """Return a corpus of the given sentences, with the bounds of its documents among them."""
    lengths = np.diff(corpus.sentence_bounds)[sentences]
    ids = np.asarray(corpus.ids)[_ranges(corpus.sentence_bounds, sentences)]
    return _with_ids(corpus, ids, bounds_of(lengths), documents)


def _with_ids(
    corpus: EncodedCorpus, ids: Int32s, sentences: Int64s, documents: Int64s
) -> EncodedCorpus:
    """Return a corpus of some ids, with the bounds of their sentences and documents; words that are left out count 0."""
    counts = np.bincount(ids, minlength=len(corpus.vocabulary)).astype(np.int64)
    return replace(
        corpus,
        folder=None,
        vocabulary=Vocabulary(corpus.vocabulary.words, counts),
        ids=ids,
        sentence_bounds=sentences,
        document_bounds=documents,
    )


def document_numbers(text: str, documents: int) -> Int64s:
    """Return the numbers, from 0, of documents that are named from 1, as ``3,7-9``; shape (named,).

    Parameters
    ----------
    text : str
        Numbers and ranges, separated by commas.
    documents : int
        How many there are.

    Raises
    ------
    InputError
        If a part is no number or range of documents that there are.
    """
    parts = [_range(part, documents) for part in map(str.strip, text.split(",")) if part]
    if len(parts) == 1:  # as a table has that names one document in each of its rows
        return np.arange(parts[0].start, parts[0].stop)
    is_named = np.zeros(documents, bool)
    for part in parts:
        is_named[part.start : part.stop] = True
    return np.flatnonzero(is_named)


def _range(part: str, documents: int) -> range:
    """Return the numbers, from 0, that a number or a range from 1 names."""
    match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", part)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last <= documents:
        raise InputError("whatif_documents", part=part, documents=documents)
    return range(first - 1, last)


def without_sentences(corpus: EncodedCorpus, word: str) -> EncodedCorpus:
    """Return a corpus without the sentences (lines of its text) that have a word; documents that lose all of theirs are gone.

    Raises
    ------
    UnknownWordError
        If the corpus lacks the word.
    InputError
        If no sentence is left.

    Examples
    --------
    >>> corpus = EncodedCorpus.from_sentences([[["a", "b"], ["b"]], [["a"]]])
    >>> list(without_sentences(corpus, "a").sentences())
    [['b']]
    """
    number = corpus.vocabulary.index.get(normalize(word, lower=corpus.config.lower))
    if number is None:
        raise UnknownWordError(word, len(corpus.vocabulary), ())
    bounds = np.asarray(corpus.sentence_bounds)
    places = np.flatnonzero(np.asarray(corpus.ids) == number)
    rest = np.ones(len(bounds) - 1, bool)
    rest[np.searchsorted(bounds, places, side="right") - 1] = False
    if not rest.any():
        raise InputError("documents_none", documents=len(corpus.document_bounds) - 1)
    sentences = np.flatnonzero(rest)
    before = bounds_of(rest)
    return _of_sentences(corpus, sentences, np.unique(before[np.asarray(corpus.document_bounds)]))


def with_words(corpus: EncodedCorpus, chosen: Bools) -> EncodedCorpus:
    """Return a corpus without the words that are not chosen; sentences and documents that lose all of theirs are gone.

    Words keep their ids; one that is left out has the count 0.

    Parameters
    ----------
    corpus : EncodedCorpus
        What is taken from.
    chosen : NDArray of bool, shape (vocabulary,)
        Whether each word stays.

    Raises
    ------
    InputError
        If no word of the text is left.

    Examples
    --------
    >>> corpus = EncodedCorpus.from_sentences([[["a", "b"], ["b"]], [["a", "a"]]])
    >>> rest = with_words(corpus, np.array([word == "a" for word in corpus.vocabulary.words]))
    >>> list(rest.sentences()), rest.document_bounds.tolist()
    ([['a'], ['a', 'a']], [0, 1, 2])
    """
    stays = chosen[np.asarray(corpus.ids)]
    if not stays.any():
        raise InputError("documents_no_word", words=len(stays))
    before = bounds_of(stays)
    ends = before[np.asarray(corpus.sentence_bounds)]
    sentences = np.unique(ends)
    documents = np.searchsorted(sentences, ends[np.asarray(corpus.document_bounds)])
    return _with_ids(corpus, np.asarray(corpus.ids)[stays], sentences, np.unique(documents))


def bootstrap(documents: int, seed: int) -> Int64s:
    """Return so many documents drawn evenly with replacement, rising; shape (documents,)."""
    drawn: Int64s = np.random.default_rng(seed).integers(0, documents, documents)
    drawn.sort()
    return drawn


def _ranges(bounds: Int64s, chosen: Int64s) -> Int64s:
    """Return all positions within the chosen parts, one part after another."""
    starts = np.asarray(bounds)[chosen]
    lengths = np.asarray(bounds)[chosen + 1] - starts
    ends = np.cumsum(lengths)
    return np.arange(ends[-1]) + np.repeat(starts - ends + lengths, lengths)


def joined(first: EncodedCorpus, second: EncodedCorpus) -> tuple[EncodedCorpus, int]:
    """Return a corpus of the documents of both, and how many of them are the first's.

    The words are those of either, by falling frequency in both together.

    Raises
    ------
    InputError
        If one is lower-cased, lemmatised or respelled and the other is not.

    Examples
    --------
    >>> a = EncodedCorpus.from_sentences([["x", "y"]])
    >>> b = EncodedCorpus.from_sentences([["y"], ["z", "y"]])
    >>> both, documents = joined(a, b)
    >>> [" ".join(sentence) for sentence in both.sentences()], documents, both.vocabulary.words[0]
    (['x y', 'y', 'z y'], 1, 'y')
    """
    encodings = [(c.config.lower, c.config.lemmas, c.config.spelling) for c in (first, second)]
    if encodings[0] != encodings[1]:
        raise InputError("change_encoding")
    counts: dict[str, int] = {}
    for corpus in (first, second):
        numbers = corpus.vocabulary.counts.tolist()
        for word, count in zip(corpus.vocabulary.words, numbers, strict=True):
            counts[word] = counts.get(word, 0) + count
    words = sorted(counts, key=lambda word: (-counts[word], word))
    index = {word: number for number, word in enumerate(words)}
    ids = [_renumbered(corpus, index) for corpus in (first, second)]
    vocabulary = Vocabulary(tuple(words), np.array([counts[word] for word in words], np.int64))
    corpus = EncodedCorpus(
        None,
        vocabulary,
        np.concatenate(ids),
        _one_after_another(first.sentence_bounds, second.sentence_bounds),
        _one_after_another(first.document_bounds, second.document_bounds),
        first.config,
    )
    return corpus, len(first.document_bounds) - 1


def _renumbered(corpus: EncodedCorpus, index: dict[str, int]) -> Int32s:
    """Return the words of a corpus by their numbers in another vocabulary."""
    numbers = np.array([index[word] for word in corpus.vocabulary.words], np.int32)
    return numbers[np.asarray(corpus.ids)]


def _one_after_another(first: Int64s, second: Int64s) -> Int64s:
    """Return bounds of two texts as bounds of one."""
    return np.concatenate([np.asarray(first), np.asarray(second)[1:] + first[-1]])

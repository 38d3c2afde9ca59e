"""Two corpora as one, so that documents can be dealt out to two sides with one vocabulary."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.text.words import Vocabulary


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


def _renumbered(corpus: EncodedCorpus, index: dict[str, int]) -> NDArray[np.int32]:
    """Return the words of a corpus by their numbers in another vocabulary."""
    numbers = np.array([index[word] for word in corpus.vocabulary.words], np.int32)
    return numbers[np.asarray(corpus.ids)]


def _one_after_another(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return bounds of two texts as bounds of one."""
    return np.concatenate([np.asarray(first), np.asarray(second)[1:] + first[-1]])

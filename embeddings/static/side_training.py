"""Both sides of a comparison trained: as they are, with other seeds, and with documents shuffled between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from embeddings.corpora.document_selection import with_documents
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.results import Progress
from embeddings.static.word2vec import Word2VecConfig, train_ids
from embeddings.vectors.table import normalize_rows

SECOND = 1_000_003  # added to the seed of the second side
AGAIN = 2_000_003  # added where a side is trained again
Report = Callable[[Progress], None]
Tables = tuple[NDArray[np.float32], NDArray[np.float32]]


@dataclass(frozen=True)
class TwoSides:
    """Documents of one corpus dealt out to two sides, and the words that are measured.

    Attributes
    ----------
    corpus : EncodedCorpus
        All documents.
    first, second : NDArray of int64
        Documents of either side.
    words : NDArray of int64
        Ids of the words that are measured, by falling frequency.
    """

    corpus: EncodedCorpus
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    words: NDArray[np.int64]

    @property
    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Occurrences of the measured words on either side."""
        first, second = (
            with_documents(self.corpus, side).vocabulary.counts
            for side in (self.first, self.second)
        )
        return first[self.words], second[self.words]

    @property
    def tokens(self) -> tuple[int, int]:
        """Words of text on either side."""
        sizes = np.diff(np.asarray(self.corpus.sentence_bounds)[self.corpus.document_bounds])
        return int(sizes[self.first].sum()), int(sizes[self.second].sum())

    def shuffled(self, seed: int) -> TwoSides:
        """Return the documents shuffled between the sides, as many on each as before."""
        every = np.concatenate([self.first, self.second])
        order = np.random.default_rng(seed).permutation(every)
        return replace(
            self, first=np.sort(order[: len(self.first)]), second=np.sort(order[len(self.first) :])
        )


def measured_words(
    corpus: EncodedCorpus, sides: tuple[NDArray[np.int64], NDArray[np.int64]], least: int, most: int
) -> NDArray[np.int64]:
    """Return the ids of the commonest words that occur ``least`` times on each side, ``most`` at most.

    Raises
    ------
    InputError
        If there is none.
    """
    first, second = (with_documents(corpus, side).vocabulary.counts for side in sides)
    words = np.flatnonzero((first >= least) & (second >= least))
    if not len(words):
        raise InputError("change_common", least=least)
    order = np.argsort(-(first + second)[words], kind="stable")
    return words[order[:most]]


def words_alone(sides: TwoSides, least: int, most: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the commonest words, ``most`` at most, that one side has ``least`` times and the other never: they cannot be compared.

    Examples
    --------
    >>> corpus = EncodedCorpus.from_sentences([[["a", "b", "b"]], [["a", "c", "a"]]])
    >>> words_alone(TwoSides(corpus, np.array([0]), np.array([1]), np.array([0])), 2, 9)
    (('b',), ())
    """
    parts = (sides.first, sides.second)
    first, second = (with_documents(sides.corpus, part).vocabulary.counts for part in parts)
    bounds = (least, most)
    return _alone(sides.corpus, first, second, *bounds), _alone(
        sides.corpus, second, first, *bounds
    )


def _alone(
    corpus: EncodedCorpus,
    here: NDArray[np.int64],
    there: NDArray[np.int64],
    least: int,
    most: int,
) -> tuple[str, ...]:
    """Return the commonest words that are here and not there."""
    words = np.flatnonzero((here >= least) & (there == 0))
    order = words[np.argsort(-here[words], kind="stable")][:most]
    return tuple(corpus.vocabulary.words[word] for word in order.tolist())


def train_side(
    corpus: EncodedCorpus,
    documents: NDArray[np.int64],
    words: NDArray[np.int64],
    config: Word2VecConfig,
    report: Report | None = None,
) -> NDArray[np.float32]:
    """Return the unit vectors of some words after a training on some documents; shape (words, vector_size)."""
    text = with_documents(corpus, documents)
    weights = train_ids(
        text.ids, text.sentence_bounds, text.vocabulary.counts, config, report=report
    )
    unit = normalize_rows(weights.inputs[words])
    unit[text.vocabulary.counts[words] == 0] = 0
    return unit


def train_sides(sides: TwoSides, config: Word2VecConfig, report: Report | None = None) -> Tables:
    """Return the unit vectors of both sides; the second has a seed of its own, so that no common start makes the two alike."""
    other = replace(config, seed=config.seed + SECOND)
    first = train_side(sides.corpus, sides.first, sides.words, config, report)
    return first, train_side(sides.corpus, sides.second, sides.words, other, report)


def shuffled_trainings(
    sides: TwoSides, config: Word2VecConfig, shuffles: int, report: Report | None = None
) -> Iterator[Tables]:
    """Yield the unit vectors of both sides after each shuffle, trained under a seed of its own."""
    for number in range(1, shuffles + 1):
        seed = config.seed + number
        yield train_sides(sides.shuffled(seed), replace(config, seed=seed), report)


def train_again(
    sides: TwoSides,
    config: Word2VecConfig,
    number: int,
    *,
    both: bool = True,
    report: Report | None = None,
) -> tuple[NDArray[np.float32], ...]:
    """Return the unit vectors of the first side, or of both, trained with another seed, the ``number``-th."""
    again = replace(config, seed=config.seed + AGAIN + number)
    if both:
        return train_sides(sides, again, report)
    return (train_side(sides.corpus, sides.first, sides.words, again, report),)

"""The compiled training over n-grams against a plain-numpy reference that draws from the same random stream."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.static.test_word2vec_kernels import SENTENCES, WINDOWS, OwnRows, check_piece, random_text


class MeanRows(OwnRows):
    """Words composed as they come into reach, and settled as they leave it; float64.

    ``members`` is as the kernel takes it: where the rows of each word begin, and the rows of all words.
    """

    def __init__(self, inputs, rows):
        offsets = np.concatenate(([0], np.cumsum([len(own) for own in rows])))
        super().__init__(inputs, (offsets, np.concatenate(rows).astype(np.int32)))
        self.rows, self.begun = rows, {}

    def __len__(self):
        return len(self.rows)

    def size(self, word):
        return len(self.rows[word])

    def enter(self, place, word):
        self.vectors[place] = self.inputs[self.rows[word]].mean(axis=0)
        self.begun[place] = self.vectors[place].copy()

    def leave(self, place, word):
        learned = self.vectors.pop(place) - self.begun.pop(place)
        for row in self.rows[word]:
            self.inputs[row] += learned


def drawn_words(rng, size, ngrams, width):
    """Words with a row of their own and up to seven of n-grams, some of them twice in one word."""
    rows = [
        np.array([word, *rng.integers(size, size + ngrams, rng.integers(0, 8))])
        for word in range(size)
    ]
    return MeanRows(rng.normal(size=(size + ngrams, width)) * 0.5, rows)


@pytest.mark.parametrize("sg", [True, False], ids=["skip-gram", "CBOW"])
@pytest.mark.parametrize(
    ("count", "window", "negative", "sample"),
    [(400, 3, 5, 0.05), (200, 9, 13, 0.0), (6000, 2, 1, 0.01)],
    ids=["subsampled", "wide, three groups of outputs", "more than a block"],
)
def test_training_over_ngrams_equals_the_plain_numpy_reference(sg, count, window, negative, sample):
    rng, ids, bounds = random_text(count)
    # a low learning rate: with few n-grams for many words a high one would swing, and rounding with it
    options = window, negative, 12345, 0.01, 0.002
    words = drawn_words(rng, 30, 25, 20)
    pairs = check_piece(sg, words, ids, bounds, sample, options, 2e-5)
    assert pairs > count / 4


@settings(max_examples=40, deadline=None)
@given(
    sg=st.booleans(),
    width=st.integers(1, 40),
    size=st.integers(1, 8),
    ngrams=st.integers(1, 12),
    lengths=SENTENCES,
    window=WINDOWS,
    negative=st.integers(1, 13),
    seed=st.integers(0, 2**32),
)
@example(sg=True, width=1, size=1, ngrams=1, lengths=[1], window=15, negative=5, seed=1)
@example(sg=False, width=17, size=1, ngrams=1, lengths=[0, 9], window=15, negative=5, seed=1)
def test_training_over_ngrams_equals_the_reference_at_any_width_window_and_length(
    sg, width, size, ngrams, lengths, window, negative, seed
):
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, size, sum(lengths)).astype(np.int32)
    bounds = np.concatenate(([0], np.cumsum(lengths)))
    options = window, negative, seed, 0.005, 0.001
    words = drawn_words(rng, size, ngrams, width)
    pairs = check_piece(sg, words, ids, bounds, 0.0, options, 2e-5)
    # CBOW has a pair for each word that is not alone, skip-gram one a neighbour at least
    assert pairs >= sum(length for length in lengths if length > 1)

"""The compiled training over n-grams against a plain-numpy reference that draws from the same random stream."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from embeddings.static.kernels.fasttext_kernel import train_subword_piece
from embeddings.static.word2vec import alias_table, keep_thresholds, negative_shares
from tests.static.test_word2vec_kernels import (
    SENTENCES,
    WINDOWS,
    check_rows,
    flat,
    reference_blocks,
    reference_position,
    reference_targets,
    splitmix64,
)


class ReferenceWords:
    """Words composed as they come into reach, and settled as they leave it; float64."""

    def __init__(self, inputs, members):
        self.inputs, self.members = inputs, members
        self.composed, self.begun = {}, {}

    def enter(self, place, word):
        self.composed[place] = self.inputs[self.members[word]].mean(axis=0)
        self.begun[place] = self.composed[place].copy()

    def leave(self, place, word):
        learned = self.composed.pop(place) - self.begun.pop(place)
        for row in self.members[word]:
            self.inputs[row] += learned


def reference_piece(sg, ids, bounds, tables, members, inputs, outputs, options):
    """What `train_subword_piece` does, in Python over float64."""
    window, negative, seed, alpha, last = options
    bits = splitmix64(seed)
    total, pairs = 0.0, 0
    for block, begun in reference_blocks(ids, bounds, tables[0], window, bits):
        rate = alpha + (last - alpha) * begun / max(1, len(ids))
        targets = [reference_targets(word, tables[1], negative, bits) for word, _, _ in block]
        words = ReferenceWords(inputs, members)
        entered = 0
        for at, (_, first, end) in enumerate(block):
            while entered < min(at + window + 1, len(block)):
                words.enter(entered, block[entered][0])
                entered += 1
            contexts = [j for j in range(first, end) if j != at]
            if contexts:
                sizes = [len(members[block[j][0]]) for j in contexts]
                loss, count = reference_position(
                    sg, words.composed, contexts, sizes, targets[at], outputs, rate
                )
                total, pairs = total + loss, pairs + count
            if at >= window:
                words.leave(at - window, block[at - window][0])
        for at in range(max(0, len(block) - window), len(block)):
            words.leave(at, block[at][0])
    return total, pairs


@pytest.mark.parametrize("sg", [True, False], ids=["skip-gram", "CBOW"])
@pytest.mark.parametrize(
    ("count", "window", "negative", "sample"),
    [(400, 3, 5, 0.05), (200, 9, 13, 0.0), (6000, 2, 1, 0.01)],
    ids=["subsampled", "wide, three groups of outputs", "more than a block"],
)
def test_training_over_ngrams_equals_the_plain_numpy_reference(sg, count, window, negative, sample):
    rng = np.random.default_rng(count)
    ids = np.minimum(rng.geometric(0.15, count) - 1, 29).astype(np.int32)
    cuts = np.sort(rng.choice(count, count // 20, replace=False))
    cuts = cuts[cuts < 1500]  # in the long corpus the last sentence is longer than a block
    bounds = np.concatenate(([0], cuts, [count]))
    # a low learning rate: with few n-grams for many words a high one would swing, and rounding with it
    options = window, negative, 12345, 0.01, 0.002
    assert check_piece(sg, rng, (30, 25, 20), ids, bounds, sample, options) > count / 4


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
    pairs = check_piece(sg, rng, (size, ngrams, width), ids, bounds, 0.0, options)
    # CBOW has a pair for each word that is not alone, skip-gram one a neighbour at least
    assert pairs >= sum(length for length in lengths if length > 1)


def check_piece(sg, rng, shape, ids, bounds, sample, options):
    """Hold `train_subword_piece` to the reference from random matrices over words and n-grams; return how many pairs both found."""
    (size, ngrams, width), (window, negative, seed, alpha, last) = shape, options
    columns = -(-width // 16) * 16
    counts = np.bincount(ids, minlength=size) + 1
    # a row of its own and up to seven of n-grams, some of them twice in one word
    members = [
        np.array([word, *rng.integers(size, size + ngrams, rng.integers(0, 8))])
        for word in range(size)
    ]
    offsets = np.concatenate(([0], np.cumsum([len(rows) for rows in members])))
    keep = keep_thresholds(counts, sample)
    alias = alias_table(negative_shares(counts, 0.75))
    inputs = rng.normal(size=(size + ngrams, width)) * 0.5
    outputs = rng.normal(size=(size, width)) * 0.5
    x, y = flat(inputs, columns), flat(outputs, columns)
    composed = offsets, np.concatenate(members).astype(np.int32), x, y, columns
    loss, pairs = train_subword_piece(
        sg, ids, bounds, keep, alias, *composed, window, negative, np.uint64(seed), alpha, last
    )
    expected = reference_piece(
        sg, ids.tolist(), bounds, (keep, alias), members, inputs, outputs, options
    )
    assert pairs == expected[1]
    assert loss == pytest.approx(expected[0], rel=1e-4)
    check_rows(x, inputs, columns, 2e-5)
    check_rows(y, outputs, columns, 2e-5)
    return pairs

"""Residual inverse document frequency: by its formula, and large for what stands together."""

import numpy as np
import pytest

from embeddings.static.kernels.context_sums import count_stretches
from embeddings.static.sense_clustering import expected_stretches, residual_idf


def test_residual_idf_is_that_of_church_and_gale_where_stretches_are_alike():
    counts, stretches_with, stretches = np.array([100, 100, 7]), np.array([63, 10, 7]), 100
    rates = counts / stretches  # Poisson: 1 - exp(-rate) of the stretches have the word
    expected = -np.log2(stretches_with / stretches) + np.log2(1 - np.exp(-rates))
    bits = residual_idf(expected_stretches(counts, np.full(stretches, 1000)), stretches_with)
    assert bits == pytest.approx(expected)


def test_a_long_stretch_is_expected_to_have_a_word_more_often():
    lengths = np.array([10, 90])
    chance = sum(1 - np.exp(-2 * share) for share in (0.1, 0.9))
    assert expected_stretches(np.array([2]), lengths)[0] == pytest.approx(chance)


def test_words_that_stand_together_have_more_bits_than_words_spread_by_chance():
    rng = np.random.default_rng(0)
    ids = rng.integers(2, 50, 100_000)
    ids[rng.choice(100_000, 1000, replace=False)] = 0  # by chance
    ids[50_000:51_000] = 1  # together
    stretches = np.arange(0, 100_001, 1000)
    ids, groups = ids.astype(np.int32), np.arange(50)
    counted = count_stretches(ids, stretches, groups, 50)
    assert counted.tolist() == [
        len({place // 1000 for place in np.flatnonzero(ids == word)}) for word in range(50)
    ]
    counts = np.bincount(ids, minlength=50)
    bits = residual_idf(expected_stretches(counts, np.diff(stretches)), counted)
    assert abs(bits[0]) < 0.05
    assert bits[1] > 4


def test_a_word_without_uses_has_no_bits():
    assert residual_idf(expected_stretches(np.array([0]), np.array([5, 5])), np.array([0])) == 0

"""Vectors that collapsed and models that read too little are known by two numbers."""

import numpy as np
import pytest

from embeddings.analysis.stability import check_vectors
from embeddings.shelf import load_vectors
from tests.tables import at_degrees, numbered


def test_the_mean_cosine_of_all_pairs_by_hand():
    """Three words at 0, 60 and 90 degrees: cosines 0.5, 0 and cos 30, in the mean 0.4553."""
    health = check_vectors(numbered(at_degrees(0, 60, 90)))
    assert health.random_cosine == pytest.approx((0.5 + 0 + 3**0.5 / 2) / 3, abs=1e-6)
    assert health.words_read is None
    assert not health.has_collapsed
    assert not health.has_read_little


def test_vectors_around_one_direction_have_collapsed():
    rng = np.random.default_rng(0)
    rows = np.ones((300, 20)) + rng.normal(0, 0.1, (300, 20))
    health = check_vectors(numbered(rows, [1] * 300))
    assert health.has_collapsed
    assert (health.words_read, health.has_read_little) == (300, True)


@pytest.mark.parametrize("model", ["en-skipgram", "ru-cbow", "de-glove"])
def test_a_model_that_ships_has_neither_collapsed_nor_read_too_little(model):
    health = check_vectors(load_vectors(model))
    assert not health.has_collapsed
    assert not health.has_read_little

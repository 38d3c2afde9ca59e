"""Groups of words, their frequency, and the plane of a formula."""

import math

import numpy as np
import pytest

from embeddings.analysis.analogies import solve
from embeddings.analysis.number_of_groups import cluster
from embeddings.analysis.projection import parallelogram
from embeddings.analysis.similarity import magnitudes, per_million, tier
from embeddings.errors import UnknownWordError
from embeddings.shelf import load_vectors
from embeddings.vectors.table import Vectors
from tests.tables import drawn, numbered


def test_groups_follow_direction_not_length_and_the_largest_comes_first():
    vectors = numbered([[0, 1], [0, 9], [5, 0], [1, 0.01], [70, 0]])
    assert cluster(vectors, vectors.words) == (1, 1, 0, 0, 0)


def test_there_are_at_most_as_many_groups_as_different_vectors():
    vectors = numbered([[1, 0], [2, 0], [0, 1]])
    assert cluster(vectors, vectors.words) == (0, 0, 1)
    assert cluster(vectors, ["w0", "w1"]) == (0, 0)


def test_animals_and_fruit_are_two_groups_where_no_number_is_named():
    vectors = load_vectors("en-skipgram")
    assert cluster(vectors, ["wolf", "dog", "cat", "apple", "pear", "plum"]) == (0, 0, 0, 1, 1, 1)


def test_the_number_of_groups_is_that_of_the_planted_directions():
    rng = np.random.default_rng(3)
    for number in (2, 3, 4, 5):
        planted = np.repeat(np.eye(number), 6, axis=0)
        vectors = numbered(planted + rng.normal(scale=0.05, size=planted.shape))
        assert cluster(vectors, vectors.words) == tuple(np.repeat(range(number), 6))


def test_grouping_twice_gives_the_same():
    vectors = drawn(30, 5)
    assert cluster(vectors, vectors.words) == cluster(vectors, vectors.words)


def test_an_unknown_word_cannot_be_grouped():
    with pytest.raises(UnknownWordError, match="nowhere"):
        cluster(numbered([[1, 0], [0, 1]]), ["w0", "nowhere"])


def test_a_rate_is_per_million_of_all_counts():
    vectors = numbered([[1, 0], [0, 1]], [750, 250])
    assert per_million(vectors, 250) == 250_000
    assert per_million(vectors, None) is None
    assert per_million(numbered([[1, 0]]), 5) is None


@pytest.mark.parametrize(
    ("rate", "expected"), [(None, 0), (0.0, 1), (9.99, 1), (10.0, 2), (99.9, 2), (100.0, 3)]
)
def test_tiers_begin_at_ten_and_a_hundred_per_million(rate, expected):
    assert tier(rate) == expected


def test_magnitudes_are_decimal_logarithms():
    vectors = numbered([[1, 0], [0, 1]], [1000, 10])
    assert magnitudes(vectors, ["w1", "w0"]) == pytest.approx((1.0, 3.0))
    assert magnitudes(numbered([[1, 0]]), ["w0"]) == (0.0,)


ROYAL = Vectors(
    ["king", "man", "woman", "queen", "apple"],
    np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0.1, -1, -1]], dtype=np.float32),
)


def test_the_plane_keeps_the_parallelogram():
    plane = parallelogram(ROYAL, solve(ROYAL, "king - man + woman"), answers=1)
    assert plane.words == ("king", "man", "woman", "queen", "king - man + woman")
    king, man, woman, _, total = plane.coordinates
    assert np.allclose(king - man, total - woman, atol=1e-5)


def test_the_plane_is_that_of_scikit_learn():
    from sklearn.decomposition import PCA

    plane = parallelogram(ROYAL, solve(ROYAL, "king - man + woman"), answers=1)
    unit = ROYAL.unit[:4]
    expected = PCA(2).fit(unit)
    assert plane.explained_variance_ratio == pytest.approx(
        tuple(expected.explained_variance_ratio_), abs=1e-5
    )
    distances = [math.dist(plane.coordinates[0], row) for row in plane.coordinates[1:4]]
    places = expected.transform(unit)
    assert distances == pytest.approx([math.dist(places[0], row) for row in places[1:]], abs=1e-4)


def test_inputs_that_answer_are_not_drawn_twice():
    plane = parallelogram(ROYAL, solve(ROYAL, "king - man + woman", include_inputs=True))
    assert len(set(plane.words)) == len(plane.words)

"""Maps of words."""

import numpy as np
import pytest
from sklearn import decomposition
from sklearn.preprocessing import StandardScaler, normalize

from embeddings import Vectors
from embeddings.analysis.projection import project
from embeddings.errors import InputError

WORDS = tuple(f"w{i}" for i in range(40))
MATRIX = np.random.default_rng(2).normal(size=(40, 8)).astype(np.float32)
TABLE = Vectors(WORDS, MATRIX)


@pytest.mark.parametrize("standardize", [True, False])
def test_map_is_sklearns_of_unit_rows(standardize):
    found = project(TABLE, WORDS[:20], standardize=standardize)
    rows = normalize(MATRIX[:20].astype(np.float64))
    rows = StandardScaler().fit_transform(rows) if standardize else rows
    reference = decomposition.PCA(2)
    np.testing.assert_allclose(found.coordinates, reference.fit_transform(rows), atol=1e-5)
    expected = reference.explained_variance_ratio_
    np.testing.assert_allclose(found.explained_variance_ratio, expected, atol=1e-6)
    assert found.words == WORDS[:20]


def test_a_word_placed_twice_is_one_point_and_three_dimensions_are_three():
    found = project(TABLE, ["w3", "w1", "w3", "w2", "W9"], dimensions=3)
    assert found.words == ("w3", "w1", "w2", "w9")
    assert found.coordinates.shape == (4, 3)


def test_map_fitted_to_other_words():
    whole = project(TABLE, WORDS)
    part = project(TABLE, ["w5"], fit_on=WORDS)
    np.testing.assert_allclose(part.coordinates[0], whole.coordinates[5], atol=1e-6)


def test_tsne_is_the_same_for_the_same_seed():
    first, again = (project(TABLE, WORDS, "tsne", seed=4) for _ in range(2))
    np.testing.assert_array_equal(first.coordinates, again.coordinates)
    assert first.coordinates.shape == (40, 2)
    assert first.explained_variance_ratio == ()
    assert project(TABLE, WORDS[:5], "tsne", 3).coordinates.shape == (5, 3)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"method": "mds"}, "method=mds is not known. Choose one of: pca, tsne, umap"),
        ({"dimensions": 4}, "dimensions=4 is out of range"),
        ({"words": ["w1"]}, "^1 word is too few for pca: name at least 2"),
        ({"words": ["w1", "w2"], "dimensions": 3}, "^2 words are too few for pca: name at least 3"),
        (
            {"words": ["w1", "w2"], "method": "tsne"},
            "2 words are too few for tsne: name at least 5",
        ),
        ({"words": ["w1", "w2"], "method": "umap"}, "2 words are too few for umap"),
    ],
)
def test_maps_that_cannot_be_drawn_are_refused(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        project(TABLE, **{"words": WORDS, **settings})

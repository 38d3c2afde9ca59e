"""Clusters that many clusterings agree on: planted ones found in number and kind, silhouettes as scikit-learn's."""

import numpy as np
import pytest

from embeddings.analysis.number_of_groups import (
    agreement,
    by_size,
    cut,
    silhouette,
)
from embeddings.vectors.vector_rows import normalize_rows
from tests.tables import at_degrees


def planted(sizes, spread=0.3, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    points = np.eye(24)[labels] + rng.normal(scale=spread / np.sqrt(24), size=(len(labels), 24))
    return normalize_rows(points.astype(np.float32)), labels


@pytest.mark.parametrize("sizes", [(12, 8), (10, 9, 8), (9, 8, 7, 6)])
def test_planted_clusters_are_found_in_number_and_kind(sizes):
    points, labels = planted(sizes)
    found = cut(agreement([points]))
    assert found.labels.tolist() == labels.tolist()


def test_agreement_is_a_share_symmetric_and_whole_on_the_diagonal():
    together = agreement([planted((6, 5))[0]], rounds=7)
    np.testing.assert_array_equal(together, together.T)
    np.testing.assert_array_equal(np.diag(together), 1)
    np.testing.assert_allclose(together * 7, np.round(together * 7), atol=1e-5)


def test_rounds_go_through_all_views():
    first, labels = planted((8, 8))
    noise = normalize_rows(np.random.default_rng(5).normal(size=first.shape).astype(np.float32))
    apart = labels[:, None] != labels
    alone = agreement([first], rounds=6)[apart].mean()
    both = agreement([first, noise], rounds=12)[apart].mean()
    assert alone < 0.05
    assert both > 0.1  # half of the rounds saw noise, which joins about a third of the pairs


def test_lifetimes_are_gaps_of_the_tree_over_the_root_of_the_number():
    together = np.full((6, 6), 0.1, np.float32)
    together[:3, :3] = together[3:, 3:] = 0.9
    np.fill_diagonal(together, 1)
    found = cut(together)
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert dict(found.lifetimes)[2] == pytest.approx(0.8 / np.sqrt(2), abs=1e-6)
    assert dict(found.lifetimes)[3] == pytest.approx(0, abs=1e-6)


def test_a_cluster_that_is_too_small_goes_where_it_agrees_most():
    together = np.full((12, 12), 0.2, np.float32)
    together[:6, :6] = together[6:11, 6:11] = 0.9
    together[11, 6:11] = together[6:11, 11] = 0.3
    np.fill_diagonal(together, 1)
    assert cut(together).by_number[3].tolist() == [0] * 6 + [1] * 6


def test_points_that_nothing_tells_apart_are_one_cluster():
    assert cut(np.ones((5, 5), np.float32)).labels.tolist() == [0] * 5


def test_a_point_alone_in_its_cluster_counts_zero_in_the_silhouette():
    points = at_degrees(0, 60, 180)  # cosine distances 0.5, 2 and 1.5
    expected = ((2 - 0.5) / 2 + (1.5 - 0.5) / 1.5 + 0) / 3
    assert silhouette(points, np.array([0, 0, 1])) == pytest.approx(expected)
    assert silhouette(points, np.array([0, 1, 2])) == silhouette(points, np.zeros(3, int)) == 0


def test_clusters_are_numbered_by_falling_size_then_first_member():
    assert by_size(np.array([7, 3, 3, 9, 7, 3])).tolist() == [1, 0, 0, 2, 1, 0]

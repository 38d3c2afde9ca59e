"""Change between two corpora: rotation undone, p values uniform where nothing changed, a planted change first."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from scipy.stats import kstest, ortho_group

from embeddings.analysis.model_comparison import Trials, corrected, movements, null_p, word_changes
from embeddings.errors import InputError


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def gaussian(words, size, seed):
    return unit(np.random.default_rng(seed).normal(size=(words, size)))


def test_a_rotated_table_has_not_moved():
    table = gaussian(60, 7, 1)
    rotation = ortho_group.rvs(7, random_state=2).astype(np.float32)
    assert movements(table, table @ rotation) == pytest.approx(np.zeros(60), abs=1e-6)


def test_movement_is_that_of_scipys_procrustes():
    first, second = gaussian(60, 7, 1), gaussian(60, 7, 3)
    sides = [unit(side - side.mean(axis=0)).astype(np.float64) for side in (first, second)]
    rotation, _ = orthogonal_procrustes(*sides)
    expected = 1 - ((sides[0] @ rotation) * sides[1]).sum(axis=1)
    assert movements(first, second) == pytest.approx(expected, abs=1e-5)
    with pytest.raises(InputError, match="at least 5"):
        movements(first[:4], second[:4])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("trainings", [5, 20])
def test_p_is_uniform_where_nothing_changed(seed, trainings):
    """Words whose movements differ in size and spread, as rare and common ones do."""
    generator = np.random.default_rng(seed)
    scale = generator.uniform(0.01, 0.4, 2_000)
    values = scale * generator.gamma(20, 1 / 20, (trainings + 1, 2_000))
    assert kstest(null_p(values[0], values[1:]), "uniform").pvalue > 0.001


def test_a_changed_word_comes_first_and_the_others_stay_within_the_rate():
    generator = np.random.default_rng(6)
    values = 0.1 * generator.gamma(20, 1 / 20, (21, 1_000))
    values[0, 77] *= 4
    p = null_p(values[0], values[1:])
    assert p.argmin() == 77
    q = corrected(p)
    assert q[77] <= 0.05
    assert (q <= 0.05).sum() <= 3


def test_neighbours_lost_and_gained_are_those_of_one_side_alone():
    """d stands with a, b, c on the first side and with x, y, z on the second; the others keep their places."""
    words = ["a", "b", "c", "x", "y", "z", "d"]
    near, far = np.array([1.0, 0, 0.1]), np.array([0, 1.0, 0.1])
    generator = np.random.default_rng(0)
    rows = [near] * 3 + [far] * 3
    base = np.array(rows) + 0.01 * generator.normal(size=(6, 3))
    sides = unit(np.vstack([base, near])), unit(np.vstack([base, far]))
    null = np.abs(generator.normal(0.01, 0.002, (5, 7)))
    counts = np.arange(7), np.arange(7) * 2
    changes = word_changes(words, sides, counts, Trials(null, null.mean(axis=0)), topn=3)
    assert changes[0].word == "d"
    assert set(changes[0].lost) == {"a", "b", "c"}
    assert set(changes[0].gained) == {"x", "y", "z"}
    assert (changes[0].count_first, changes[0].count_second) == (6, 12)
    assert changes[0].retraining == pytest.approx(null[:, 6].mean())


def test_too_few_null_trainings_are_refused():
    with pytest.raises(InputError, match="at least 3"):
        null_p(np.ones(5), np.ones((2, 5)))

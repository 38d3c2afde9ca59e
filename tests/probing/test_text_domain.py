"""How far texts lie from those of training: distances by hand, kept and read again."""

import numpy as np
import pytest

from embeddings.errors import CheckpointError
from embeddings.probing.label_prediction import TextDomain, fit_domain, read_domain, save_domain


def clouds(seed=0):
    rng = np.random.default_rng(seed)
    spread = np.array([3.0, 1.0, 0.5])
    return [(rng.normal(size=(n, 3)) * spread + 5).astype(np.float32) for n in (4000, 2000)]


def test_a_distance_is_in_standard_deviations_of_its_direction():
    domain = TextDomain(np.zeros(2, np.float32), np.diag([0.5, 2.0]).astype(np.float32), 2.0)
    assert domain.distances(np.array([[4.0, 0.0], [0.0, 1.5]], np.float32)).tolist() == [1.0, 1.5]


def test_one_in_ten_held_out_texts_lies_outside_and_strangers_do():
    training, held_out = clouds()
    domain = fit_domain(training, held_out)
    assert (domain.distances(held_out) > 1).mean() == pytest.approx(0.1, abs=0.002)
    # the edge of three independent normal directions at 90 % is the root of chi-squared's 6.251
    assert domain.edge == pytest.approx(6.251**0.5, rel=0.03)
    far = np.array([[5.0, 5.0, 5.0 + 0.5 * 4]], np.float32)  # four deviations in one direction
    assert domain.distances(far)[0] == pytest.approx(4 / domain.edge, rel=0.05)


def test_a_domain_is_read_as_it_was_written(tmp_path):
    domain = fit_domain(*clouds())
    save_domain(domain, tmp_path)
    again = read_domain(tmp_path, 3)
    states = clouds(1)[0]
    np.testing.assert_allclose(again.distances(states), domain.distances(states), rtol=1e-6)
    with pytest.raises(CheckpointError, match="mean"):
        read_domain(tmp_path, 4)
    assert read_domain(tmp_path / "none", 3) is None
    (tmp_path / "domain.safetensors").write_bytes(b"x" * 40)
    with pytest.raises(CheckpointError, match="cannot be read"):
        read_domain(tmp_path, 3)

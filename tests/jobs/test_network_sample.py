"""Two steps of a network are taken before its training is promised, and the estimate follows them."""

import numpy as np
import pytest

from embeddings.jobs.estimate import estimate, read_rates, step_seconds
from embeddings.jobs.speed_sample import STEPS, network_sample
from embeddings.results.trainings import SpeedSample, TextPreview
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.step_timing import random_rows
from embeddings.training.settings import NetworkSettings, defaults
from tests.jobs.test_estimate_here import job

PREVIEW = TextPreview(50_000, np.array([500] * 100), (), (), 50_000, 50_000)
SMALL = NetworkSettings(vocab_size=100, hidden_size=32, layers=1, rows=4, row_length=16)


@pytest.mark.parametrize("method", ["bert", "albert"])
def test_steps_are_timed_against_the_rates(method):
    sample = network_sample(method, SMALL)
    assert sample.words == STEPS * 4 * 16
    expected = STEPS * step_seconds(method, SMALL, read_rates())
    assert sample.factor == pytest.approx(sample.seconds / expected)
    assert 0 < sample.seconds < 60


def test_a_batch_has_every_sequence_in_places_of_its_own():
    packed = random_rows(PretrainingConfig(rows=4, row_length=16, max_tokens=8), 100)
    assert packed.ids.shape == (4, 16)
    assert packed.blocks[0].tolist() == [1] * 8 + [2] * 8
    assert packed.positions.max() == 7
    assert packed.first.tolist() == [row * 16 + at for row in range(4) for at in (0, 8)]
    assert packed.ids.min() >= 5  # no special token


def test_measured_steps_replace_those_of_the_rates_and_nothing_else():
    settings = defaults("bert", 50_000)
    plain = estimate("bert", settings, PREVIEW)
    steps = settings.steps * step_seconds("bert", settings, read_rates())
    sample = SpeedSample(20.0, 100, 1.0)
    measured = estimate("bert", settings, PREVIEW, (), sample)
    assert measured.seconds == pytest.approx(plain.seconds - steps + 20 * steps)
    assert measured.by_benchmark == plain.seconds
    assert measured.sample == sample


def test_steps_of_this_network_count_more_than_trainings_of_others(tmp_path):
    done = [job(tmp_path / "a", "bert", 10, 100)]
    settings, sample = defaults("bert", 50_000), SpeedSample(1.0, 100, 1.0)
    measured = estimate("bert", settings, PREVIEW, done, sample)
    assert (measured.trainings, measured.sample) == (0, sample)
    assert measured.seconds == pytest.approx(measured.by_benchmark)

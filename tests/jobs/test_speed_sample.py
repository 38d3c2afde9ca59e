"""A moment of training before the first job, and estimates that it corrects."""

from dataclasses import replace

import numpy as np
import pytest

from embeddings.corpora.corpus_answers import TextPreview
from embeddings.jobs import speed_sample as sampling
from embeddings.jobs.estimate import START_SECONDS, estimate, pass_seconds, read_rates, step_seconds
from embeddings.jobs.job_answers import SpeedSample
from embeddings.jobs.speed_sample import (
    PAIRS_SECONDS,
    PASSES,
    STEPS,
    TRAINED,
    network_sample,
    speed_sample,
)
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_task import random_rows
from embeddings.training.settings import NetworkSettings, defaults

LINE = "the cat sees the dog in the yard"  # eight words
PREVIEW = TextPreview(50_000, np.array([500] * 100), (), (), 50_000, 50_000)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join([LINE] * 50) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("method", ["skipgram", "glove", "fasttext"])
def test_a_sample_counts_words_and_compares_its_time_with_the_rates(text, method, monkeypatch):
    monkeypatch.setattr(sampling, "LEAST_BYTES", 10_000)
    sample = speed_sample(method, [text], workers=1)
    lines = 10_000 // (len(LINE) + 1)
    assert sample.words == pytest.approx(PASSES * 8 * lines, rel=0.2)
    assert sample.seconds > 0
    if method == "skipgram":
        settings, words = replace(TRAINED, workers=1), sample.words / PASSES
        expected = PASSES * pass_seconds(method, settings, words, 0.0, read_rates())
        assert sample.factor == pytest.approx(sample.seconds / expected)


def test_a_text_of_few_pairs_makes_no_training_by_glove_long(text):
    """Twenty pairs of words take no time; what a pass costs whatever its text is in the estimate already."""
    sample = speed_sample("glove", [text], workers=1)
    settings = defaults("glove", 400)
    plain = estimate("glove", settings, PREVIEW)
    assert sample.factor <= 1 + sample.seconds / PAIRS_SECONDS
    assert estimate("glove", settings, PREVIEW, sample).seconds < 3 * plain.seconds


def test_a_long_text_is_read_at_its_beginning_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(sampling, "BYTES", 5_000)
    paths = [tmp_path / name for name in ("a.txt", "b.txt")]
    paths[0].write_text(f"{LINE}\n" * 5_000, encoding="utf-8")
    monkeypatch.setattr(sampling, "LEAST_BYTES", 1)
    # b.txt, which is not there, is not opened
    assert 5_000 <= len(sampling._beginning(paths)) < 160_000


def test_the_sample_corrects_the_text_and_the_training_but_not_the_start_of_its_process():
    settings, sample = defaults("cbow", 50_000), SpeedSample(3.0, 1000, 0.5)
    plain = estimate("cbow", settings, PREVIEW)
    measured = estimate("cbow", settings, PREVIEW, sample)
    assert measured.seconds - START_SECONDS == pytest.approx(3 * (plain.seconds - START_SECONDS))
    assert measured.sample == sample


# Two steps of a network are taken before its training is promised, and the estimate follows them


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
    measured = estimate("bert", settings, PREVIEW, sample)
    assert measured.seconds == pytest.approx(plain.seconds - steps + 20 * steps)
    assert measured.sample == sample

"""Estimates are corrected by what trainings of the same kind took on this machine."""

import os
from dataclasses import replace

import numpy as np
import pytest

from embeddings.corpora.corpus_answers import TextPreview
from embeddings.jobs.estimate import estimate, machine_factor
from embeddings.jobs.job_answers import Job
from embeddings.jobs.job_folder import seconds_taken
from embeddings.training.settings import defaults


def job(folder, method, expected, taken, state="done"):
    """A job that ran for so many seconds."""
    folder.mkdir()
    for name, at in (("running", 1000.0), ("ended.json", 1000.0 + taken)):
        (folder / name).write_text("{}")
        os.utime(folder / name, (at, at))
    return Job(folder.name, "", method, "", "", "", "", 0, folder, state, expected=expected)


@pytest.fixture
def done(tmp_path):
    return [
        job(tmp_path / "a", "skipgram", 10, 30),
        job(tmp_path / "b", "glove", 20, 40),
        job(tmp_path / "c", "cbow", 10, 100),
        job(tmp_path / "d", "bert", 10, 5),
        job(tmp_path / "e", "cbow", 10, 999, "cancelled"),
        job(tmp_path / "f", "cbow", 0, 999),
    ]


def test_the_median_of_the_ratios_of_a_kind_counts(done):
    """Static: 3, 2 and 10 times as long, in the middle 3; networks: half as long."""
    assert machine_factor("fasttext", done) == (3.0, 3)
    assert machine_factor("albert", done) == (0.5, 1)
    assert machine_factor("albert", done[:1]) == (1.0, 0)


def test_an_estimate_is_that_of_the_benchmarks_times_the_factor(done):
    preview = TextPreview(50_000, np.array([500] * 100), (), (), 50_000, 50_000)
    settings = defaults("skipgram", 50_000)
    plain, corrected = (
        estimate("skipgram", settings, preview),
        estimate("skipgram", settings, preview, done),
    )
    assert corrected.seconds == pytest.approx(3 * plain.seconds)
    assert (plain.trainings, corrected.trainings) == (0, 3)
    assert corrected.by_benchmark == plain.seconds
    assert (corrected.memory, corrected.disk) == (plain.memory, plain.disk)


def test_a_job_that_runs_has_run_until_now(done):
    assert seconds_taken(replace(done[0], state="running"), now=1012.0) == 12
    assert seconds_taken(replace(done[0], folder=done[0].folder / "none")) is None

"""Before and during a training: how fast this machine is, the vectors so far, the film of its map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.answers import cached
from embeddings.errors import KlyuchError
from embeddings.jobs import learned_vectors
from embeddings.jobs.job_answers import Film, Job, SpeedSample
from embeddings.training.settings import NetworkSettings

if TYPE_CHECKING:
    from embeddings import Vectors


def _job_key(job: Job) -> tuple[str, int]:
    """Return a job's folder and when its training last wrote."""
    return str(job.folder), learned_vectors.stamp(job)


@cached(16, is_heavy=True)
def measured_speed(
    method: str, settings: NetworkSettings | None, files: tuple[Path, ...]
) -> tuple[SpeedSample, ...]:
    """Return the sample of a network with some settings, else of a method on a text; none where it cannot be trained."""
    from embeddings.jobs import speed_sample

    try:
        if settings is not None:
            return (speed_sample.network_sample(method, settings),)
        return (speed_sample.speed_sample(method, files),)
    except (KlyuchError, OSError):  # a text that cannot be trained on says so when it is started
        return ()


@cached(4, {Job: _job_key})
def learned(job: Job) -> tuple[Vectors, int] | None:
    """Return the vectors of a job's training so far, with the passes done."""
    return learned_vectors.learned(job)


@cached(8, {Job: _job_key})
def film(job: Job, words: tuple[str, ...]) -> Film:
    """Return the film of a job's training."""
    return learned_vectors.film(job, words)

"""albert."""

from __future__ import annotations

from embeddings.library.experiments.told import read_told
from embeddings.results.experiments import Experiment

COMMAND = "python -m benchmarks.albert"


def albert() -> Experiment:
    """Return it."""
    told = read_told("albert", COMMAND)
    raise told.damaged()

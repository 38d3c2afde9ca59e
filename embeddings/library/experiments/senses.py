"""senses."""

from __future__ import annotations

from embeddings.library.experiments.told import read_told
from embeddings.results.experiments import Experiment

COMMAND = "python -m benchmarks.senses"


def senses() -> Experiment:
    """Return it."""
    told = read_told("senses", COMMAND)
    raise told.damaged()

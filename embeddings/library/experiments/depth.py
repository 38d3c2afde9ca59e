"""depth."""

from __future__ import annotations

from embeddings.library.experiments.told import read_told
from embeddings.results.experiments import Experiment

COMMAND = "python -m benchmarks.depth"


def depth() -> Experiment:
    """Return it."""
    told = read_told("depth", COMMAND)
    raise told.damaged()

"""How far a run of minutes or hours is, and the type of what it is reported to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a training run stands: ``done`` of ``total`` units of work, the mean ``loss`` since the last report."""

    phase: str  # "count", "encode", "train", "cooccurrence" ...
    epoch: int
    done: int
    total: int
    loss: float
    per_second: float
    seconds_left: float


Report = Callable[[Progress], None]
"""What is called with a `Progress` now and then; a progress bar, the log of a job."""

"""What the loop wants from a task, when it stops, and how it ends."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from torch import Tensor, nn

from embeddings.configuration import check_range
from embeddings.errors import KlyuchError
from embeddings.results import Progress


class TrainingError(KlyuchError, ArithmeticError):
    """A training that cannot go on; the last good checkpoint is kept."""


class Task(Protocol):
    """What is trained."""

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:
        """Draw the next batch.

        Return the loss to minimise and ``sums``, one number for each of ``names`` and then their
        counts.
        """

    @property
    def names(self) -> tuple[str, ...]:
        """What ``sums`` hold: means of them are logged."""

    @property
    def tokens(self) -> int:
        """Real tokens drawn since the start, over all processes."""

    def evaluate(self, network: nn.Module) -> dict[str, float]:
        """Return the scores on held-out data."""

    def state(self) -> dict[str, object]:
        """Return the place in the data, for the checkpoint."""

    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a place."""


@dataclass(slots=True)
class Limits:
    """When to stop and to save, and whom to tell; none of it changes the weights.

    ``minutes`` 0: until the budget of steps is spent. ``checkpoint_minutes`` between checkpoints.
    """

    minutes: float = 0.0
    checkpoint_minutes: float = 10.0
    report: Callable[[Progress], None] | None = None
    watch: Callable[[dict[str, object]], None] | None = (
        None  # every line of progress.jsonl (TensorBoard)
    )
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        check_range("minutes", self.minutes, 0, math.inf)
        check_range("checkpoint_minutes", self.checkpoint_minutes, 0, math.inf)


def renamed(limits: Limits, phase: str) -> Limits:
    """Let the loop's reports, which speak of a pretraining, name another phase."""
    told = limits.report
    if told is None:
        return limits

    def report(at: Progress) -> None:
        told(replace(at, phase=phase) if at.phase == "pretrain" else at)

    return replace(limits, report=report)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a training ended: ``complete`` when the budget of steps is spent."""

    step: int
    complete: bool
    scores: dict[str, float]


@contextmanager
def signals() -> Iterator[list[int]]:
    """Yield a list that fills when the process is asked to stop.

    The step under way is finished and saved.
    """
    asked: list[int] = []
    try:
        before = {
            number: signal.signal(number, lambda n, _: asked.append(n))
            for number in (signal.SIGINT, signal.SIGTERM)
        }
    except ValueError:  # not the main thread: nobody sends signals here
        yield asked
        return
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

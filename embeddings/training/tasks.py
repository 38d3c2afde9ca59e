"""The protocol between the loop and a task, when the loop stops, and how it ends."""

from __future__ import annotations

import math
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from embeddings.configuration import check_range
from embeddings.errors import KlyuchError
from embeddings.model_card import build_card
from embeddings.results import Progress
from embeddings.training.loop_config import LoopConfig
from embeddings.training.optimisation import make_optimizer


class TrainingError(KlyuchError, ArithmeticError):
    """A training that cannot go on; the last good checkpoint is kept."""


C = TypeVar("C", bound=LoopConfig)


class Task(ABC, Generic[C]):
    """What is trained, and all that the loop asks of it.

    Attributes
    ----------
    phase : str
        What reports call this training: "pretrain" or "train".
    names : tuple of str
        What the sums of `loss` hold: means of them are logged.
    tokens : int
        Real tokens drawn since the start, over all processes.
    """

    phase = "train"
    names: tuple[str, ...]
    config: C
    tokens = 0

    @property
    def enough(self) -> bool:
        """Whether the training may end before its budget of steps is spent."""
        return False

    def optimizer(self, network: nn.Module) -> torch.optim.Optimizer:
        """Return what updates the weights: the optimiser that the settings name."""
        return make_optimizer(network, self.config)

    @abstractmethod
    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:
        """Draw the next batch.

        Return the loss to minimise and the sums: a number for each of ``names``, then their counts.
        """

    @abstractmethod
    def evaluate(self, network: nn.Module) -> dict[str, float]:
        """Return the scores on held-out data."""

    @abstractmethod
    def state(self) -> dict[str, object]:
        """Return the position in the data, for the checkpoint."""

    @abstractmethod
    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a position that `state` returned."""


class EpochTask(Task[C]):
    """A task that passes over a set of texts again and again, each epoch in another order.

    A subclass sets its data before it calls this class's initialiser, and says in `plan` what the batches of an epoch are.
    """

    def __init__(self, config: C) -> None:
        self.config = config
        self.epoch = self.batch = 0
        self.batches = self.plan(self.epoch)

    @abstractmethod
    def plan(self, epoch: int) -> list[list[int]]:
        """Return the rows of each batch of an epoch: decided by seed and epoch alone."""

    def next_rows(self) -> list[int]:
        """Return the rows of the next batch, over the end of an epoch."""
        if self.batch == len(self.batches):
            self.epoch, self.batch = self.epoch + 1, 0
            self.batches = self.plan(self.epoch)
        rows = self.batches[self.batch]
        self.batch += 1
        return rows

    def state(self) -> dict[str, object]:
        """Return the position in the data, for the checkpoint."""
        return {"tokens": self.tokens, "epoch": self.epoch, "place": self.batch}

    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a checkpoint's position."""
        self.tokens, self.epoch, self.batch = (
            int(str(state[name])) for name in ("tokens", "epoch", "place")
        )
        self.batches = self.plan(self.epoch)


@dataclass(slots=True)
class Limits:
    """When to stop and to save, and what is called with the progress; none of it changes the weights.

    ``minutes`` 0: until the budget of steps is spent. ``checkpoint_minutes`` between checkpoints.
    """

    minutes: float = 0.0
    checkpoint_minutes: float = 10.0
    report: Callable[[Progress], None] | None = None
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        check_range("minutes", self.minutes, 0, math.inf)
        check_range("checkpoint_minutes", self.checkpoint_minutes, 0, math.inf)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a training ended: ``complete`` when the budget of steps is spent."""

    step: int
    complete: bool
    scores: dict[str, float]


@dataclass(frozen=True, slots=True)
class Trained:
    """What a pretraining or the training of a translator leaves.

    The model's folder (float16, opens everywhere) and how the run ended; ``left_out``: pairs that are longer than the network takes.
    """

    folder: Path
    finished: Finished
    tokens: int
    parameters: int
    left_out: int = 0


def run_card(  # noqa: PLR0913 - what a card says
    kind: str,
    method: str,
    settings: Mapping[str, object],
    finished: Finished,
    *,
    language: str,
    corpus: Mapping[str, object],
    command: str,
    **about: object,
) -> dict[str, object]:
    """Return the card of a run: where the weights come from; ``about``: tokens_seen, bert and the like."""
    model = SimpleNamespace(name="", method=method, language=language)
    card = build_card(
        model, corpus=corpus, settings=settings, scores=finished.scores, command=command, kind=kind
    )
    assert isinstance(card["versions"], dict)
    card["versions"]["torch"] = torch.__version__
    return card | {"steps": finished.step, "complete": finished.complete, **about}


@contextmanager
def signals() -> Iterator[list[int]]:
    """Yield a list that fills when the process is asked to stop.

    The step under way is finished and saved. A signal that the process handles itself is left to it.
    """
    stop_signals: list[int] = []
    defaults = (signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler)
    try:
        before = {
            number: signal.signal(number, lambda n, _: stop_signals.append(n))
            for number in (signal.SIGINT, signal.SIGTERM)
            if signal.getsignal(number) in defaults
        }
    except ValueError:  # not the main thread: nobody sends signals here
        yield stop_signals
        return
    try:
        yield stop_signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""The training loop, the only one: CPU or GPU, one process or many, from the start or from a checkpoint.

A `Task` says where batches come from and what the loss is; the loop steps, logs, evaluates, saves and stops. What a run ends with
depends on its settings alone, not on when it was stopped or killed in between.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from embeddings.errors import CheckpointError, clause
from embeddings.results import Progress
from embeddings.runtime import Runtime
from embeddings.training.checkpoints import TrainingFolder
from embeddings.training.distributed import Team
from embeddings.training.loop_config import LoopConfig
from embeddings.training.optimisation import rate_at
from embeddings.training.tasks import Finished, Limits, Task, TrainingError, signals

Watcher = Callable[[dict[str, object]], None]


@dataclass
class Loop:
    """A training: the state between two steps. It resumes what ``run`` holds; ``watchers`` are called with every line of progress.jsonl."""

    network: nn.Module
    task: Task[Any]
    run: TrainingFolder
    runtime: Runtime
    limits: Limits
    team: Team = field(default_factory=Team)
    watchers: Sequence[Watcher] = ()

    def __post_init__(self) -> None:
        network, task, run = self.network, self.task, self.run
        self.config: LoopConfig = task.config
        self.optimizer = task.optimizer(network)
        state = run.restore(network, self.optimizer)
        self.step, self.seconds = 0, 0.0
        if state:
            try:
                self.step, self.seconds = int(str(state["step"])), float(str(state["seconds"]))
                task.restore(state)
            except (KeyError, TypeError, ValueError, AssertionError) as error:
                why = clause("state_unusable", field=error)
                raise CheckpointError("checkpoints_damaged", path=run.path, reason=why) from error
        self.wrapped = self.team.wrap(network)
        self.saved = self.step if state else -1
        self.saved_at = self.logged_at = time.monotonic()
        self.tokens_logged = task.tokens
        self.sums: Tensor | None = None
        self.scores: dict[str, float] = {}
        self.scored = -1

    def train(self) -> Finished:
        """Train until the budget is spent, the task has enough, the time is up, or a signal asks to stop.

        Raises
        ------
        TrainingError
            If the loss is not finite; the last good checkpoint stays.
        """
        with signals() as stop_signals:
            while not self.is_complete and not self.is_time_up(bool(stop_signals)):
                self.take_step()
        return self.finish()

    @property
    def is_complete(self) -> bool:
        """Whether the budget is spent or the task has enough."""
        return self.step >= self.config.steps or self.task.enough

    def is_time_up(self, is_stopping: bool) -> bool:
        """Whether to stop before the next step.

        Looked at when a line is due, so that all processes agree.
        """
        if self.step % self.config.log_every and not (self.team.size == 1 and is_stopping):
            return False
        minutes = (time.monotonic() - self.limits.started) / 60
        return self.team.any(is_stopping or 0 < self.limits.minutes <= minutes, self.runtime.device)

    def take_step(self) -> None:
        """Forward, backward, clip, update; then whatever is due."""
        self.network.train()
        torch.manual_seed(self.config.step_seed(self.step))  # dropout, the same when resumed
        for group in self.optimizer.param_groups:
            group["lr"] = rate_at(self.step, self.config)
        with self.runtime.autocast():
            loss, sums = self.task.loss(self.wrapped, self.step)
        loss.backward()  # type: ignore[no-untyped-call]
        if self.config.clip:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.config.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.sums = sums if self.sums is None else self.sums + sums
        self.step += 1
        if self.step % self.config.log_every == 0 or self.step == self.config.steps:
            self._log()
        if self.config.evaluate_every and self.step % self.config.evaluate_every == 0:
            self._evaluate()
        if time.monotonic() - self.saved_at > 60 * self.limits.checkpoint_minutes:
            self._save()

    def finish(self) -> Finished:
        """Evaluate if the budget is spent and its last step was not scored, save, and say how it ended."""
        complete = self.is_complete
        if complete and self.scored != self.step:
            self._evaluate()
        self._save()
        return Finished(self.step, complete, self.scores)

    def _log(self) -> None:
        """Write means since the last line; stops the run if they are not finite."""
        now = time.monotonic()
        tokens = self.task.tokens - self.tokens_logged
        rate = tokens / max(now - self.logged_at, 1e-9)
        self.seconds += now - self.logged_at
        self.logged_at, self.tokens_logged = now, self.task.tokens
        if self.sums is None:
            return
        sums = self.team.total(self.sums).double().cpu()
        self.sums = None
        size = len(self.task.names)
        means = (sums[:size] / sums[size:].clamp(min=1)).tolist()
        line: dict[str, object] = {
            "step": self.step,
            "tokens": self.task.tokens,
            "seconds": round(self.seconds, 3),
            "tokens_per_second": round(rate, 1),
            "learning_rate": rate_at(self.step - 1, self.config),
            **dict(zip(self.task.names, means, strict=True)),
        }
        if not all(math.isfinite(value) for value in means):
            self._refuse()
        self._tell(line)
        if self.limits.report and self.team.leads:
            left = (self.config.steps - self.step) * self.seconds / max(1, self.step)
            done, total = self.step, self.config.steps
            self.limits.report(Progress(self.task.phase, 0, done, total, means[0], rate, left))

    def _tell(self, line: dict[str, object]) -> None:
        """Add a line to the curves."""
        if self.team.leads:
            self.run.log(line)
            for watch in self.watchers:
                watch(line)

    def _evaluate(self) -> None:
        """Score the held-out data; the clock of the training stands still meanwhile."""
        begun = time.monotonic()
        if self.team.leads:
            self.network.eval()
            with torch.inference_mode(), self.runtime.autocast():
                self.scores = self.task.evaluate(self.network)
            self._tell({"step": self.step, "tokens": self.task.tokens, **self.scores})
        self.scored = self.step
        spent = time.monotonic() - begun
        self.logged_at += spent

    def _save(self) -> None:
        """Write a checkpoint, unless this step has one or the weights are not finite."""
        self.saved_at = time.monotonic()
        if self.step == self.saved or not self.team.leads:
            return
        if not all(bool(p.isfinite().all()) for p in self.network.parameters()):
            self._refuse()
        seconds = self.seconds + time.monotonic() - self.logged_at
        state = {"seconds": seconds, **self.task.state()}
        self.run.save(self.step, self.network, self.optimizer, state)
        self.saved = self.step

    def _refuse(self) -> None:
        """Stop, naming the learning rate and the checkpoint that stays."""
        last = self.run.last
        raise TrainingError(
            "loss_not_finite",
            step=self.step,
            rate=f"{rate_at(max(0, self.step - 1), self.config):.3g}",
            kept=last or clause("none_yet"),
        )

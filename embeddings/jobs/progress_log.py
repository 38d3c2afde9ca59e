"""The progress of a command as lines of JSON, written by every command that shows a progress bar.

A line's ``loss`` is the mean since the line before it, weighted by the work done in between, so that no report is
lost; GloVe, which reports the mean since its iteration began, is taken apart again when read. What a resumed training
repeats replaces what it had said before.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from embeddings.jobs.job_answers import LossCurve
from embeddings.results import Progress
from embeddings.run_folder import append_line, read_json_lines

PAUSE = 0.25  # seconds between lines
TRAINING = {"train": "epoch", "glove": "iteration", "pretrain": "step"}
"""Phases that have a loss, and what they count."""


class ProgressLine(NamedTuple):
    """A report as it was written; NaN where a number is not known."""

    phase: str
    epoch: float
    done: float
    total: float
    loss: float
    per_second: float
    seconds_left: float

    @property
    def share(self) -> float:
        """Share of the pass or phase that was done."""
        return self.done / max(self.total, 1.0)

    @property
    def moment(self) -> tuple[float, float]:
        """Where in the training it was written."""
        return self.epoch, self.done


class ProgressLog:
    """Appends to a file, each line in one piece."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = -math.inf
        self.moment = ("", -1)
        self.done = 0
        self.nats = self.work = 0.0

    def add(self, at: Progress) -> None:
        """Take a report; write a line if one is due: at a phase's or pass's first and last report, and every `PAUSE`."""
        begins = (at.phase, at.epoch) != self.moment
        if begins:
            self.moment, self.done, self.nats, self.work = (at.phase, at.epoch), 0, 0.0, 0.0
        work = max(at.done - self.done, 0)
        self.done = at.done
        if math.isfinite(at.loss):
            self.nats, self.work = self.nats + at.loss * work, self.work + work
        now = time.monotonic()
        if begins or at.done >= at.total or now - self.written >= PAUSE:
            self._write(at)
            self.written, self.nats, self.work = now, 0.0, 0.0

    def _write(self, at: Progress) -> None:
        """Append one line."""
        loss = at.loss if at.phase == "glove" or not self.work else self.nats / self.work
        numbers = {"loss": loss, "per_second": at.per_second, "seconds_left": at.seconds_left}
        known = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        line = {"phase": at.phase, "epoch": at.epoch, "done": at.done, "total": at.total, **known}
        append_line(self.path, line)


def read_lines(path: Path) -> list[ProgressLine]:
    """Return the lines of a progress file; one that is being written, or is damaged, is left out."""
    lines = []
    for value in read_json_lines(path):
        try:
            numbers = [value[name] for name in ProgressLine._fields[1:]]
            known = [math.nan if number is None else float(number) for number in numbers]
            at = ProgressLine(str(value["phase"]), *known)
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
        if all(map(math.isfinite, (at.epoch, at.done, at.total))):
            lines.append(at)
    return lines


def lines_without_repeats(lines: Iterable[ProgressLine]) -> list[ProgressLine]:
    """Return the lines of the training itself, without what a resumed one repeated.

    Examples
    --------
    >>> line = lambda *place: ProgressLine("train", *place, 2, 1.0, 1.0, 1.0)
    >>> [l.done for l in lines_without_repeats([line(1, 1), line(1, 2), line(2, 1), line(2, 1), line(2, 2)])]
    [1, 2, 1, 2]
    """
    remaining: list[ProgressLine] = []
    for line in lines:
        if line.phase in TRAINING:
            while remaining and remaining[-1].moment >= line.moment:
                remaining.pop()
            remaining.append(line)
    return remaining


def curve_of(
    lines: Iterable[ProgressLine], means: Iterable[float] = (), heldout: Iterable[float] = ()
) -> LossCurve:
    """Return the curve that lines of progress tell.

    Parameters
    ----------
    lines : iterable of lines
        As `read_lines` returns them.
    means, heldout : iterable of float
        Mean loss of each whole pass, if known; that of the held-out text after each.
    """
    training = lines_without_repeats(lines)
    losses = np.array([_since(*pair) for pair in zip([None, *training], training, strict=False)])
    passes = [at.done if at.phase == "pretrain" else at.epoch - 1 + at.share for at in training]
    known, whole = np.isfinite(losses), np.array([*means], np.float64)
    return LossCurve(
        np.array(passes)[known],
        losses[known],
        np.arange(1, len(whole) + 1, dtype=np.float64),
        whole,
        TRAINING[training[0].phase] if training else "epoch",
        np.array([*heldout], np.float64),
    )


def _since(before: ProgressLine | None, line: ProgressLine) -> float:
    """Return the mean loss since the line before; GloVe's are means since the iteration began."""
    if line.phase != "glove" or before is None or before.epoch != line.epoch:
        return line.loss
    return (line.loss * line.done - before.loss * before.done) / (line.done - before.done)

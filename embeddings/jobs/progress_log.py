"""The progress of a command as lines of JSON, written by every command that shows a progress bar.

A line's ``loss`` is the mean since the line before it, weighted by the work done in between, so that no report is
lost; GloVe, which reports the mean since its iteration began, is taken apart again when read. What a resumed training
repeats replaces what it had said before.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from embeddings.errors import KlyuchError
from embeddings.files import parse_json
from embeddings.jobs.job_answers import LossCurve
from embeddings.results import Progress

PAUSE = 0.25  # seconds between lines
NUMBERS = ("epoch", "done", "total", "loss", "per_second", "seconds_left")
MAY_LACK = ("loss", "per_second", "seconds_left")
TRAINING = {"train": "epoch", "glove": "iteration", "pretrain": "step"}
"""Phases that have a loss, and what they count."""

ProgressLine = dict[str, float | str]


class ProgressLog:
    """Appends to a file, each line in one piece."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = -math.inf
        self.place = ("", -1)
        self.done = 0
        self.nats = self.work = 0.0

    def add(self, at: Progress) -> None:
        """Take a report; write a line if one is due: at a phase's or pass's first and last report, and every `PAUSE`."""
        begins = (at.phase, at.epoch) != self.place
        if begins:
            self.place, self.done, self.nats, self.work = (at.phase, at.epoch), 0, 0.0, 0.0
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
        line = {
            "phase": at.phase,
            "epoch": at.epoch,
            "done": at.done,
            "total": at.total,
            "loss": loss if math.isfinite(loss) else None,
            "per_second": at.per_second if math.isfinite(at.per_second) else None,
            "seconds_left": at.seconds_left if math.isfinite(at.seconds_left) else None,
            "at": round(time.time(), 3),
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def read_lines(path: Path) -> list[ProgressLine]:
    """Return the lines of a progress file; one that is being written is left out."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    lines: list[ProgressLine] = []
    for line in text.split("\n"):
        try:
            value = parse_json(line, path) if line else {}
        except KlyuchError:
            continue
        if _is_report(value):
            lines.append({key: math.nan if item is None else item for key, item in value.items()})
    return lines


def _is_report(value: Mapping[str, object]) -> bool:
    """Whether a line says what `ProgressLog` writes: a phase, and a finite number (or nothing) under each other name."""
    numbers = {name: value.get(name, "") for name in NUMBERS}
    return isinstance(value.get("phase"), str) and all(
        (number is None and name in MAY_LACK)
        or (isinstance(number, int | float) and math.isfinite(number))
        for name, number in numbers.items()
    )


def lines_without_repeats(lines: Iterable[ProgressLine]) -> list[ProgressLine]:
    """Return the lines of the training itself, without what a resumed one repeated.

    Examples
    --------
    >>> line = lambda epoch, done: {"phase": "train", "epoch": epoch, "done": done, "total": 2}
    >>> [l["done"] for l in lines_without_repeats([line(1, 1), line(1, 2), line(2, 1), line(2, 1), line(2, 2)])]
    [1, 2, 1, 2]
    """
    remaining: list[ProgressLine] = []
    for line in lines:
        if line.get("phase") not in TRAINING:
            continue
        while remaining and _position(remaining[-1]) >= _position(line):
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
    unit = TRAINING[str(training[0]["phase"])] if training else "epoch"
    positions: list[float] = []
    losses: list[float] = []
    before: ProgressLine | None = None
    for line in training:
        loss = float(line["loss"])
        if line["phase"] == "glove":
            loss = _since(before, line)
        if math.isfinite(loss):
            positions.append(_share(line))
            losses.append(loss)
        before = line
    whole = np.array([*means], np.float64)
    return LossCurve(
        np.array(positions),
        np.array(losses),
        np.arange(1, len(whole) + 1, dtype=np.float64),
        whole,
        unit,
        np.array([*heldout], np.float64),
    )


def _position(line: ProgressLine) -> tuple[float, float]:
    """Where in the training a line was said."""
    return float(line["epoch"]), float(line["done"])


def _share(line: ProgressLine) -> float:
    """Passes that were done: whole ones and the share of the one under way; of a pretraining, its steps."""
    if line["phase"] == "pretrain":
        return float(line["done"])
    return float(line["epoch"]) - 1 + float(line["done"]) / max(float(line["total"]), 1)


def _since(before: ProgressLine | None, line: ProgressLine) -> float:
    """Mean of GloVe's cost since the line before, from means since the iteration began."""
    loss, done = float(line["loss"]), float(line["done"])
    if before is None or before["epoch"] != line["epoch"] or done <= float(before["done"]):
        return loss
    earlier = float(before["done"])
    return (loss * done - float(before["loss"]) * earlier) / (done - earlier)

"""Programs timed in turn, round after round, with how busy the machine was before each round.

A round times every program once, one after the other, so that a busy moment meets them all. Before it the load average is noted, and in
a short pause how many cores others use. A round that begins on a busy machine is marked and made again, a bounded number of times.
Ratios are those of medians; their spread is that of the ratios within rounds.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PAUSE = 0.5  # seconds in which others are watched
OTHERS = 0.5  # cores that others may use in a quiet round
WAITED = 5.0  # seconds between two looks at a busy machine
FEWEST = 3  # quiet rounds from which on busy ones are left out

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Load:
    """How busy the machine was: the load average of a minute, and the cores that others used in a pause (None: not known)."""

    average: float
    others: float | None

    @property
    def is_busy(self) -> bool:
        """Whether a measurement that begins now is disturbed."""
        if self.others is None:
            return self.average > (os.cpu_count() or 1)
        return self.others > OTHERS


def read_load(pause: float = PAUSE) -> Load:
    """Return the load now; waits for ``pause`` seconds."""
    before, begun = _busy_seconds(), time.perf_counter()
    time.sleep(pause)
    after, taken = _busy_seconds(), time.perf_counter() - begun
    others = None if before is None or after is None else max(0.0, after - before) / taken
    return Load(os.getloadavg()[0], others)


def quiet_load(
    longest: float,
    load: Callable[[], Load] = read_load,
    rest: Callable[[float], object] = time.sleep,
) -> Load:
    """Return the load as soon as nobody else uses the machine; after ``longest`` seconds as it is then.

    ``load`` reads it, ``rest`` waits for some seconds between two readings.
    """
    waited, now = 0.0, load()
    while now.is_busy and waited < longest:
        rest(WAITED)
        waited += WAITED
        now = load()
    return now


def _busy_seconds() -> float | None:
    """Seconds that all cores together were busy since the start, for others on the same host too; None where it is not told."""
    try:
        line = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0]
        user, nice, system, _idle, _wait, interrupts, soft, steal = map(int, line.split()[1:9])
    except (OSError, ValueError):
        return None
    return (user + nice + system + interrupts + soft + steal) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Round:
    """One round: the load before it, and the figures of each program, ``seconds`` among them."""

    load: Load
    figures: dict[str, Figures]

    def row(self) -> dict[str, object]:
        """As plain values."""
        others = None if self.load.others is None else round(self.load.others, 2)
        return {
            "load_average": round(self.load.average, 1),
            "cores_used_by_others": others,
            "busy": self.load.is_busy,
            "seconds": {
                name: round(figures["seconds"], 4) for name, figures in self.figures.items()
            },
        }


@dataclass(frozen=True, slots=True)
class Timed:
    """Rounds of the same programs."""

    rounds: tuple[Round, ...]

    @property
    def counted(self) -> tuple[Round, ...]:
        """The quiet rounds if there are `FEWEST`, else all."""
        quiet = tuple(each for each in self.rounds if not each.load.is_busy)
        return quiet if len(quiet) >= min(FEWEST, len(self.rounds)) else self.rounds

    def median(self, name: str, key: str = "seconds") -> float:
        """The median of a program's figure over the rounds that count."""
        return statistics.median(each.figures[name][key] for each in self.counted)

    def medians(self, name: str) -> Figures:
        """The medians of all figures of a program."""
        return {key: self.median(name, key) for key in self.counted[0].figures[name]}

    def ratio(self, over: str, under: str, key: str = "seconds") -> float:
        """The median of the ratio of two programs' figures within each round."""
        return round(statistics.median(self._ratios(over, under, key)), 3)

    def ratio_quartiles(self, over: str, under: str, key: str = "seconds") -> list[float]:
        """Lower and upper quartile of the ratio within each round."""
        each = self._ratios(over, under, key)
        return [round(float(value), 3) for value in np.quantile(each, (0.25, 0.75))]

    def _ratios(self, over: str, under: str, key: str) -> list[float]:
        """Return the ratio within each round that counts."""
        return [each.figures[over][key] / each.figures[under][key] for each in self.counted]

    def load(self) -> dict[str, object]:
        """A summary for a table: median load average, rounds made, and how many of those that count began busy."""
        return load_summary([each.load for each in self.counted], rounds_made=len(self.rounds))

    def rows(self) -> list[dict[str, object]]:
        """Every round as plain values, those that do not count too."""
        return [each.row() for each in self.rounds]


def load_summary(loads: Sequence[Load], rounds_made: int | None = None) -> dict[str, object]:
    """Return median load average, rounds made and counted, and how many of the counted began on a busy machine."""
    return {
        "load_average": round(statistics.median(load.average for load in loads), 1),
        "rounds": rounds_made or len(loads),
        "rounds_counted": len(loads),
        "rounds_busy": sum(load.is_busy for load in loads),
    }


def in_turn(
    programs: Mapping[str, Callable[[], Figures]],
    rounds: int = 5,
    again: int | None = None,
    load: Callable[[], Load] = read_load,
) -> Timed:
    """Run every program in turn, ``rounds`` times.

    Parameters
    ----------
    programs : mapping
        What runs a program once and returns its figures, ``seconds`` among them.
    rounds : int
        Quiet rounds that are wanted.
    again : int, optional
        How many busy rounds are made again at most; as many as ``rounds`` if not given.
    load : callable
        Says how busy the machine is.
    """
    left = rounds if again is None else again
    finished: list[Round] = []
    quiet = 0
    while quiet < rounds and len(finished) < rounds + left:
        before = load()
        finished.append(Round(before, {name: run() for name, run in programs.items()}))
        quiet += not before.is_busy
    return Timed(tuple(finished))


def seconds_of(action: Callable[[], object]) -> Figures:
    """The seconds that a call takes."""
    begun = time.perf_counter()
    action()
    return {"seconds": time.perf_counter() - begun}

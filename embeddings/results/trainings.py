"""What a training says: its progress, its result; and the measured tables of an experiment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.results.display import Value

STATES = ("queued", "running", "done", "failed", "cancelled", "interrupted")
ALIVE = ("queued", "running")


class Job(Value):
    """A job as its folder and its process say it is at this moment.

    Attributes
    ----------
    steps : tuple of tuples of str
        Commands behind ``klyuch``, run one after another; none for a training, which ``call`` describes.
    finished : int
        How many of its `stages` have ended well.
    state : str
        One of `STATES`; "interrupted": its process was killed or the machine went down.
    name : str
        What the model is called on the shelf, "" for a job that brings none; once done, the name it got.
    passes : int
        Epochs, iterations or steps that the training takes; 0 where not known.
    ahead : int
        Jobs that it waits for.
    is_stopping : bool
        It was asked to stop and has not ended yet.
    exit_code : int or None
        Of the last command; below 0 the signal that killed it; None where nothing ended.
    watched : tuple of str
        Words whose neighbours somebody wants to see.
    expected : float
        Seconds that it was estimated to take, by the rates of the machine of the benchmarks; 0 where nobody did.
    call : mapping
        Arguments of `embeddings.train` that train the same; empty where the job trains no model. Earlier versions stored commands too.
    """

    job_id: str
    title: str
    method: str
    language: str
    corpus: str
    name: str
    created: str
    steps: tuple[tuple[str, ...], ...]
    passes: int
    folder: Path
    state: str
    finished: int = 0
    ahead: int = 0
    is_stopping: bool = False
    exit_code: int | None = None
    watched: tuple[str, ...] = ()
    expected: float = 0.0
    call: Mapping[str, object] = field(default_factory=dict)

    @property
    def stages(self) -> int:
        """How many processes it runs, one after another: a training, or its commands."""
        return len(self.steps) or int(bool(self.call))

    @property
    def is_alive(self) -> bool:
        """Whether it waits or runs."""
        return self.state in ALIVE


class JobProgress(Value):
    """How far a job is: ``share`` of the command under way in [0, 1], its ``epoch`` of ``passes``.

    ``loss`` and ``seconds_left`` are NaN where not known; ``per_second`` counts words, pairs or tokens.
    """

    step: int
    phase: str
    epoch: int
    passes: int
    share: float
    loss: float
    per_second: float
    seconds_left: float


class LossCurve(Value):
    """The training's own loss, nothing smoothed.

    Attributes
    ----------
    positions : NDArray of float64, shape (points,)
        Passes over the data (or steps) that were done when a loss was said.
    losses : NDArray of float64, shape (points,)
        Mean since the point before.
    passes, means : NDArray of float64, shape (whole passes,)
        The mean over each whole pass, as the trainer records it in its checkpoint.
    unit : str
        What ``positions`` count: "epoch", "iteration" or "step".
    heldout : NDArray of float64, shape (whole passes,) or (0,)
        The loss of text that nothing is learned from, after each pass; empty where none is held out.
    """

    positions: NDArray[np.float64]
    losses: NDArray[np.float64]
    passes: NDArray[np.float64]
    means: NDArray[np.float64]
    unit: str
    heldout: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


class Film(Value):
    """Words on one map, pass after pass.

    Attributes
    ----------
    words : tuple of str
    passes : tuple of int
        Whole passes (or steps) that were done at each frame; 0: the random start.
    coordinates : NDArray of float64, shape (frames, words, 2)
        All on the two components that PCA found in the last frame.
    explained_variance_ratio : tuple of float
        Share of the last frame's variance on each axis.
    unit : str
        "epoch", "iteration" or "step".
    """

    words: tuple[str, ...]
    passes: tuple[int, ...]
    coordinates: NDArray[np.float64]
    explained_variance_ratio: tuple[float, ...]
    unit: str


class TextPreview(Value):
    """What a text holds as words, counted in its first ``read`` of ``total`` bytes on disk.

    ``counts``: int64, falling, one a different word; ``common``: the commonest words with their counts;
    ``sentences``: the first lines split into words, next to what they were.
    """

    words: int
    counts: NDArray[np.int64]
    common: tuple[tuple[str, int], ...]
    sentences: tuple[tuple[str, tuple[str, ...]], ...]
    read: int
    total: int

    def vocabulary(self, min_count: int) -> int:
        """Return how many types occur at least ``min_count`` times."""
        return int(np.count_nonzero(self.counts >= min_count))

    def kept_tokens(self, min_count: int) -> int:
        """Return how many tokens these are."""
        return int(self.counts[self.counts >= min_count].sum())


class SpeedSample(Value):
    """A moment of training on this machine.

    Attributes
    ----------
    factor : float
        How much longer it took than by the rates of the benchmarks.
    words : int
        Words of text passed over, all passes together.
    seconds : float
        What that took.
    """

    factor: float
    words: int
    seconds: float


class Estimate(Value):
    """What a training will take: ``seconds``, ``memory`` and ``disk`` in bytes.

    ``by_benchmark``: seconds by the rates of the machine of the benchmarks; ``trainings``: how many of this machine corrected them;
    ``sample``: what was trained here for a moment and corrected them where no training had.
    """

    seconds: float
    memory: int
    disk: int
    by_benchmark: float = 0.0
    trainings: int = 0
    sample: SpeedSample | None = None


class TextStored(Value):
    """A text taken in: its folder, files, ``words`` not yet counted; ``size`` in bytes of plain text."""

    name: str
    folder: Path
    language: str
    files: tuple[str, ...]
    size: int


class Progress(Value):
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


Cell = str | float | int | None


class Column(Value):
    """A column of a table, of a name that no other column of it has.

    ``kind``: "term" (a code or a proper name), "text" (as it stands) or "number", written with ``digits``, 0 to 10. The unit
    belongs to the name: a column ``accuracy`` holds percent, ``seconds`` seconds, ``loss`` nats.
    """

    name: str
    kind: str = "number"
    digits: int = 0


class Table(Value):
    """Rows of as many cells as there are columns; None where nothing was measured."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Series(Value):
    """A line or a set of bars.

    ``x`` are numbers for lines, codes of the labels for bars; ``spread`` is a standard deviation next to each ``y`` or empty; a
    series that is not ``main`` waits in the legend.
    """

    name: str
    x: tuple[Cell, ...]
    y: tuple[float | None, ...]
    spread: tuple[float, ...] = ()
    main: bool = True


class Drawing(Value):
    """What is to be drawn: ``kind`` "lines", "dots" or "bars", codes of its axes, the series.

    Of bars and dots ``x`` names what they stand for, a row a name, ``y`` their length or place. ``reference`` is a value of y
    worth a line of its own (chance, equality); ``log`` makes the axis of values logarithmic.
    """

    name: str
    kind: str
    x: str
    y: str
    series: tuple[Series, ...]
    reference: float | None = None
    log: bool = False


class Measured(Value):
    """A number in a sentence, with the digits after the point that it is worth, 0 to 10."""

    value: float | None
    digits: int = 0


Numbers = tuple[tuple[str, float | tuple[float | None, ...] | None], ...]


class Claim(Value):
    """A claim of a source, checked against what was measured.

    Attributes
    ----------
    name : str
        Code of the claim; `app.wording` has its sentences.
    rule : str
        The rule that gives the verdict, one of `benchmarks.verdict_rules.RULES`.
    numbers : tuple of (str, number or numbers)
        Everything that the rule reads, bounds included: ``verdict == RULES[rule](**dict(numbers))``.
    verdict : str
        "yes", "no", "partly" (in some of the cases), or "open" where the numbers do not decide (too few of them, or a
        difference within chance).
    source : str
        Citation of the source of the claim; "" for a question of this project's own.
    published, ours : float, optional
        The source's value and the one measured here, in the same unit; None where there is no single comparable one.
    fields : tuple of (str, Measured or str)
        Numbers and codes that the sentence on the outcome needs: the claim's own sentence, or ``sentence``. Their names are
        identifiers, and neither "self" nor "key".
    """

    name: str
    rule: str
    numbers: Numbers
    verdict: str
    source: str = ""
    published: float | None = None
    ours: float | None = None
    fields: tuple[tuple[str, Measured | str], ...] = ()
    sentence: str = ""


class Experiment(Value):
    """An experiment as it was run: the one shape of ``benchmarks/results/*.json``.

    Attributes
    ----------
    name, question : str
    claims, tables, drawings : tuples
    commands : tuple of str
        What repeats it, in order; at least one.
    files : tuple of str
        The files of results that hold its measurements, as paths in the repository.
    commit, machine, created : str
        "" where it is not known; ``created`` is a date, as 2026-11-20.
    seconds : float, optional
        How long it took on that machine.
    short : bool
        True if this was a run of minutes that only shows that the experiment works.
    """

    name: str
    question: str
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    drawings: tuple[Drawing, ...]
    commands: tuple[str, ...]
    files: tuple[str, ...] = ()
    commit: str = ""
    machine: str = ""
    created: str = ""
    seconds: float | None = None
    short: bool = False

    @property
    def minutes(self) -> float | None:
        """How long it took, in minutes."""
        return None if self.seconds is None else self.seconds / 60

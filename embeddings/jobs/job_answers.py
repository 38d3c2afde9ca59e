"""What a job says: its state, its progress, its loss, the film of its vectors, what it will cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.results import Value

STATES = ("queued", "running", "done", "failed", "cancelled", "interrupted")
ALIVE = ("queued", "running")


class Job(Value):
    """A job as its folder and its process say it is at this moment.

    Attributes
    ----------
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
        Of its process; below 0 the signal that stopped it; None where it did not end by itself.
    watched : tuple of str
        Words whose neighbours somebody wants to see.
    function : str
        What of `embeddings` it calls; "" for a job that an earlier version stored as commands, which cannot be run again.
    call : mapping
        The arguments of the function; empty where an earlier version stored commands alone.
    """

    job_id: str
    title: str
    method: str
    language: str
    corpus: str
    name: str
    created: str
    passes: int
    folder: Path
    state: str
    ahead: int = 0
    is_stopping: bool = False
    exit_code: int | None = None
    watched: tuple[str, ...] = ()
    function: str = ""
    call: Mapping[str, object] = field(default_factory=dict)

    @property
    def run(self) -> Path:
        """The folder of its training: checkpoint and snapshots."""
        return self.folder / "run"

    @property
    def is_alive(self) -> bool:
        """Whether it waits or runs."""
        return self.state in ALIVE


class JobProgress(Value):
    """How far a job is: ``share`` of the phase under way in [0, 1], its ``epoch`` of ``passes``.

    ``loss`` and ``seconds_left`` are NaN where not known; ``per_second`` counts words, pairs or tokens.
    """

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

    ``sample``: what was trained here for a moment and corrected the rates of the machine of the benchmarks.
    """

    seconds: float
    memory: int
    disk: int
    sample: SpeedSample | None = None


class ComparisonSize(Value):
    """How much text two sides have, counted before anything is trained.

    Attributes
    ----------
    documents, tokens : tuple of two int
        Of either side; of a long text, about so many.
    common : NDArray of int64, shape (words of both sides,)
        How often each word of both stands on the side that has it less often; of a long text, in its beginning.
    undated : int
        Texts that were left out, since they have no year.
    is_whole : bool
        Whether both sides were counted to their ends.
    """

    documents: tuple[int, int]
    tokens: tuple[int, int]
    common: NDArray[np.int64]
    undated: int = 0
    is_whole: bool = True

    def measured(self, least: int) -> int:
        """Return how many words occur ``least`` times on both sides."""
        return int(np.count_nonzero(self.common >= least))

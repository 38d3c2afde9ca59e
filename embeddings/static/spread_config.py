"""The settings of a measured spread."""

from __future__ import annotations

from dataclasses import dataclass

from embeddings.configuration import check_fields, setting
from embeddings.vectors.run_spread import MOST_NEIGHBOURS, MOST_RUNS, MOST_WORDS

RESAMPLING = ("documents", "none")


@dataclass(frozen=True, slots=True)
class SpreadConfig:
    """How often a model is trained, on what, and what is kept of it."""

    runs: int = setting(10, "Trainings.", 1, MOST_RUNS)
    resample: str = setting(
        "documents",
        "documents: each run draws documents with replacement, under a seed of its own; none: only the seed differs.",
        choices=RESAMPLING,
    )
    among: int = setting(
        30_000, "Number of most frequent words that may be neighbours.", 2, MOST_WORDS
    )
    rows: int = setting(
        2_000, "Number of most frequent words whose neighbours are stored.", 1, MOST_WORDS
    )
    nearest: int = setting(12, "Number of neighbours stored for each.", 1, MOST_NEIGHBOURS)
    kept: int = setting(
        500, "Number of most frequent words whose vectors are stored for every run.", 0, MOST_WORDS
    )

    def __post_init__(self) -> None:
        check_fields(self)

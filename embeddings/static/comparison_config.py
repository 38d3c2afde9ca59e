"""The settings of a comparison of two sides."""

from __future__ import annotations

from dataclasses import dataclass

from embeddings.configuration import check_fields, setting


@dataclass(frozen=True, slots=True)
class ComparisonConfig:
    """What is measured, and how often the sides are trained again."""

    permutations: int = setting(
        20, "Times that documents are shuffled between the sides.", 3, 10_000
    )
    retrainings: int = setting(4, "Further trainings with other seeds.", 3, 1_000)
    least: int = setting(20, "Minimum count of a word on each side.", 1, 10**9)
    words: int = setting(5_000, "Number of most frequent words that are measured.", 5, 100_000)
    topn: int = setting(10, "Size of a neighbourhood.", 1, 1_000)

    def __post_init__(self) -> None:
        check_fields(self)

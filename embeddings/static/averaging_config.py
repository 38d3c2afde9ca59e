"""The settings of Word2Vec over a cluster."""

from __future__ import annotations

from dataclasses import dataclass

from embeddings.configuration import check_fields, setting


@dataclass(frozen=True, slots=True)
class AveragingConfig:
    """How the weights of parts that train at once are averaged."""

    parts: int = setting(4, "With --cluster: parts of the text that train at once.", 1, 1024)
    rounds: int = setting(4, "With --cluster: averages taken in an epoch.", 1, 10_000)

    def __post_init__(self) -> None:
        check_fields(self)

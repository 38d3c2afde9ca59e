"""Differences between networks with their standard errors: paired over the same held-out rows, then over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from embeddings.training.heldout import Scores

SURE = 2.0  # standard errors that a difference must be away from 0


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference and its standard error."""

    value: float
    standard_error: float

    def holds(self, least: float = 0.0) -> bool | str:
        """Whether it is above ``least``: true, false, or "unclear" within `SURE` standard errors."""
        away = self.value - least
        if abs(away) <= SURE * self.standard_error:
            return "unclear"
        return away > 0

    def row(self) -> dict[str, Any]:
        """As plain values."""
        return {"value": round(self.value, 5), "standard_error": round(self.standard_error, 5)}


def loss_difference(
    one: Sequence[Scores], other: Sequence[Scores], kinds: Sequence[int]
) -> Difference:
    """Losses of ``one`` less those of ``other`` over the same rows, paired chunk by chunk; means over seeds.

    Parameters
    ----------
    kinds : sequence of int
        Which sums are added: 0 the tokens' loss, 1 tokens right, 2 the pairs' loss, 3 pairs right.
    """
    return _over_seeds([_paired(a, b, kinds) for a, b in zip(one, other, strict=True)])


def _paired(one: Scores, other: Scores, kinds: Sequence[int]) -> Difference:
    """Of one seed: the mean difference of chunks, weighted by what was scored in them."""
    total = 0.0
    each = np.zeros(len(one.sums))
    for kind in kinds:
        count = one.sums[:, 4 + kind]
        gap = one.sums[:, kind] - other.sums[:, kind]
        total += gap.sum() / count.sum()
        each += (gap - count * gap.sum() / count.sum()) / count.sum()
    chunks = len(each)
    square = float((each**2).sum()) * chunks / max(1, chunks - 1)
    return Difference(float(total), math.sqrt(square))


def _over_seeds(found: Sequence[Difference]) -> Difference:
    """The mean over seeds; its error is the larger of the seeds' spread and the test set's own."""
    values = np.array([one.value for one in found])
    own = math.sqrt(sum(one.standard_error**2 for one in found)) / len(found)
    spread = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return Difference(float(values.mean()), max(own, spread))

"""One pass over texts: in random order, those of like lengths in one batch, so that little of it is padding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def plan_pass(lengths: Sequence[int], size: int, seed: Sequence[int]) -> list[list[int]]:
    """Return the rows of each batch of ``size`` texts, decided by the seed alone.

    Examples
    --------
    >>> sorted(plan_pass([3, 9, 3, 9], 2, (1, 0)))[0] in ([0, 2], [2, 0])
    True
    """
    generator = np.random.default_rng(list(seed))
    order = generator.permutation(len(lengths))
    order = order[np.argsort(np.asarray(lengths)[order], kind="stable")]
    parts = [order[start : start + size].tolist() for start in range(0, len(order), size)]
    return [parts[i] for i in generator.permutation(len(parts))]

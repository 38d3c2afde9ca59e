"""How exact a share is that was counted over a sample."""

from __future__ import annotations

import math


def standard_error(share: float, count: int) -> float:
    """Return the standard error of a share that was counted over ``count`` independent trials.

    Parameters
    ----------
    share : float
        In [0, 1].
    count : int
        At least 1.

    Examples
    --------
    >>> standard_error(0.5, 10_000)
    0.005
    """
    return math.sqrt(share * (1 - share) / count)

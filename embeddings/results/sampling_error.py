"""How exact a share is that was counted over a sample, and whether it differs from one half."""

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


def sign_test(successes: int, count: int) -> float:
    """Return the two-sided p value of so many successes in independent trials that succeed by chance in one of two.

    The exact binomial test; 1 for no trials.

    Parameters
    ----------
    successes : int
        From 0 to ``count``.
    count : int
        Trials without ties.

    Examples
    --------
    >>> sign_test(6, 6)
    0.03125
    """
    extreme = max(successes, count - successes)
    tail = sum(math.comb(count, number) for number in range(extreme, count + 1))
    return min(1.0, float(2 * tail / 2**count))

"""The logistic function and its loss over the lanes of a register, in float32.

Exponential and logarithm are Cephes' polynomials (Moshier), within 2e-7 of the exact values: a
call into the mathematics library cannot be vectorised and would cost more than the dot products.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from embeddings.static.kernels.lanes import (
    clip,
    exponent,
    fma,
    mantissa,
    nearest,
    power_of_two,
    splat,
)

_F = np.float32


@njit(nogil=True, inline="always")
def exp(x: Any) -> Any:
    """Return e to the x, lane by lane, for |x| <= 80; relative error 2e-7."""
    n = nearest(x * splat(_F(1.44269504)))
    r = fma(n, splat(_F(-0.693359375)), x)
    r = fma(n, splat(_F(2.12194440e-4)), r)
    p = splat(_F(1.9875691500e-4))
    p = fma(p, r, splat(_F(1.3981999507e-3)))
    p = fma(p, r, splat(_F(8.3334519073e-3)))
    p = fma(p, r, splat(_F(4.1665795894e-2)))
    p = fma(p, r, splat(_F(1.6666665459e-1)))
    p = fma(p, r, splat(_F(5.0000001201e-1)))
    return fma(p, r * r, r + splat(_F(1.0))) * power_of_two(n)


@njit(nogil=True, inline="always")
def log(x: Any) -> Any:
    """Return the natural logarithm, lane by lane, for positive normal numbers.

    The error is below 2e-7 of the greater of 1 and the result.
    """
    m = mantissa(x) - splat(_F(1.0))
    p = splat(_F(7.0376836292e-2))
    p = fma(p, m, splat(_F(-1.1514610310e-1)))
    p = fma(p, m, splat(_F(1.1676998740e-1)))
    p = fma(p, m, splat(_F(-1.2420140846e-1)))
    p = fma(p, m, splat(_F(1.4249322787e-1)))
    p = fma(p, m, splat(_F(-1.6668057665e-1)))
    p = fma(p, m, splat(_F(2.0000714765e-1)))
    p = fma(p, m, splat(_F(-2.4999993993e-1)))
    p = fma(p, m, splat(_F(3.3333331174e-1)))
    z = m * m
    p = fma(p * m, z, fma(splat(_F(-0.5)), z, m))
    return fma(exponent(x), splat(_F(0.69314718)), p)


@njit(nogil=True, inline="always")
def wrong_odds(scores: Any) -> Any:
    """Return the odds (1 - p) / p against the right answer, p = logistic(score).

    Scores beyond 80 count as 80, NaN as -80.
    """
    return exp(clip(splat(_F(-1.0)) * scores, splat(_F(80.0))))

"""Shares in percent as Plotly cannot write them: with a space, and the comma of the language."""

from __future__ import annotations

import math

STEPS = (1, 2, 5)  # times a power of ten: ticks that are easily read
TICKS = 5  # ticks behind 0 at most
SPACE = "\N{NO-BREAK SPACE}"


def percent(share: float, digits: int = 0, separators: str = ".,") -> str:
    r"""Return a share in percent.

    Examples
    --------
    >>> percent(0.125, 1, ",.")
    '12,5\xa0%'
    """
    return f"{100 * share:.{digits}f}{SPACE}%".replace(".", separators[0])


def share_ticks(most: float, separators: str = ".,") -> dict[str, list[float] | list[str]]:
    r"""Return where an axis from 0 to ``most`` has its ticks, and what stands at them.

    Examples
    --------
    >>> share_ticks(0.1)["ticktext"]
    ['0\xa0%', '2\xa0%', '4\xa0%', '6\xa0%', '8\xa0%', '10\xa0%']
    """
    if not most > 0:
        return {"tickvals": [0.0], "ticktext": [percent(0.0)]}
    power = math.floor(math.log10(100 * most / TICKS))
    steps = (factor * 10.0**exponent for exponent in (power, power + 1) for factor in STEPS)
    step = next(step for step in steps if TICKS * step >= 100 * most * (1 - 1e-9))
    places = [step * number / 100 for number in range(int(100 * most / step * (1 + 1e-9)) + 1)]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return {
        "tickvals": places,
        "ticktext": [percent(place, digits, separators) for place in places],
    }

"""How well a colour is read on a ground: the contrast ratio of WCAG 2.2, and colours moved until it is enough."""

from __future__ import annotations

import re
from functools import lru_cache

RGB = tuple[float, float, float]
ENOUGH = 4.5  # of text that is not large (WCAG 2.2, success criterion 1.4.3)
STEPS = 20  # in which a colour is moved towards another


def parse_colour(colour: str) -> tuple[RGB, float]:
    """Return red, green, blue in [0, 255] and opacity of ``#rrggbb``, ``#rgb``, ``rgb()`` or ``rgba()``.

    Examples
    --------
    >>> parse_colour("rgba(0, 114, 178, 0.5)")
    ((0.0, 114.0, 178.0), 0.5)
    """
    if colour.startswith("#"):
        digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
        red, green, blue = (int(digits[start : start + 2], 16) for start in (0, 2, 4))
        return (float(red), float(green), float(blue)), 1.0
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour)]
    return (numbers[0], numbers[1], numbers[2]), numbers[3] if len(numbers) > 3 else 1.0


def blend(colour: str, ground: str) -> str:
    """Return the opaque colour that is seen where ``colour`` lies on the opaque ``ground``.

    Examples
    --------
    >>> blend("rgba(0, 0, 0, 0.5)", "#ffffff")
    '#808080'
    """
    above, opacity = parse_colour(colour)
    below, _ = parse_colour(ground)
    mixed = (opacity * a + (1 - opacity) * b for a, b in zip(above, below, strict=True))
    return "#" + "".join(f"{int(part + 0.5):02x}" for part in mixed)


def luminance(colour: str) -> float:
    """Return the relative luminance of an opaque colour, in [0, 1]."""
    levels = [level / 255 for level in parse_colour(colour)[0]]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in levels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two opaque colours, in [1, 21].

    Examples
    --------
    >>> contrast("#000000", "#ffffff")
    21.0
    """
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@lru_cache(maxsize=1024)
def readable(colour: str, ground: str, ink: str) -> str:
    """Return a colour moved towards ``ink`` until it is read well on ``ground``; as it is where it is."""
    opaque = blend(colour, ground)
    if contrast(opaque, ground) >= ENOUGH:
        return colour
    red, green, blue = parse_colour(ink)[0]
    for step in range(1, STEPS + 1):
        moved = blend(f"rgba({red:.0f}, {green:.0f}, {blue:.0f}, {step / STEPS})", opaque)
        if contrast(moved, ground) >= ENOUGH:
            return moved
    return ink

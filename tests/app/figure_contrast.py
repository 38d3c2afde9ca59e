"""Which texts of a figure are hard to read: the contrast of each with what lies behind it, by WCAG 2.2."""

import re
from itertools import pairwise

import numpy as np

from app.figures import palette
from app.figures.palette import DARK, LIGHT

# by whether the theme is dark
GROUNDS = {False: palette.GROUNDS[DARK], True: palette.GROUNDS[LIGHT]}
ENOUGH = 4.5  # of text that is not large (WCAG 2.2, success criterion 1.4.3)


def parse_colour(colour):
    """Red, green, blue in [0, 255] and opacity of ``#rrggbb``, ``#rgb``, ``rgb()`` or ``rgba()``."""
    if colour.startswith("#"):
        digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
        return tuple(float(int(digits[start : start + 2], 16)) for start in (0, 2, 4)), 1.0
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour)]
    return tuple(numbers[:3]), numbers[3] if len(numbers) > 3 else 1.0


def blend(colour, ground):
    """The opaque colour that is seen where ``colour`` lies on the opaque ``ground``."""
    above, opacity = parse_colour(colour)
    below, _ = parse_colour(ground)
    mixed = (opacity * a + (1 - opacity) * b for a, b in zip(above, below, strict=True))
    return "#" + "".join(f"{int(part + 0.5):02x}" for part in mixed)


def luminance(colour):
    """The relative luminance of an opaque colour, in [0, 1]."""
    levels = [level / 255 for level in parse_colour(colour)[0]]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in levels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour, ground):
    """Contrast ratio of a colour that may let an opaque ground through, in [1, 21]."""
    light, dark = sorted((luminance(blend(colour, ground)), luminance(ground)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def shade(scale, share):
    """Colour of a share in [0, 1] on a scale of stops, mixed linearly as Plotly does."""
    share = min(1.0, max(0.0, share))
    for (low, first), (high, second) in pairwise(scale):
        if low <= share <= high and high > low:
            weight = (share - low) / (high - low)
            ends = [
                np.array([*rgb, opacity]) for rgb, opacity in map(parse_colour, (first, second))
            ]
            return "rgba({:f}, {:f}, {:f}, {:f})".format(*(1 - weight) * ends[0] + weight * ends[1])
    return scale[-1][1]


def unreadable(figure, dark):
    """Texts whose contrast is below `ENOUGH`, each as a sentence; ``figure`` is inked for the theme."""
    drawn = figure.to_plotly_json()
    layout, ground = drawn["layout"], GROUNDS[dark]
    ink = layout["font"]["color"]
    complaints = [
        f"{name} {colour} on the ground: {contrast(colour, ground):.1f}"
        for name, colour in [("font", ink), *fonts(layout, ""), *fonts(drawn["data"], "")]
        if contrast(colour, ground) < ENOUGH
    ]
    for trace in figure.data:
        has_text = trace.type == "bar" and trace.text is not None
        if has_text and trace.textposition not in ("outside", "none"):
            complaints.append("a text inside its bar takes a colour that nobody chose")
        if trace.type == "heatmap":
            complaints += in_cells(trace, layout, ink, ground)
    return complaints


def fonts(part, name):
    """Every colour of a font below a part of a figure, but those of whole traces' cells."""
    if isinstance(part, dict):
        if name.endswith("font") and isinstance(part.get("color"), str):
            yield name, part["color"]
        for inner, value in part.items():
            if inner != "template":
                yield from fonts(value, inner)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from fonts(value, name)


def in_cells(trace, layout, ink, ground):
    """Texts in a heatmap's cells: its own, and notes that lie on a cell."""
    z = np.array([[np.nan if v is None else v for v in row] for row in trace.z], dtype=float)
    low = np.nanmin(z) if trace.zmin is None else trace.zmin
    high = np.nanmax(z) if trace.zmax is None else trace.zmax
    across = list(range(z.shape[1]) if trace.x is None else trace.x)
    down = list(range(z.shape[0]) if trace.y is None else trace.y)
    own = trace.textfont.color
    complaints = []
    if trace.texttemplate and not own:
        complaints.append("texts in cells have no colour of their own")
    colours = {}
    for row, column in np.argwhere(np.isfinite(z)) if trace.texttemplate else ():
        colours[row, column] = own or ink
    for note in layout.get("annotations", ()):
        if note.get("x") in across and note.get("y") in down and note.get("text"):
            place = down.index(note["y"]), across.index(note["x"])
            colours[place] = note.get("font", {}).get("color", ink)
    for place, colour in colours.items():
        if not np.isfinite(z[place]):
            continue
        behind = blend(shade(trace.colorscale, (z[place] - low) / (high - low or 1)), ground)
        found = contrast(colour, behind)
        if found < ENOUGH:
            complaints.append(f"{colour} in the cell {place} of {z[place]:.2f}: {found:.1f}")
    return complaints

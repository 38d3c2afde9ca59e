"""Which texts of a figure are hard to read: the contrast of each with what lies behind it, by WCAG 2.2."""

import re
from itertools import pairwise

import numpy as np

GROUNDS = {False: "#fffefb", True: "#17171a"}  # light, dark
MIN_CONTRAST = 4.5


def rgba(colour):
    """Red, green, blue in [0, 1] and opacity."""
    if colour.startswith("#"):
        return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)] + [1.0]
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour)]
    return [*(number / 255 for number in numbers[:3]), numbers[3] if len(numbers) > 3 else 1.0]


def over(colour, ground):
    """What is seen of a colour on an opaque ground, both as red, green, blue (and opacity)."""
    parts = np.array(colour)
    return parts[3] * parts[:3] + (1 - parts[3]) * np.array(ground[:3])


def contrast(first, second):
    """Contrast ratio of two opaque colours, red, green, blue in [0, 1]."""

    def luminance(parts):
        parts = np.asarray(parts[:3], float)
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def shade(scale, share):
    """Colour of a share in [0, 1] on a scale of stops, mixed linearly as Plotly does."""
    share = min(1.0, max(0.0, share))
    for (low, first), (high, second) in pairwise(scale):
        if low <= share <= high and high > low:
            weight = (share - low) / (high - low)
            mixed = zip(rgba(first), rgba(second), strict=True)
            return [(1 - weight) * a + weight * b for a, b in mixed]
    return rgba(scale[-1][1])


def unreadable(figure, dark):
    """Texts whose contrast is below `MIN_CONTRAST`, each as a sentence; ``figure`` is inked for the theme."""
    drawn = figure.to_plotly_json()
    layout, ground = drawn["layout"], rgba(GROUNDS[dark])
    ink = layout["font"]["color"]
    complaints = [
        f"{name} {colour} on the ground: {contrast(rgba(colour), ground):.1f}"
        for name, colour in [("font", ink), *fonts(layout, ""), *fonts(drawn["data"], "")]
        if contrast(over(rgba(colour), ground), ground) < MIN_CONTRAST
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
        behind = over(shade(trace.colorscale, (z[place] - low) / (high - low or 1)), ground)
        found = contrast(rgba(colour), behind)
        if found < MIN_CONTRAST:
            complaints.append(f"{colour} in the cell {place} of {z[place]:.2f}: {found:.1f}")
    return complaints

"""Colours that colour-blind people can tell apart (Okabe and Ito), and the ink of a theme.

A colour has one meaning on a page. A method has the same colour on every page, and so has a word
(`word_colours`), in a colour that no method has. Text takes the theme's colour.
Plotly reads text as HTML: `escape_label` escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from html import escape
from typing import Any
from zlib import crc32

from app.figures.plain_figure import Figure, merge

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW, GREY = "#E69F00", "#56B4E9", "#C9B400", "#8A8A8A"
CATEGORIES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, YELLOW, GREY)
WINE = "#882255"
BROWN, INDIGO = "#A0675A", "#7A6FD0"  # what is no method, no word asked for and no category
OTHERS = (SKY, YELLOW, BROWN, INDIGO)  # of words and groups beside models in their methods' colours
QUERY = ORANGE  # the word asked for, on a map coloured by method
METHODS = {"skipgram": BLUE, "cbow": VERMILION, "glove": GREEN, "bert": PURPLE, "fasttext": WINE}
FALL = ((0.0, "#D9C9A3"), (0.5, "#C08A2E"), (1.0, "#5A3200"))  # from rare to frequent
OCHRE_SHADES = ((0.0, "rgba(138,90,0,0)"), (1.0, "rgba(138,90,0,0.6)"))
BLUE_SHADES = ((0.0, "rgba(0,114,178,0)"), (1.0, "rgba(0,114,178,0.75)"))
BOTH_WAYS = (  # fading into the ground of the theme, so that its ink is read on every shade
    (0.0, "rgba(0,114,178,0.75)"),
    (0.5, "rgba(0,114,178,0)"),
    (0.5, "rgba(213,94,0,0)"),
    (1.0, "rgba(213,94,0,0.75)"),
)
DARK, LIGHT = "#22201c", "#ecebe6"  # ink
GROUNDS = {DARK: "#fffefb", LIGHT: "#17171a"}  # of the themes, as app/.streamlit/config.toml
PAPER = {"ink": DARK, "ground": "#ffffff"}  # of a saved figure, whatever the screen's theme

escape_label = partial(escape, quote=False)  # three-dimensional labels show &#x27; as it stands


def method_colour(method: str) -> str:
    """Return the colour of a method, that of all others for one that is not known."""
    return METHODS.get(method, SKY)


def model_colours(methods: Sequence[str]) -> list[str]:
    """Return a colour for each of several models by their methods, all different while there are colours.

    The first model of a method has the method's colour; the others take colours that no model has.
    """
    first = {method: number for number, method in reversed(list(enumerate(methods)))}
    colours = {n: METHODS[m] for m, n in first.items() if m in METHODS}
    rest = [c for c in (SKY, YELLOW, *METHODS.values(), BROWN, INDIGO) if c not in colours.values()]
    others = [number for number in range(len(methods)) if number not in colours]
    colours |= {number: rest[at % len(rest)] for at, number in enumerate(others)}
    return [colours[number] for number in range(len(methods))]


def word_colours(words: Sequence[str]) -> dict[str, str]:
    """Return a word's own colour for each, moved on only where two of the words meet."""
    colours: dict[str, str] = {}
    for word in words:
        start = crc32(word.encode()) % len(OTHERS)
        cycle = [OTHERS[(start + i) % len(OTHERS)] for i in range(len(OTHERS))]
        free = [colour for colour in cycle if colour not in colours.values()]
        colours.setdefault(word, (free or cycle)[0])
    return colours


def end_labels(left: str, right: str) -> list[dict[str, object]]:
    """Return annotations that name the two ends of an axis above the plot."""
    common = {"y": 1, "xref": "paper", "yref": "paper", "yanchor": "bottom", "showarrow": False}
    ends = ((left, 0, "left"), (right, 1, "right"))
    return [
        {**common, "text": f"<b>{escape(text)}</b>", "x": x, "xanchor": side, "font": {"size": 15}}
        for text, x, side in ends
    ]


def ink(figure: Figure, dark: bool) -> Figure:
    """Return a figure with every text in the ink of the theme, or in what is read of its own colour on that ground."""
    colour = LIGHT if dark else DARK
    ground = GROUNDS[colour]
    inked = figure.copy()
    _darken_fonts(inked, colour, ground)
    hover = {"bgcolor": ground, "bordercolor": GREY, "font": {"color": colour}}
    legend = {"font": {"color": colour, "size": 13}}
    inked.update_layout(hoverlabel=hover, font={"color": colour}, legend=legend)
    words = _fonts_of_words(colour)
    inked.update_xaxes(**words)
    inked.update_yaxes(**words)
    if "colorbar" in inked.layout.get("coloraxis", {}):
        inked.update_layout(coloraxis={"colorbar": words})
    return inked


def _fonts_of_words(colour: str) -> dict[str, Any]:
    """Return the colours of an axis' or colour bar's numbers and title."""
    return {"tickfont": {"color": colour}, "title": {"font": {"color": colour}}}


def _darken_fonts(figure: Figure, colour: str, ground: str) -> None:
    """Give titles, notes and texts in cells the ink, or their own colour made readable."""
    for part in (figure.layout.setdefault("title", {}), *figure.layout.get("annotations", ())):
        given = part.get("font", {}).get("color")
        merge(part, {"font": {"color": readable(given, ground, colour) if given else colour}})
    for trace in figure.data:
        if trace["type"] == "heatmap":
            merge(trace, {"textfont": {"color": colour}, "colorbar": _fonts_of_words(colour)})


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

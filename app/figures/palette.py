"""Colours that colour-blind people can tell apart (Okabe and Ito), and the ink of a theme.

A colour has one meaning on a page. A method has the same colour on every page; words have colours (`OTHERS`) that no method has.
Text takes the theme's colour.
Plotly reads text as HTML: `escape_label` escapes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape

from app.figures.plain_figure import Figure, merge
from embeddings.method_registry import METHODS

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW, GREY = "#E69F00", "#56B4E9", "#C9B400", "#8A8A8A"
CATEGORIES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, YELLOW, GREY)
WINE = "#882255"
BROWN, INDIGO = "#A0675A", "#7A6FD0"  # what is no method, no word asked for and no category
OTHERS = (SKY, YELLOW, BROWN, INDIGO)  # of words and groups beside models in their methods' colours
QUERY = ORANGE  # the word asked for, on a map coloured by method
COLOURS = dict(blue=BLUE, vermilion=VERMILION, green=GREEN, purple=PURPLE, wine=WINE)
METHOD_COLOURS = {name: COLOURS[method.colour] for name, method in METHODS.items() if method.colour}
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
    return METHOD_COLOURS.get(method, SKY)


def model_colours(methods: Sequence[str]) -> list[str]:
    """Return a colour for each of several models by their methods, all different while there are colours.

    The first model of a method has the method's colour; the others take colours that no model has.
    """
    first = {method: number for number, method in reversed(list(enumerate(methods)))}
    colours = {n: METHOD_COLOURS[m] for m, n in first.items() if m in METHOD_COLOURS}
    rest = [c for c in (SKY, YELLOW, *COLOURS.values(), BROWN, INDIGO) if c not in colours.values()]
    others = [number for number in range(len(methods)) if number not in colours]
    colours |= {number: rest[at % len(rest)] for at, number in enumerate(others)}
    return [colours[number] for number in range(len(methods))]


def end_labels(left: str, right: str) -> list[dict[str, object]]:
    """Return annotations that name the two ends of an axis above the plot."""
    common = {"y": 1, "xref": "paper", "yref": "paper", "yanchor": "bottom", "showarrow": False}
    ends = ((left, 0, "left"), (right, 1, "right"))
    return [
        {**common, "text": f"<b>{escape(text)}</b>", "x": x, "xanchor": side, "font": {"size": 15}}
        for text, x, side in ends
    ]


def ink(figure: Figure, dark: bool) -> Figure:
    """Return a figure with every text in the ink of the theme."""
    colour = LIGHT if dark else DARK
    font = {"font": {"color": colour}}
    words = {"tickfont": font["font"], "title": font}  # of an axis or a colour bar
    inked = figure.copy()
    hover = {"bgcolor": GROUNDS[colour], "bordercolor": GREY, **font}
    legend = {"font": {"color": colour, "size": 13}}
    inked.update_layout(hoverlabel=hover, **font, legend=legend, title=font)
    inked.update_annotations(**font)
    inked.update_xaxes(**words)
    inked.update_yaxes(**words)
    if "colorbar" in inked.layout.get("coloraxis", {}):
        inked.update_layout(coloraxis={"colorbar": words})
    for trace in inked.data:
        if trace["type"] == "heatmap":
            merge(trace, {"textfont": font["font"], "colorbar": words})
    return inked

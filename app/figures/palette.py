"""Colours that colour-blind people can tell apart (Okabe and Ito), and the common look.

A method has the same colour on every page, and so has a word within a session of figures
(`word_colours`). Text takes the theme's colour.
Plotly reads text as HTML: `escape_label` escapes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from zlib import crc32

import plotly.graph_objects as go

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW, GREY = "#E69F00", "#56B4E9", "#C9B400", "#8A8A8A"
CATEGORIES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, YELLOW, GREY)
QUERY = ORANGE  # the word asked for, on a map coloured by method
METHODS = {"skipgram": BLUE, "cbow": VERMILION, "glove": GREEN, "bert": PURPLE}
FALL = ((0.0, "#D9C9A3"), (0.5, "#C08A2E"), (1.0, "#5A3200"))  # from rare to frequent
BLUE_SHADES = ((0.0, "rgba(0,114,178,0)"), (1.0, "rgba(0,114,178,0.75)"))
BOTH_WAYS = ((0.0, BLUE), (0.5, "#F3F0E8"), (1.0, VERMILION))
DARK, LIGHT = "#22201c", "#ecebe6"  # ink
PAPER = {"ink": DARK, "ground": "#ffffff"}  # of a saved figure, whatever the screen's theme
GRID = "rgba(138,138,138,0.22)"

escape_label = partial(escape, quote=False)  # three-dimensional labels show &#x27; as it stands


def method_colour(method: str, index: int = 0) -> str:
    """Return the colour of a method; other models take the colours that are left."""
    remaining = (SKY, YELLOW, ORANGE, GREY)
    return METHODS.get(method, remaining[index % len(remaining)])


def word_colours(words: Sequence[str]) -> dict[str, str]:
    """Return a word's own colour for each, moved on only where two of the words meet."""
    colours: dict[str, str] = {}
    for word in words:
        start = crc32(word.encode()) % len(CATEGORIES)
        cycle = [CATEGORIES[(start + i) % len(CATEGORIES)] for i in range(len(CATEGORIES))]
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


def ink(figure: go.Figure, dark: bool) -> go.Figure:
    """Give every text of a figure the ink of the theme, darker than a theme's usual grey."""
    colour = LIGHT if dark else DARK
    figure.update_layout(font={"color": colour}, legend={"font": {"color": colour, "size": 13}})
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(tickfont={"color": colour}, title={"font": {"color": colour}})
    if figure.layout.coloraxis.colorbar.tickvals:
        bar = {"tickfont": {"color": colour}, "title": {"font": {"color": colour}}}
        figure.update_layout(coloraxis={"colorbar": bar})
    return figure


def lay_out(figure: go.Figure, height: int, separators: str = ".,") -> go.Figure:
    """Give a figure the common look and return it."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        showlegend=False,
        separators=separators,
        hoverlabel={"font": {"size": 13}},
        font={"size": 13},
        dragmode="pan",
    )
    figure.update_xaxes(gridcolor=GRID, zerolinecolor=GRID, automargin=True)
    figure.update_yaxes(gridcolor=GRID, zerolinecolor=GRID, automargin=True)
    return figure

"""What a network puts in the blank: probabilities as bars, and what each layer would say."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from app.figures.palette import BLUE, VERMILION, lay_out
from embeddings.results.contexts import FilledMask

SHADES = ((0.0, "rgba(0,114,178,0)"), (1.0, "rgba(0,114,178,0.75)"))
RANKS = 5  # guesses of a layer that are shown


def bars_figure(filled: FilledMask, axis: str, separators: str = ".,", topn: int = 10) -> go.Figure:
    """Draw the likeliest words of the last layer; the hidden word in vermilion, below if it is not among them.

    Parameters
    ----------
    filled : FilledMask
        ``asked`` holds the hidden word, if there was one.
    axis : str
        Title of the axis.
    separators : str
        Decimal and thousands separator.
    topn : int
        Bars at most, the hidden word's not counted.
    """
    rows = [(guess.token, guess.probability) for guess in filled.guesses[:topn]]
    hidden = {asked.word for asked in filled.asked}
    rows += [
        (asked.word, asked.probability)
        for asked in filled.asked
        if asked.word not in {word for word, _ in rows}
    ]
    figure = go.Figure(
        go.Bar(
            x=[probability for _, probability in rows],
            y=list(range(len(rows))),
            orientation="h",
            marker={"color": [VERMILION if word in hidden else BLUE for word, _ in rows]},
            text=[_percent(probability, separators) for _, probability in rows],
            textposition="outside",
            cliponaxis=False,
            customdata=[escape(word) for word, _ in rows],
            hovertemplate="%{customdata}<br>%{x:.6f}<extra></extra>",
        )
    )
    lay_out(figure, 70 + 30 * len(rows), separators)
    most = max((probability for _, probability in rows), default=1.0)
    figure.update_layout(margin={"l": 8, "r": 56, "t": 8, "b": 48}, bargap=0.3)
    figure.update_xaxes(
        title=escape(axis), tickformat=".0%" if most >= 0.05 else ".1%", fixedrange=True,
        range=[0, most * 1.06],
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(len(rows))), ticktext=[escape(word) for word, _ in rows],
        range=[len(rows) - 0.5, -0.5], tickfont={"size": 15}, fixedrange=True, showgrid=False,
    )  # fmt: skip
    return figure


def layers_figure(filled: FilledMask, names: Sequence[str], separators: str = ".,") -> go.Figure:
    """Draw what each layer would say, a row a layer, the likeliest first; the darker, the surer.

    Parameters
    ----------
    filled : FilledMask
    names : sequence of str
        One a layer, the embedding output first.
    separators : str
        Decimal and thousands separator.
    """
    layers = [layer[:RANKS] for layer in filled.by_layer]
    ranks = [str(rank + 1) for rank in range(max(map(len, layers)))]
    figure = go.Figure(
        go.Heatmap(
            z=[[guess.probability for guess in layer] for layer in layers],
            x=ranks,
            y=list(range(len(layers))),
            text=[[escape(guess.token) for guess in layer] for layer in layers],
            colorscale=SHADES,
            zmin=0,
            zmax=max(0.2, *(guess.probability for layer in layers for guess in layer)),
            showscale=False,
            xgap=3,
            ygap=3,
            hovertemplate="%{text}<br>%{z:.4f}<extra></extra>",
        )
    )
    lay_out(figure, 50 + 34 * len(layers), separators)
    for row, layer in enumerate(
        layers
    ):  # annotations take the ink of the theme, text in cells does not
        for rank, guess in zip(ranks, layer, strict=False):
            figure.add_annotation(
                x=rank, y=row, text=escape(guess.token), showarrow=False, font={"size": 14}
            )
    figure.update_xaxes(side="top", type="category", fixedrange=True, showgrid=False)
    figure.update_yaxes(
        tickvals=list(range(len(layers))), ticktext=[escape(name) for name in names],
        range=[len(layers) - 0.5, -0.5], fixedrange=True, showgrid=False, zeroline=False,
    )  # fmt: skip
    return figure


def _percent(probability: float, separators: str) -> str:
    """Return a probability in percent, small ones with enough digits to be more than 0."""
    share = 100 * probability
    text = f"{share:.1f} %" if share >= 0.1 else f"{share:.1g} %" if share >= 1e-4 else "< 0.0001 %"
    return text.replace(".", separators[0])

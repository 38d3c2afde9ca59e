"""What a network puts in the blank: probabilities as bars, and the guesses of each layer."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.figures.palette import BLUE_SHADES, lay_out
from app.figures.plain_figure import Figure, make_trace
from app.figures.shares import share_bars
from embeddings.results.word_contexts import FilledMask

RANKS = 5  # guesses of a layer that are shown
LETTERS, LONGEST = 8, 13  # of a guess: as many fill a cell in full size, more are cut off
SIZE = 14


def guess_bars_figure(
    filled: FilledMask, axis: str, separators: str = ".,", topn: int = 10
) -> Figure:
    """Draw the likeliest words of the last layer; the masked word in vermilion, below if not among them.

    Parameters
    ----------
    filled : FilledMask
        ``requested`` holds the masked word, if there was one.
    axis : str
        Title of the axis.
    separators : str
        Decimal and thousands separator.
    topn : int
        Bars at most, the masked word's not counted.
    """
    rows = [(guess.token, guess.probability) for guess in filled.guesses[:topn]]
    masked_words = {word.word for word in filled.requested}
    rows += [
        (requested.word, requested.probability)
        for requested in filled.requested
        if requested.word not in {word for word, _ in rows}
    ]
    return share_bars(rows, masked_words, axis, separators)


def layer_guesses_figure(
    filled: FilledMask, names: Sequence[str], separators: str = ".,"
) -> Figure:
    """Draw the guesses of each layer, a row a layer, the likeliest first; the darker, the surer.

    Parameters
    ----------
    filled : FilledMask
    names : sequence of str
        One a layer, the embedding output first.
    separators : str
        Decimal and thousands separator.
    """
    layers = [layer[:RANKS] for layer in filled.by_layer]
    ranks = list(range(1, max(map(len, layers)) + 1))
    figure = Figure(
        make_trace(
            "heatmap",
            z=[[guess.probability for guess in layer] for layer in layers],
            x=ranks,
            y=list(range(len(layers))),
            text=[[escape(guess.token) for guess in layer] for layer in layers],
            colorscale=BLUE_SHADES,
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
                x=rank, y=row, text=escape(_fitting(guess.token)), showarrow=False,
                font={"size": SIZE * LETTERS / max(LETTERS, len(_fitting(guess.token)))},
            )  # fmt: skip
    figure.update_xaxes(side="top", tickvals=ranks, fixedrange=True, showgrid=False, zeroline=False)
    figure.update_yaxes(
        tickvals=list(range(len(layers))), ticktext=[escape(name) for name in names],
        range=[len(layers) - 0.5, -0.5], fixedrange=True, showgrid=False, zeroline=False,
    )  # fmt: skip
    return figure


def _fitting(word: str) -> str:
    """Cut a guess for its cell; the whole of it is in the hover."""
    return word if len(word) <= LONGEST else word[: LONGEST - 1] + "…"

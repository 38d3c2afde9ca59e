"""Shares in percent, written with a space and the decimal sign of the language, as ticks and as bars: guesses for a blank among them."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from html import escape

from app.figures.palette import BLUE, BLUE_SHADES, VERMILION, lay_out
from app.figures.plain_figure import Figure, make_trace
from embeddings.results.sentence_answers import FilledMask

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


def share_ticks(largest: float, separators: str = ".,") -> dict[str, list[float] | list[str]]:
    r"""Return where an axis from 0 to ``most`` has its ticks, and what they are labelled.

    Examples
    --------
    >>> share_ticks(0.1)["ticktext"]
    ['0\xa0%', '2\xa0%', '4\xa0%', '6\xa0%', '8\xa0%', '10\xa0%']
    """
    if not largest > 0:
        return {"tickvals": [0.0], "ticktext": [percent(0.0)]}
    power = math.floor(math.log10(100 * largest / TICKS))
    steps = (factor * 10.0**exponent for exponent in (power, power + 1) for factor in STEPS)
    step = next(step for step in steps if TICKS * step >= 100 * largest * (1 - 1e-9))
    ticks = [step * number / 100 for number in range(int(100 * largest / step * (1 + 1e-9)) + 1)]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return {
        "tickvals": ticks,
        "ticktext": [percent(tick, digits, separators) for tick in ticks],
    }


def share_bars(
    rows: Sequence[tuple[str, float]],
    marked: Collection[str],
    axis: str,
    separators: str = ".,",
    colour: str = BLUE,
) -> Figure:
    """Draw a bar for each label and share in [0, 1], in the order given, the marked labels in vermilion.

    Parameters
    ----------
    rows : sequence of (str, float)
        A label may occur more than once.
    marked : collection of str
    axis : str
        Title of the axis.
    separators : str
        Decimal and thousands separator.
    colour : str
        Of the labels that are not marked.
    """
    figure = Figure(
        make_trace(
            "bar",
            x=[probability for _, probability in rows],
            y=list(range(len(rows))),
            orientation="h",
            marker={"color": [VERMILION if label in marked else colour for label, _ in rows]},
            text=[_bar_label(probability, separators) for _, probability in rows],
            textposition="outside",
            cliponaxis=False,
            customdata=[escape(label) for label, _ in rows],
            hovertemplate="%{customdata}<br>%{x:.6f}<extra></extra>",
        )
    )
    lay_out(figure, 70 + 30 * len(rows), separators)
    largest = max((probability for _, probability in rows), default=1.0)
    figure.update_layout(margin={"l": 8, "r": 56, "t": 8, "b": 48}, bargap=0.3)
    figure.update_xaxes(
        title=escape(axis), fixedrange=True, range=[0, largest * 1.06],
        **share_ticks(largest, separators),
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(len(rows))), ticktext=[escape(label) for label, _ in rows],
        range=[len(rows) - 0.5, -0.5], tickfont={"size": 15}, fixedrange=True,
        showgrid=False, zeroline=False,
    )  # fmt: skip
    return figure


def _bar_label(probability: float, separators: str) -> str:
    """Return a probability in percent, small ones with enough digits to be more than 0."""
    share = 100 * probability
    text = f"{share:.1f} %" if share >= 0.1 else f"{share:.1g} %" if share >= 1e-4 else "< 0.0001 %"
    return text.replace(".", separators[0])


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

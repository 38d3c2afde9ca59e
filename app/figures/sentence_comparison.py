"""Two sentences scored by a masked network: the log-probability of each token, and the sums layer by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from math import exp

from app.figures.palette import BLUE, GREY, VERMILION, lay_out
from app.figures.plain_figure import Figure, make_trace, panels
from embeddings.results.sentence_answers import SentenceScore

COLOURS = (BLUE, VERMILION)  # of the first sentence and of the second
OFFSET = 0.21  # of a bar from the middle of its row
BAR = 0.38
LEGEND_LETTERS = 44  # a longer sentence is cut in the legend
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class TokenRow:
    """Tokens of two sentences that stand for each other, by number; None where one sentence has none.

    ``differs`` is False where the tokens are the same.
    """

    numbers: tuple[int | None, int | None]
    differs: bool


def align_tokens(first: Sequence[str], second: Sequence[str]) -> tuple[TokenRow, ...]:
    """Return the tokens of two sentences side by side: equal ones together, others in order.

    Examples
    --------
    >>> [row.numbers for row in align_tokens(["a", "b", "d"], ["a", "c", "##c", "d"])]
    [(0, 0), (1, 1), (None, 2), (2, 3)]
    """
    rows = []
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        for step in range(max(end - start, other_end - other_start)):
            number = start + step if start + step < end else None
            other = other_start + step if other_start + step < other_end else None
            rows.append(TokenRow((number, other), kind != "equal"))
    return tuple(rows)


def token_scores_figure(
    scores: Sequence[SentenceScore], axis: str, separators: str = ".,"
) -> Figure:
    """Draw a bar for each token of two sentences, the longer, the less expected; what differs is bold.

    Parameters
    ----------
    scores : sequence of two SentenceScore
    axis : str
        Title of the axis.
    separators : str
        Decimal and thousands separator.
    """
    first, second = scores
    rows = align_tokens(first.tokens, second.tokens)
    figure = Figure()
    for side, (score, colour) in enumerate(zip(scores, COLOURS, strict=True)):
        placed = [(at, row.numbers[side], row.differs) for at, row in enumerate(rows)]
        drawn = [(at, number, differs) for at, number, differs in placed if number is not None]
        nats = [float(score.log_probabilities[-1][number]) for _, number, _ in drawn]
        figure.add_trace(
            make_trace(
                "bar",
                x=nats,
                y=[at + (2 * side - 1) * OFFSET for at, _, _ in drawn],
                width=BAR,
                orientation="h",
                name=_legend_name(side, score.text),
                marker={"color": colour, "opacity": [1.0 if d else 0.6 for _, _, d in drawn]},
                text=[_nats(value, separators) for value in nats],
                textposition="outside",
                textfont={"size": 12},
                cliponaxis=False,
                customdata=[
                    (escape(score.tokens[number]), exp(value))
                    for (_, number, _), value in zip(drawn, nats, strict=True)
                ],
                hovertemplate="<b>%{customdata[0]}</b><br>log p = %{x:.4f}"
                "<br>p = %{customdata[1]:.4g}<extra></extra>",
            )
        )
    labels = _row_labels(rows, first.tokens, second.tokens)
    lay_out(figure, 110 + 42 * len(rows), separators)
    least = min((min(score.log_probabilities[-1]) for score in scores), default=-1.0)
    figure.update_layout(
        barmode="overlay", showlegend=True, margin={"l": 8, "r": 48, "t": 8, "b": 48},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "itemclick": False},
    )  # fmt: skip
    figure.update_xaxes(
        title=escape(axis), range=[0, 1.12 * min(float(least), -1e-3)], fixedrange=True, nticks=7
    )
    figure.update_yaxes(
        tickvals=[at for at, _ in labels], ticktext=[label for _, label in labels],
        range=[len(rows) - 0.4, -0.6], tickfont={"size": 14}, fixedrange=True,
        showgrid=False, zeroline=False,
    )  # fmt: skip
    return figure


def layer_scores_figure(
    scores: Sequence[SentenceScore],
    names: Mapping[str, str],
    ticks: Sequence[str],
    separators: str = ".,",
) -> Figure:
    """Draw the sum of each sentence at every layer, and below it how far the first is ahead.

    Parameters
    ----------
    scores : sequence of two SentenceScore
    names : mapping of str to str
        Titles of the axes: "sum", "difference", "layer".
    ticks : sequence of str
        One a layer, the embedding output first.
    separators : str
        Decimal and thousands separator.
    """
    layers = list(range(len(ticks)))
    sums = [score.log_probabilities.sum(1) for score in scores]
    ahead = [float(value) for value in sums[0] - sums[1]]
    figure = panels(2, 1, shared_xaxes=True, vertical_spacing=0.08)
    for side, (score, colour) in enumerate(zip(scores, COLOURS, strict=True)):
        figure.add_trace(
            make_trace(
                "scatter",
                x=layers,
                y=sums[side],
                mode="lines+markers",
                name=_legend_name(side, score.text),
                line={"color": colour, "width": 2},
                marker={"size": 8, "symbol": ("circle", "diamond")[side]},
                customdata=[escape(tick) for tick in ticks],
                hovertemplate="%{customdata}<br>%{y:.3f}<extra></extra>",
            )
        )
    figure.add_trace(
        make_trace(
            "bar",
            x=layers,
            y=ahead,
            showlegend=False,
            marker={"color": [_leader_colour(value) for value in ahead]},
            text=[_nats(value, separators, signed=True) for value in ahead],
            textposition="outside",
            cliponaxis=False,
            customdata=[escape(tick) for tick in ticks],
            hovertemplate="%{customdata}<br>%{y:+.4f}<extra></extra>",
        ),
        2,
        1,
    )
    lay_out(figure, 460, separators)
    figure.update_layout(
        showlegend=True, bargap=0.45, margin={"l": 8, "r": 12, "t": 8, "b": 48},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemclick": False},
    )  # fmt: skip
    widest = max((abs(value) for value in ahead), default=1.0) or 1.0
    figure.update_yaxes(fixedrange=True)
    figure.update_yaxes(title=escape(names["sum"]), row=1, col=1)
    figure.update_yaxes(
        title=escape(names["difference"]), range=[-1.35 * widest, 1.35 * widest],
        zeroline=True, zerolinecolor=GREY, nticks=5, row=2, col=1,
    )  # fmt: skip
    figure.update_xaxes(fixedrange=True, tickvals=layers, ticktext=[escape(tick) for tick in ticks])
    figure.update_xaxes(title=escape(names["layer"]), row=2, col=1)
    return figure


def _row_labels(
    rows: Sequence[TokenRow], first: Sequence[str], second: Sequence[str]
) -> list[tuple[float, str]]:
    """Return where the labels of rows stand, and what they are: one for equal tokens, else one a token, bold."""
    labels: list[tuple[float, str]] = []
    for at, row in enumerate(rows):
        for side, tokens in enumerate((first, second)):
            number = row.numbers[side]
            if row.differs and number is not None:
                label = f"<b>{escape(tokens[number])}</b>"
                labels.append((at + (2 * side - 1) * OFFSET, label))
            elif number is not None and side == 0:
                labels.append((float(at), escape(tokens[number])))
    return labels


def _leader_colour(ahead: float) -> str:
    """Return the colour of the sentence that is ahead, grey for none."""
    return COLOURS[0] if ahead > 0 else COLOURS[1] if ahead < 0 else GREY


def _nats(value: float, separators: str, *, signed: bool = False) -> str:
    """Return nats with two digits, with a minus and the decimal sign of the language."""
    text = f"{value:z.2f}".replace(".", separators[0]).replace("-", MINUS)
    return f"+{text}" if signed and value > 0.005 else text


def _legend_name(side: int, text: str) -> str:
    """Return a sentence for the legend, numbered, cut at a word."""
    if len(text) > LEGEND_LETTERS:
        text = text[:LEGEND_LETTERS].rsplit(" ", 1)[0] + " …"
    return f"{side + 1}: {escape(text)}"

"""Words of a sentence: log-probabilities of two sentences token by token and by layer; what each word adds to an answer; confusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from math import exp

from app.figures.network_arrays import CellStyle, cells_figure
from app.figures.palette import BLUE, GREY, VERMILION
from app.figures.plain_figure import Figure, panels
from app.figures.shares import decimal, word_bars
from embeddings.probing.sentence_answers import Attribution, GuessAttribution, SentenceScore
from embeddings.results import Confusion

COLOURS = (BLUE, VERMILION)  # of the first sentence and of the second
OFFSET = 0.21  # of a bar from the middle of its row
BAR = 0.38
LEGEND_LETTERS = 44  # a longer sentence is cut in the legend


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
        figure.draw(
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
    labels = _row_labels(rows, first.tokens, second.tokens)
    figure.lay_out(110 + 42 * len(rows))
    least = min((min(score.log_probabilities[-1]) for score in scores), default=-1.0)
    figure.update_layout(
        barmode="overlay", showlegend=True, margin={"l": 8, "r": 48, "t": 8, "b": 48},
        legend={"itemclick": False},
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
    sums = [score.by_layer for score in scores]
    ahead = [float(value) for value in sums[0] - sums[1]]
    figure = panels(2, 1, shared_xaxes=True, vertical_spacing=0.08)
    for side, (score, colour) in enumerate(zip(scores, COLOURS, strict=True)):
        figure.draw(
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
    figure.draw(
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
        row=2,
        col=1,
    )
    look = {"showlegend": True, "bargap": 0.45, "legend": {"itemclick": False}}
    figure.lay_out(460, **look, margin={"l": 8, "r": 12, "t": 8, "b": 48})
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
    """Return nats with two digits."""
    text = decimal(value, 2, separators)
    return f"+{text}" if signed and value > 0.005 else text


def _legend_name(side: int, text: str) -> str:
    """Return a sentence for the legend, numbered, cut at a word."""
    if len(text) > LEGEND_LETTERS:
        text = text[:LEGEND_LETTERS].rsplit(" ", 1)[0] + " …"
    return f"{side + 1}: {escape(text)}"


FOR, AGAINST = (0, 114, 178), (213, 94, 0)  # BLUE, VERMILION
SMALL = 0.1  # nats: where no bar is longer, the axis still ends here
STRONGEST = 0.6  # opacity behind the word that moves most


def coloured_text(attribution: Attribution | GuessAttribution) -> str:
    """Return the text as HTML, each word the darker the more it moves: blue for the label, vermilion against it."""
    largest = max((abs(word.attribution) for word in attribution.words), default=0.0) or 1.0
    parts, end_of_last = [], 0
    for word in attribution.words:
        share = STRONGEST * abs(word.attribution) / largest
        red, green, blue = FOR if word.attribution >= 0 else AGAINST
        style = (
            f"background:rgba({red},{green},{blue},{share:.3f});border-radius:4px;padding:2px 1px"
        )
        tooltip = f"{word.attribution:+.3f}"
        parts.append(escape(attribution.text[end_of_last : word.start]))
        word_html = escape(attribution.text[word.start : word.end])
        parts.append(f'<span style="{style}" title="{tooltip}">{word_html}</span>')
        end_of_last = word.end
    parts.append(escape(attribution.text[end_of_last:]))
    return f'<p style="font-size:1.35rem;line-height:2.1">{"".join(parts)}</p>'


def signed_bars(bars: Sequence[tuple[str, float]], axis: str, separators: str = ".,") -> Figure:
    """Draw a bar a word, blue to the right of 0, vermilion to the left; what is far below `SMALL` looks small."""
    values = [value for _, value in bars]
    largest = max((abs(value) for value in values), default=0.0)
    digits = 2 if largest >= SMALL else 3
    figure = word_bars(
        bars,
        ["+" * (value >= 0) + decimal(value, digits, separators) for value in values],
        [BLUE if value >= 0 else VERMILION for value in values],
        axis,
        "%{x:.4f}",
    )
    reach = 1.5 * max(largest, SMALL)  # numbers beside bars have room on a phone
    figure.update_xaxes(range=[-reach, reach])
    return figure


def confusion_figure(
    confusion: Confusion, names: Sequence[str], axes: tuple[str, str], separators: str = ".,"
) -> Figure:
    """Draw a row for each label and a column for each answer, the counts written in.

    Parameters
    ----------
    confusion : Confusion
    names : sequence of str
        What the labels are called, in their order.
    axes : tuple of str
        Titles of the columns and of the rows.
    separators : str
        Decimal and thousands separator.
    """
    shares = confusion.counts / confusion.counts.sum(1, keepdims=True).clip(1)
    counts = [[str(count) for count in row] for row in confusion.counts]
    figure = cells_figure(shares, names, names, CellStyle(share=True), separators, counts)
    figure.update_xaxes(title=escape(axes[0]))
    figure.update_yaxes(title=escape(axes[1]))
    return figure

"""Attributions of a classifier's words, as coloured text and as bars; the confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.figures.palette import BLUE, INDIGO, OCHRE_SHADES, VERMILION, lay_out
from app.figures.plain_figure import Figure, make_trace
from app.figures.shares import percent, share_bars
from embeddings.results.sentence_answers import Attribution, Confusion, GuessAttribution

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


def attribution_figure(
    attribution: Attribution | GuessAttribution, axis: str, separators: str = ".,"
) -> Figure:
    """Draw what each word adds to the answer by integrated gradients, to the right for it, to the left against it.

    Parameters
    ----------
    attribution : Attribution or GuessAttribution
    axis : str
        Title of the axis.
    separators : str
        Decimal and thousands separator.
    """
    rows = [(word.word, word.attribution) for word in attribution.words]
    return _signed_bars(rows, axis, separators)


def occlusion_figure(
    attribution: Attribution | GuessAttribution, axis: str, separators: str = ".,"
) -> Figure:
    """Draw by how much the answer falls without each word, in the form of `attribution_figure`."""
    rows = [(word.word, word.occlusion) for word in attribution.words]
    return _signed_bars(rows, axis, separators)


def _signed_bars(bars: Sequence[tuple[str, float]], axis: str, separators: str) -> Figure:
    """Draw a bar a word, blue to the right of 0, vermilion to the left; what is far below `SMALL` looks small."""
    values = [value for _, value in bars]
    largest = max((abs(value) for value in values), default=0.0)
    digits = 2 if largest >= SMALL else 3
    words = [escape(word) for word, _ in bars]
    rows = list(range(len(words)))
    figure = Figure(
        make_trace(
            "bar",
            x=values,
            y=rows,
            orientation="h",
            marker={"color": [BLUE if value >= 0 else VERMILION for value in values]},
            text=[
                f"{value:+.{digits}f}".replace("-", "−").replace(".", separators[0])
                for value in values
            ],
            textposition="outside",
            cliponaxis=False,
            customdata=words,
            hovertemplate="%{customdata}<br>%{x:.4f}<extra></extra>",
        )
    )
    lay_out(figure, 70 + 30 * len(words), separators)
    reach = 1.5 * max(largest, SMALL)  # numbers beside bars have room on a phone
    figure.update_layout(margin={"l": 8, "r": 56, "t": 8, "b": 48}, bargap=0.3)
    figure.update_xaxes(title=escape(axis), fixedrange=True, range=[-reach, reach])
    figure.update_yaxes(
        tickvals=rows, ticktext=words, range=[len(words) - 0.5, -0.5],
        tickfont={"size": 15}, fixedrange=True, showgrid=False, zeroline=False,
    )  # fmt: skip
    return figure


def attention_figure(
    attribution: Attribution | GuessAttribution, axis: str, separators: str = ".,"
) -> Figure:
    """Draw the share of attention that each word gets, in the order of the text."""
    rows = [(word.word, word.attention) for word in attribution.words]
    return share_bars(rows, (), axis, separators, INDIGO)


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
    indices = list(range(len(names)))
    figure = Figure(
        make_trace(
            "heatmap",
            z=shares,
            x=indices,
            y=indices,
            text=confusion.counts,
            texttemplate="%{text}",
            textfont={"size": 15},
            colorscale=OCHRE_SHADES,
            zmin=0,
            zmax=1,
            showscale=False,
            customdata=[[percent(share, 1, separators) for share in row] for row in shares],
            hovertemplate="%{text}, %{customdata}<extra></extra>",
        )
    )
    lay_out(figure, 120 + 60 * len(names), separators)
    labels = [escape(name) for name in names]
    ticks = {
        "tickvals": indices,
        "ticktext": labels,
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
    }
    figure.update_xaxes(title=escape(axes[0]), **ticks)
    figure.update_yaxes(title=escape(axes[1]), autorange="reversed", **ticks)
    return figure

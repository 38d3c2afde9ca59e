"""A formula drawn in the plane: its words, its answers, and the point that the vectors sum to."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.figures.label_placement import place_labels
from app.figures.palette import GREY, ORANGE, lay_out, word_colours
from app.figures.plain_figure import Figure, make_trace
from embeddings.results import Projection, Term

PLOT = (330, 330)  # pixels of the plane beside the list of answers, on a small screen


def parallelogram_figure(
    projection: Projection,
    terms: Sequence[Term],
    axes: Sequence[str] = ("", ""),
    separators: str = ".,",
) -> Figure:
    """Draw the plane of a formula.

    Parameters
    ----------
    projection : Projection
        The formula's words first (in its order), then its answers, last the formula itself.
    terms : sequence of Term
        Of the formula; a - b + c gets its two arrows, b to a and c to the sum.
    axes : sequence of str
        A title for each axis.
    separators : str
        Decimal and thousands separator.
    """
    words, coordinates = projection.words, projection.coordinates
    colours = word_colours(words[: len(terms)])
    order = [len(words) - 1, *range(len(words) - 1)]  # the sum's long label first
    lines = [(order.index(a), order.index(b)) for a, b in _arrows(terms, len(words))]
    names = [words[row] for row in order]
    positions_in_order = place_labels(coordinates[order], names, *PLOT, 16, lines)
    text_positions = [positions_in_order[order.index(row)] for row in range(len(words))]
    roles = [*("input" for _ in terms), *("answer" for _ in words[len(terms) : -1]), "sum"]
    symbols = {"input": "circle", "answer": "circle-open", "sum": "x"}
    figure = Figure(
        make_trace(
            "scatter",
            x=coordinates[:, 0],
            y=coordinates[:, 1],
            mode="markers+text",
            text=[
                f"<b>{escape(word)}</b>" if role != "answer" else escape(word)
                for word, role in zip(words, roles, strict=True)
            ],
            textposition=text_positions,
            textfont={"size": 15},
            marker={
                "size": [14 if role != "answer" else 11 for role in roles],
                "symbol": [symbols[role] for role in roles],
                "color": [
                    ORANGE if role == "sum" else colours.get(word, GREY)
                    for word, role in zip(words, roles, strict=True)
                ],
            },
            hovertemplate="%{text}<extra></extra>",
            cliponaxis=False,
        )
    )
    lay_out(figure, 520, separators)
    arrow_style = {
        "xref": "x", "yref": "y", "axref": "x", "ayref": "y", "text": "", "showarrow": True,
        "arrowhead": 2, "arrowsize": 1.2, "arrowwidth": 2, "arrowcolor": GREY,
        "standoff": 9, "startstandoff": 9,
    }  # fmt: skip
    arrows = [(*coordinates[end], *coordinates[start]) for start, end in _arrows(terms, len(words))]
    figure.update_layout(
        annotations=[{**arrow_style, "x": x, "y": y, "ax": ax, "ay": ay} for x, y, ax, ay in arrows]
    )
    margin = 0.18
    for update, column, title in (
        (figure.update_xaxes, 0, axes[0]),
        (figure.update_yaxes, 1, axes[1]),
    ):
        low, high = coordinates[:, column].min(), coordinates[:, column].max()
        room = margin * ((high - low) or 1.0)
        update(range=[low - room, high + room], title=title, zeroline=False, tickformat=".1f")
    return figure


def _arrows(terms: Sequence[Term], words: int) -> list[tuple[int, int]]:
    """Return the rows that an arrow leads from and to, for formulas of the form a - b + c."""
    if [term.weight > 0 for term in terms] != [True, False, True]:
        return []
    return [(1, 0), (2, words - 1)]

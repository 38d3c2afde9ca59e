"""Words on a plane or in space: a map coloured by group or by a number, the parallelogram of an analogy."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle
from typing import Any

import numpy as np

from app.figures.label_placement import choose_labelled_rows, draw_arrows, fit_plane, place_labels
from app.figures.palette import FALL, GREY, ORANGE, OTHERS, escape_label
from app.figures.plain_figure import Figure, Trace, make_trace
from embeddings.analysis.vector_answers import Projection, Term

SCENE = "#9a9a9a"  # lines in three dimensions know no transparency
MAX_SVG_WORDS = 600  # words above which WebGL draws them
LABELLED = 120  # up to so many words all carry their label; of more, a spread of them does
LABEL_ABOVE = "top center"  # where a label stands from its point, if there is no better place
TRIED = 1_500  # words of those that may carry one
DOTS = ((3_000, 3), (MAX_SVG_WORDS, 6), (0, 9))  # words above which dots have so many pixels


@dataclass(frozen=True)
class PointMarks:
    """How the words of a map are marked: a group each (with a colour a group), or a number each.

    ``strong`` words are drawn larger, the ``chosen`` one has a ring; ``notes`` are shown on hover.
    """

    groups: Sequence[str]
    colours: Mapping[str, str]
    values: Sequence[float] | None = None
    value_title: str = ""
    strong: Collection[str] = ()
    notes: Sequence[str] | None = None
    chosen: str = ""


def map_figure(
    projection: Projection, marks: PointMarks, axes: Sequence[str] = (), height: int = 600
) -> Figure:
    """Draw a projection; two dimensions as vector graphics, three to be turned.

    Parameters
    ----------
    projection : Projection
    marks : PointMarks
    axes : sequence of str
        A title for each axis; empty where axes mean nothing.
    height : int, default 600
        Pixels.
    """
    flat = projection.coordinates.shape[1] == 2
    figure = Figure()
    labels = _labels(projection, marks)
    present = dict.fromkeys(marks.groups)
    for group in (g for g in (marks.colours or present) if g in present):
        rows = [row for row, row_group in enumerate(marks.groups) if row_group == group]
        figure.add_trace(_group_trace(projection, marks, rows, group, labels))
    figure.lay_out(
        height,
        showlegend=marks.values is None and len(set(marks.groups)) > 1,
        legend={"itemsizing": "constant"},
        dragmode="select" if flat else "turntable",
        margin={"t": 40},
    )
    if marks.values is not None:
        figure.update_layout(coloraxis=_colours_of_counts(marks.value_title))
    titles = [*axes, "", "", ""]
    if flat:
        axis_style = {"showticklabels": False, "zeroline": bool(axes), "showgrid": bool(axes)}
        figure.update_xaxes(title=titles[0], **axis_style)
        figure.update_yaxes(title=titles[1], **axis_style)
    else:
        look: dict[str, object] = {"showbackground": False, "showticklabels": False}
        look |= {"gridcolor": SCENE, "zerolinecolor": SCENE}
        scene = {
            f"{name}axis": {**look, "title": {"text": title, "font": {"size": 12}}}
            for name, title in zip("xyz", titles, strict=False)
        }
        camera = {"eye": {"x": 1.4, "y": 1.4, "z": 0.8}, "center": {"z": -0.12}}
        figure.update_layout(scene={**scene, "camera": camera, "aspectmode": "cube"})
    return figure


def _colours_of_counts(title: str) -> dict[str, Any]:
    """Return the colour axis of decimal logarithms of counts."""
    labels = ["1", "10", "100", "10³", "10⁴", "10⁵", "10⁶"]
    bar: dict[str, Any] = {"title": {"text": title, "side": "right"}, "thickness": 10}
    bar |= {"outlinewidth": 0, "tickvals": list(range(len(labels))), "ticktext": labels}
    return {"colorscale": FALL, "colorbar": bar}


def _labels(projection: Projection, marks: PointMarks) -> dict[int, str]:
    """Return the rows that carry their label and where it stands: all of few words, of many a spread; strong words choose first."""
    words, coordinates = projection.words, projection.coordinates
    order = sorted(range(len(words)), key=lambda row: words[row] not in marks.strong)
    if len(words) > LABELLED:
        return dict.fromkeys(choose_labelled_rows(coordinates, words, order[:TRIED]), LABEL_ABOVE)
    if coordinates.shape[1] == 3:
        return dict.fromkeys(order, LABEL_ABOVE)
    return dict(enumerate(place_labels(coordinates, words, order=order)))


def _group_trace(
    projection: Projection,
    marks: PointMarks,
    rows: Sequence[int],
    group: str,
    labels: Mapping[int, str],
) -> Trace:
    """Return the points of a group in two or three dimensions; of very many words in two by WebGL."""
    words = [projection.words[row] for row in rows]
    coordinates = projection.coordinates[np.asarray(rows)]
    flat = coordinates.shape[1] == 2
    flat_kind = "scattergl" if len(projection.words) > MAX_SVG_WORDS else "scatter"
    kind = flat_kind if flat else "scatter3d"
    texts = [
        f"<b>{escape_label(w)}</b>"
        if w in marks.strong or w == marks.chosen
        else escape_label(w) * (row in labels)
        for row, w in zip(rows, words, strict=True)
    ]
    dot = next(size for most, size in DOTS if len(projection.words) > most)
    sizes = [15 if w in marks.strong or w == marks.chosen else dot for w in words]
    colours: Any = marks.colours.get(group, GREY)
    if marks.values is not None:
        colours = [marks.values[row] for row in rows]
    notes = [marks.notes[row] if marks.notes else "" for row in rows]
    rings = [4 if w == marks.chosen else 0.5 for w in words]
    return make_trace(
        kind,
        **dict(zip("xyz", coordinates.T, strict=False)),
        name=escape_label(group),
        mode="markers+text",
        text=texts,
        textposition=[labels.get(row, LABEL_ABOVE) for row in rows],
        textfont={"size": 13 if flat else 12},
        customdata=[
            [word, note] for word, note in zip(words, map(escape_label, notes), strict=True)
        ],
        hovertext=[escape_label(word) for word in words],
        hovertemplate="<b>%{hovertext}</b><br>%{customdata[1]}<extra></extra>",
        cliponaxis=False if kind == "scatter" else None,
        marker={
            "color": colours,
            "size": sizes if flat else [0.65 * size for size in sizes],
            "opacity": 0.9,
            "line": {"width": rings if flat else 0.5, "color": GREY},
            "coloraxis": "coloraxis" if marks.values is not None else None,
        },
    )


PLOT = (330, 330)  # pixels of the plane beside the list of answers, on a small screen


def parallelogram_figure(
    projection: Projection, terms: Sequence[Term], axes: Sequence[str] = ("", "")
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
    """
    words, coordinates = projection.words, projection.coordinates
    colours = dict(zip(words[: len(terms)], cycle(OTHERS)))
    order = [len(words) - 1, *range(len(words) - 1)]  # the sum's long label first
    arrows = _arrows(terms, len(words))
    text_positions = place_labels(coordinates, words, PLOT, 16, arrows, order)
    roles = [*("input" for _ in terms), *("answer" for _ in words[len(terms) : -1]), "sum"]
    symbols = {"input": "circle", "answer": "circle-open", "sum": "x"}
    figure = Figure().draw(
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
    figure.lay_out(520)
    ends = [(*coordinates[end], *coordinates[start]) for start, end in arrows]
    draw_arrows(figure, ends, arrowsize=1.2, arrowwidth=2, standoff=9, startstandoff=9)
    fit_plane(figure, coordinates, axes, 0.18, zeroline=False, tickformat=".1f")
    return figure


def _arrows(terms: Sequence[Term], words: int) -> list[tuple[int, int]]:
    """Return the rows that an arrow leads from and to, for formulas of the form a - b + c."""
    if [term.weight > 0 for term in terms] != [True, False, True]:
        return []
    return [(1, 0), (2, words - 1)]

"""Contexts as a tree, and how often each sense occurs in documents or years."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.figures.palette import GREY, escape_label, lay_out
from app.figures.plain_figure import Figure, make_trace
from embeddings.results.induced_senses import SenseFrequencies, SenseTree

ROW = 18  # pixels of a context
TALLEST = 900  # pixels of a tree; more contexts stand closer
LABELLED = 60  # contexts up to which each has its number on the axis
BAR = 26  # pixels of a document
SHOWN = 25  # documents that are drawn


def sense_tree_figure(
    tree: SenseTree,
    groups: Sequence[str],
    colours: Mapping[str, str],
    hovers: Sequence[str],
    axis: str,
    separators: str = ".,",
) -> Figure:
    """Draw a tree with its leaves on the left; a branch of one sense has the colour of the sense.

    Parameters
    ----------
    tree : SenseTree
    groups : sequence of str
        Sense of each context.
    colours : mapping of str to str
        By sense.
    hovers : sequence of str
        Text of each context on hover.
    axis : str
        Title of the axis.
    separators : str
        Decimal and thousands separator.
    """
    figure = Figure()
    for group in (*colours, ""):
        xs: list[float | None] = []
        ys: list[float | None] = []
        for corners, members in zip(tree.links, tree.members, strict=True):
            inside = {groups[row] for row in members}
            if (inside.pop() if len(inside) == 1 else "") == group:
                xs += [*(height for _, height in corners), None]
                ys += [*(place for place, _ in corners), None]
        if xs:
            line = {"color": colours.get(group, GREY), "width": 2 if group else 1.4}
            figure.add_trace(
                make_trace(
                    "scatter",
                    x=xs,
                    y=ys,
                    mode="lines",
                    line=line,
                    hoverinfo="skip",
                    showlegend=False,
                )
            )
    for group, colour in colours.items():
        places = [place for place, row in enumerate(tree.leaves) if groups[row] == group]
        if places:
            figure.add_trace(
                make_trace(
                    "scatter",
                    x=[0.0] * len(places),
                    y=places,
                    mode="markers",
                    name=escape_label(group),
                    marker={"color": colour, "size": 9},
                    hovertext=[hovers[tree.leaves[place]] for place in places],
                    hovertemplate="%{hovertext}<extra></extra>",
                    cliponaxis=False,
                )
            )
    lay_out(figure, min(TALLEST, 110 + ROW * len(tree.leaves)), separators)
    legend = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0}
    figure.update_layout(
        showlegend=True,
        legend=legend,
        margin={"t": 60},
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    numbered = len(tree.leaves) <= LABELLED
    figure.update_yaxes(
        tickvals=list(range(len(tree.leaves))) if numbered else [],
        ticktext=[str(row + 1) for row in tree.leaves] if numbered else [],
        range=[len(tree.leaves) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
        ticks="",
        fixedrange=True,
    )
    figure.update_xaxes(title=axis, range=[-0.02, 1.02], zeroline=False, fixedrange=True)
    return figure


def sense_frequencies_figure(
    frequencies: SenseFrequencies,
    titles: Sequence[str],
    colours: Mapping[str, str],
    axis: str,
    separators: str = ".,",
) -> Figure:
    """Draw a bar for each of the first documents or dates, in parts of the senses' colours."""
    values, counts = frequencies.values[:SHOWN], frequencies.counts[:SHOWN]
    bars = [
        make_trace(
            "bar",
            x=[row[sense] for row in counts],
            y=list(range(len(values))),
            orientation="h",
            name=escape_label(title),
            marker={"color": colours[title]},
            customdata=[escape_label(value) for value in values],
            hovertemplate=f"%{{customdata}}<br>{escape_label(title)}: %{{x}}<extra></extra>",
        )
        for sense, title in enumerate(titles)
    ]
    figure = Figure(bars)
    lay_out(figure, 110 + BAR * len(values), separators)
    legend = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "traceorder": "normal"}
    figure.update_layout(barmode="stack", showlegend=True, legend=legend, margin={"t": 60})
    figure.update_layout(dragmode=False)
    figure.update_yaxes(
        tickvals=list(range(len(values))),
        ticktext=[escape_label(_shortened(value)) for value in values],
        range=[len(values) - 0.4, -0.6],
        showgrid=False,
        fixedrange=True,
    )
    figure.update_xaxes(title=axis, rangemode="tozero", tickformat=",d", fixedrange=True)
    return figure


def _shortened(value: str, most: int = 40) -> str:
    """Cut a name that would leave no room for the bars, in its middle."""
    return value if len(value) <= most else f"{value[: most // 2]}…{value[-most // 2 + 1 :]}"

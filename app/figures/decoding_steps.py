"""Decoding: the next token's candidates, attention to the source, and the hypotheses of the beam."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from app.figures.palette import BLUE, GREEN, GREY, INDIGO, VERMILION, lay_out
from app.figures.plain_figure import Figure, make_trace
from app.figures.shares import share_bars
from embeddings.results.network_answers import BeamNode, BeamTree, DecodingStep

WINDOW = 9  # steps of the beam that are seen at once
BAND = "rgba(138,138,138,0.14)"
GROUP_SYMBOLS = {"chosen": "circle", "kept": "circle", "ended": "square"}
GROUP_COLOURS = {"chosen": VERMILION, "kept": BLUE, "ended": GREEN}


def candidates_figure(step: DecodingStep, axis: str, separators: str = ".,") -> Figure:
    """Draw the next token's candidates; the chosen one in vermilion, below where it is not among them.

    Parameters
    ----------
    step : DecodingStep
    axis : str
        Title of the axis.
    separators : str
        Decimal and thousands separator.
    """
    rows = [(candidate.token, candidate.probability) for candidate in step.candidates]
    if step.chosen.token not in {token for token, _ in rows}:
        rows.append((step.chosen.token, step.chosen.probability))
    return share_bars(rows, {step.chosen.token}, axis, separators)


def source_attention_figure(
    words: Sequence[str], shares: Sequence[float], axis: str, separators: str = ".,"
) -> Figure:
    """Draw the attention of a step to each word of the source, in the order of the text."""
    rows = list(zip(words, map(float, shares), strict=True))
    return share_bars(rows, (), axis, separators, INDIGO)


def beam_figure(
    tree: BeamTree, step: int, names: Mapping[str, str], axis: str, separators: str = ".,"
) -> Figure:
    """Draw the hypotheses that the beam kept or that ended, one column per step, the most probable on top.

    Parameters
    ----------
    tree : BeamTree
    step : int
        The step that is marked and in the middle.
    names : mapping of str to str
        "kept", "ended", "chosen" in the reader's language.
    axis : str
        Title of the axis.
    separators : str
        Decimal and thousands separator.
    """
    rows = beam_rows(tree)
    figure = Figure()
    for is_best, colour, width in ((False, GREY, 1.2), (True, VERMILION, 3.0)):
        x, y = _edges(tree, rows, is_best)
        line = {"color": colour, "width": width}
        figure.add_trace(
            make_trace(
                "scatter", x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False
            )
        )
    for group, symbol in GROUP_SYMBOLS.items():
        numbers = [number for number in rows if _node_group(tree.nodes[number]) == group]
        nodes = [tree.nodes[number] for number in numbers]
        figure.add_trace(
            make_trace(
                "scatter",
                x=[node.step for node in nodes],
                y=[rows[number] for number in numbers],
                mode="markers+text",
                name=names[group],
                marker={"color": GROUP_COLOURS[group], "symbol": symbol, "size": 10},
                text=[escape(node.token) for node in nodes],
                textposition="top center",
                textfont={"size": 13},
                customdata=[(escape(node.text), node.log_probability) for node in nodes],
                hovertemplate="%{customdata[0]}<br>log p = %{customdata[1]:.3f}<extra></extra>",
            )
        )
    lay_out(figure, 110 + 46 * (max(rows.values()) + 1), separators)
    figure.add_vrect(x0=step - 0.5, x1=step + 0.5, fillcolor=BAND, line={"width": 0}, layer="below")
    figure.update_layout(
        showlegend=True, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    )
    left = max(-0.5, step - WINDOW / 2)
    figure.update_xaxes(title=escape(axis), range=[left, left + WINDOW], dtick=1, showgrid=False)
    last = max(tree.nodes[number].step for number in rows)
    figure.update_layout(meta={"whole": [-0.5, last + 0.5]})  # what a saved figure shows
    figure.update_yaxes(
        range=[max(rows.values()) + 0.5, -0.8], fixedrange=True, visible=False,
    )  # fmt: skip
    return figure


def beam_rows(tree: BeamTree) -> dict[int, int]:
    """Return the row of each node that is drawn: its rank among those of its step, 0 for the most probable."""
    drawn_nodes = [
        number for number, node in enumerate(tree.nodes) if node.state != "dropped" or node.is_best
    ]
    drawn_nodes.sort(key=lambda number: -tree.nodes[number].log_probability)
    next_rows: dict[int, int] = {}
    rows: dict[int, int] = {}
    for number in drawn_nodes:
        step = tree.nodes[number].step
        rows[number] = next_rows.get(step, 0)
        next_rows[step] = rows[number] + 1
    return rows


def _node_group(node: BeamNode) -> str:
    """Return the group that a node is drawn with."""
    if node.state == "ended":
        return "ended"
    return "chosen" if node.is_best else "kept"


def _edges(
    tree: BeamTree, rows: Mapping[int, int], is_best: bool
) -> tuple[list[int | None], list[int | None]]:
    """Return the lines from each node's parent to it, separated by None."""
    x: list[int | None] = []
    y: list[int | None] = []
    for number, row in rows.items():
        node = tree.nodes[number]
        if node.parent in rows and node.is_best == is_best:
            x += [tree.nodes[node.parent].step, node.step, None]
            y += [rows[node.parent], row, None]
    return x, y

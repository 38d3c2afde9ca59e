"""Neighbours as ranges: the cosine of each over several trainings of one model."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.figures.palette import lay_out, name_rows
from app.figures.plain_figure import Figure, make_trace
from embeddings.results.stability import NeighbourSpread

ROW = 27  # pixels of a line


def ranges_figure(
    neighbours: Sequence[NeighbourSpread], colour: str, separators: str = ".,"
) -> Figure:
    """Draw neighbours from the nearest down: a dot at the mean, a bar from the lowest to the highest cosine of the runs."""
    rows = list(range(len(neighbours)))
    means = [near.cosine.mean for near in neighbours]
    below = [near.cosine.mean - near.cosine.lowest for near in neighbours]
    above = [near.cosine.highest - near.cosine.mean for near in neighbours]
    ends = [(near.cosine.lowest, near.cosine.highest) for near in neighbours]
    figure = Figure(
        make_trace(
            "scatter",
            x=means,
            y=rows,
            mode="markers",
            marker={"size": 9, "color": colour},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": above,
                "arrayminus": below,
                "color": colour,
                "thickness": 2,
                "width": 4,
            },
            text=[escape(near.word) for near in neighbours],
            customdata=ends,
            hovertemplate="%{text}<br>%{x:.3f} (%{customdata[0]:.3f} – %{customdata[1]:.3f})<extra></extra>",
        )
    )
    lay_out(figure, 60 + ROW * max(len(neighbours), 3), separators)
    figure.update_xaxes(tickformat=".2f", fixedrange=True)
    name_rows(figure, [escape(near.word) for near in neighbours])
    return figure

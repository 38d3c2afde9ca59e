"""Figures of the pages as Plotly understands them; it refuses properties and values that it does not know."""

from functools import wraps

import plotly.graph_objects as go


def as_plotly(figure):
    """A plain figure as Plotly's own."""
    return go.Figure({"data": figure.data, "layout": figure.layout, "frames": figure.frames})


def checked(draw):
    """A function that draws, its figures handed to Plotly."""

    @wraps(draw)
    def draw_checked(*arguments, **named):
        return as_plotly(draw(*arguments, **named))

    return draw_checked

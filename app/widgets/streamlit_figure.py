"""A plain figure as Streamlit takes it without building Plotly's objects from it."""

from __future__ import annotations

from functools import cache
from typing import Any

import plotly.io
from plotly.basedatatypes import BaseFigure

from app.figures.plain_figure import Figure


class StreamlitFigure(BaseFigure):  # type: ignore[misc]
    """A figure that ``st.plotly_chart`` sends as it is.

    Of a dictionary it would first make Plotly's objects, to check each property; what is one of Plotly's figures is only asked for its
    dictionary.
    """

    def __init__(self, spec: dict[str, Any]) -> None:  # the base's would build the objects
        self._spec = spec

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as Plotly's JavaScript reads it."""
        return self._spec


def streamlit_figure(figure: Figure) -> StreamlitFigure:
    """Return a figure for ``st.plotly_chart``, with the template in whose place Streamlit puts its theme."""
    spec = figure.to_dict()
    template = _template(plotly.io.templates.default)
    return StreamlitFigure({**spec, "layout": {"template": template, **spec["layout"]}})


@cache
def _template(name: str) -> dict[str, Any]:
    """Return one of Plotly's templates as a dictionary, made once."""
    template: dict[str, Any] = plotly.io.templates[name].to_plotly_json()
    return template

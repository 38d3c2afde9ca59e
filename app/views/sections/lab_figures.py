"""Lab: the curves and bars of an experiment."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app.figures.lab import lab_figure
from app.views.sections.lab_words import term
from app.widgets import outputs
from app.wording import Wording
from embeddings.results.experiments import Experiment


def show(say: Wording, found: Experiment) -> None:
    """Draw each figure under its title."""
    for drawing in found.drawings:
        title = say(f"lab_figure.{found.name}_{drawing.name}")
        st.subheader(title, anchor=False)
        axes = (say(f"lab_axis.{drawing.x}"), say(f"lab_axis.{drawing.y}"))
        drawn = lab_figure(drawing, partial(term, say), axes, say.separators)
        key = f"lab-{found.name}-{drawing.name}".replace("_", "-")
        outputs.figure(say, drawn, key, title)
        if any(not series.main for series in drawing.series):
            st.caption(say("lab.legend"))

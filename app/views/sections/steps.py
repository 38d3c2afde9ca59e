"""Analogies: every step of the formula with what is nearest to it."""

from __future__ import annotations

import streamlit as st
from embeddings.library import Entry

from app import resources
from app.figures.neighbours import neighbours_figure
from app.figures.palette import method_colour
from app.views.sections.frequency import note
from app.widgets import outputs
from app.widgets.frame import Here
from embeddings.results import Analogy, AnalogyStep

SHOWN, MOST = 5, 4  # words a step, steps


def show(here: Here, entry: Entry, analogy: Analogy) -> None:
    """Draw a short list a step."""
    say = here.say
    st.header(say("steps.title"), anchor=False)
    st.markdown(say("steps.lead", model=here.label(entry)))
    vectors = resources.vectors(entry)
    last = AnalogyStep(analogy.expression, analogy.answers)
    stages = (*analogy.steps, last)[-MOST:]
    for place, (column, step) in enumerate(zip(st.columns(len(stages)), stages, strict=True)):
        rows = step.neighbours[:SHOWN]
        drawn = neighbours_figure(
            rows,
            title=step.expression,
            colour=method_colour(entry.method),
            shared=[row.word for row in rows],
            notes=[note(say, vectors, row.count) for row in rows],
            separators=say.separators,
        )
        words = ", ".join(row.word for row in rows)
        alt = say("analogies.alt", formula=step.expression, model=entry.name, words=words)
        with column:
            outputs.figure(say, drawn, f"step-{place}", alt)

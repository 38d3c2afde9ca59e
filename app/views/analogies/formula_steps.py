"""Analogies: every step of the formula with what is nearest to it."""

from __future__ import annotations

import streamlit as st

from app.figures.palette import method_colour
from app.loaders import shelf_models
from app.widgets import ranked_words
from app.widgets.frame import PageState
from embeddings.analysis.analogies import solve
from embeddings.results import Analogy, AnalogyStep
from embeddings.shelf import Entry

SHOWN, MOST = 5, 4  # words a step, steps


def show(page: PageState, entry: Entry, analogy: Analogy) -> None:
    """Draw a short list a step, the whole formula last."""
    say = page.say
    st.header(say("steps.title"), anchor=False)
    st.markdown(say("steps.lead", model=page.label(entry)))
    summed = solve(  # products of a part of the formula rank nothing that is near: always cosines
        shelf_models.vectors(entry),
        analogy.terms,
        method="add",
        include_inputs=analogy.include_inputs,
    )
    stages = (*summed.steps, AnalogyStep(analogy.expression, analogy.answers))[-MOST:]
    for place, (column, step) in enumerate(zip(st.columns(len(stages)), stages, strict=True)):
        rows = step.neighbours[:SHOWN]
        words = [row.word for row in rows]
        alt = say("analogies.alt", about=step.expression, model=entry.name, words=", ".join(words))
        colour = method_colour(entry.method)
        look = ranked_words.Look(step.expression, colour, words, f"step-{place}", alt)
        with column:
            ranked_words.one(page, entry, rows, look)

"""Analogies: every step of the formula with what is nearest to it."""

from __future__ import annotations

import streamlit as st

from app.widgets import outputs, ranked_words
from app.widgets.frame import PageState
from embeddings.results import Analogy, AnalogyStep
from embeddings.shelf import Entry

WORDS_A_STEP, MAX_STEPS = 5, 4


def show_formula_steps(page: PageState, entry: Entry, analogy: Analogy) -> None:
    """Draw a short list a step, by cosine under either rule, the whole formula last."""
    say = page.say
    st.markdown(say("steps.lead", model=outputs.plain(page.label(entry))))
    stages = (*analogy.steps, AnalogyStep(analogy.expression, analogy.answers))[-MAX_STEPS:]
    for index, (column, step) in enumerate(zip(st.columns(len(stages)), stages, strict=True)):
        rows = step.neighbours[:WORDS_A_STEP]
        words = [row.word for row in rows]
        alt = say("analogies.alt", about=step.expression, model=entry.name, words=", ".join(words))
        colour = page.colour(entry)
        list_style = ranked_words.ListStyle(step.expression, colour, words, f"step-{index}", alt)
        with column:
            ranked_words.draw_list(page, entry, rows, list_style)

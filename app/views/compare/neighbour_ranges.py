"""Compare: how sure the neighbours of a compared word are, and how far two trainings of one model agree."""

from __future__ import annotations

import streamlit as st

from app.loaders import near_answers, shelf_models
from app.views.compare.model_pairs import ModelPair
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.widgets.run_spreads import opened_spread, show_neighbour_spread
from embeddings.results.vector_answers import Comparison


def show_ranges(page: PageState, comparison: Comparison, pair: ModelPair) -> None:
    """Show the ranges of a compared word's neighbours in those of the two models that were trained several times."""
    say = page.say
    measured = [entry for entry in pair if opened_spread(page, entry)]
    words = [word.word for word in comparison.words]
    if not measured or not words:
        return
    for entry in measured:
        if overlap := shelf_models.overlap_of_runs(entry):
            share = say.number(overlap.share, 2)
            text = say("compare.runs", model=page.label(entry), overlap=share, n=overlap.nearest)
            st.caption(outputs.plain(text))
    word = inputs.pick(say, "compared_ranges", words, {word: word for word in words})
    near_by_model = {
        entry: [row.word for row in near_answers.near(entry, word, comparison.topn)]
        for entry in measured
    }
    show_neighbour_spread(page, word, near_by_model)

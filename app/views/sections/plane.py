"""Analogies: the parallelogram, in the plane that PCA finds for the formula's words and answers."""

from __future__ import annotations

import streamlit as st

from app import resources
from app.figures.parallelogram import parallelogram_figure
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.analysis.parallelogram import parallelogram
from embeddings.library import Entry
from embeddings.results import Analogy


def show(here: Here, solved: dict[Entry, Analogy]) -> Entry:
    """Draw the plane of one model; return the model."""
    say = here.say
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    left.header(say("plane.title"), anchor=False)
    labels = {entry.name: here.label(entry) for entry in solved}
    with right:
        name = inputs.pick(say, "drawn", list(labels), labels)
    entry = next(e for e in solved if e.name == name)
    analogy = solved[entry]
    distinct = {term.word for term in analogy.terms} | {row.word for row in analogy.answers}
    if len(distinct) < 3:
        st.info(say("plane.too_few"))
        return entry
    projection = parallelogram(resources.vectors(entry), analogy)
    shares = projection.explained_variance_ratio
    axes = [
        say("map.component_share", number=i, share=say.number(100 * share, 1))
        for i, share in enumerate(shares, 1)
    ]
    drawn = parallelogram_figure(projection, analogy.terms, axes, say.separators)
    alt = say("plane.alt", formula=analogy.expression, model=entry.name)
    outputs.figure(say, drawn, "plane", alt)
    st.caption(say("plane.note", share=say.number(100 * sum(shares))))
    return entry

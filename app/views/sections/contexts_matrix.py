"""Contexts: each context with each, beside what two random words have in common."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import context_resources
from app.context_resources import Question
from app.figures.contexts_numbers import MatrixOrder, similarity_figure
from app.views.sections.contexts_sentences import Asked
from app.widgets import outputs
from app.widgets.frame import Here
from embeddings.analysis.contextual import by_group
from embeddings.results.likeness import LikenessMatrix, Separation


def show(
    here: Here, question: Question, asked: Asked, groups: list[str], look: tuple[int, bool]
) -> None:
    """Draw the matrix of a layer, plain or centred (``look``), ordered by group."""
    say, (layer, centred) = here.say, look
    found = context_resources.likeness(question, layer)
    cosines = found.centred if centred else found.cosine
    baseline = found.centred_baseline if centred else found.baseline
    rows = by_group(found.centred, groups)
    ordered = [groups[row] for row in rows]
    order = MatrixOrder(rows, [ordered.count(group) for group in dict.fromkeys(ordered)])
    sentences = [context.text for context in asked.contexts]
    st.header(say("contexts.matrix"), anchor=False)
    st.markdown(say("contexts.matrix_lead", baseline=say.number(baseline, 2)))
    drawn = similarity_figure(cosines, baseline, order, sentences, say.separators)
    alt = say("contexts.matrix_alt", word=asked.word, layer=layer)
    outputs.figure(say, drawn, "contexts-matrix", alt)
    _table(here, found, asked)


def _table(here: Here, found: LikenessMatrix, asked: Asked) -> None:
    """Offer the cosines of all pairs, plain and centred."""
    say, count = here.say, len(asked.contexts)
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    rows = pd.DataFrame(
        {
            "#1": [a + 1 for a, _ in pairs],
            "#2": [b + 1 for _, b in pairs],
            say("common.similarity"): [float(found.cosine[pair]) for pair in pairs],
            say("contexts.random"): found.baseline,
            say("contexts.centred"): [float(found.centred[pair]) for pair in pairs],
            say("contexts.random_centred"): found.centred_baseline,
        }
    )
    outputs.csv(say, rows, "contexts-pairs")


def numbers(here: Here, sweep: Separation, layer: int) -> None:
    """Write the mean cosines of pairs at a layer, plain and centred, beside those of random words."""
    say = here.say
    st.table(
        pd.DataFrame(
            [
                {
                    "": say("contexts.plain"),
                    say("contexts.within"): say.number(float(sweep.within[layer]), 3),
                    say("contexts.between"): say.number(float(sweep.between[layer]), 3),
                    say("contexts.random"): say.number(float(sweep.baseline[layer]), 3),
                },
                {
                    "": say("contexts.centred"),
                    say("contexts.within"): say.number(float(sweep.centred_within[layer]), 3),
                    say("contexts.between"): say.number(float(sweep.centred_between[layer]), 3),
                    say("contexts.random"): say.number(float(sweep.centred_baseline[layer]), 3),
                },
            ]
        ).set_index("")
    )

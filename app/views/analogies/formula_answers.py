"""Analogies: the answers of every chosen model side by side, and the plane of one model's answers."""

from __future__ import annotations

import streamlit as st

from app.figures.analogy_plane import parallelogram_figure
from app.loaders import shelf_models
from app.widgets import inputs, outputs, ranked_words
from app.widgets.frame import PageState
from embeddings.analysis.analogies import solve
from embeddings.analysis.projection import parallelogram
from embeddings.errors import KlyuchError
from embeddings.results import Analogy
from embeddings.shelf import Entry


def show_answers(page: PageState, formula: str, rule: str, include: bool) -> dict[Entry, Analogy]:
    """Answer the formula with every model; the page ends if one of them cannot."""
    say = page.say
    analogies: dict[Entry, Analogy] = {}
    try:
        for entry in page.entries:
            vectors = shelf_models.vectors(entry)
            analogies[entry] = solve(vectors, formula, method=rule, include_inputs=include)
    except KlyuchError as error:
        outputs.refuse(say, error, inputs.replaced("formula", formula, error), "formula")
        raise outputs.Halt from error
    expression = next(iter(analogies.values())).expression
    best_words = dict.fromkeys(
        analogy.answers[0].word for analogy in analogies.values() if analogy.answers
    )
    st.subheader(outputs.plain(f"{expression} ≈ {' / '.join(best_words)}"), anchor=False)
    answers = {entry: analogy.answers for entry, analogy in analogies.items()}
    ranked_words.lists(page, answers, "answers", "analogies.alt", expression)
    inputs_note = say("analogies.included" if include else "analogies.excluded")
    st.caption(f"{inputs_note} {say(f'analogies.note_{rule}')} {say('tier.note')}")
    ranked_words.as_table(page, answers, "analogy", "score")
    return analogies


def show_plane(page: PageState, analogies: dict[Entry, Analogy]) -> Entry:
    """Draw the plane of one model; return the model."""
    say = page.say
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    left.header(say("plane.title"), anchor=False)
    labels = {entry.name: page.label(entry) for entry in analogies}
    with right:
        name = inputs.pick(say, "drawn", list(labels), labels)
    entry = next(candidate for candidate in analogies if candidate.name == name)
    analogy = analogies[entry]
    distinct = {term.word for term in analogy.terms} | {row.word for row in analogy.answers}
    if len(distinct) < 3:
        st.info(say("plane.too_few"))
        return entry
    projection = parallelogram(shelf_models.vectors(entry), analogy)
    shares = projection.explained_variance_ratio
    axes = [
        say("map.component_share", number=number, share=say.number(100 * share, 1))
        for number, share in enumerate(shares, 1)
    ]
    figure = parallelogram_figure(projection, analogy.terms, axes, say.separators)
    alt = say("plane.alt", formula=analogy.expression, model=entry.name)
    outputs.figure(say, figure, "plane", alt)
    st.caption(say("plane.note", share=say.number(100 * sum(shares))))
    return entry

"""Analogies: the answers of every chosen model side by side."""

from __future__ import annotations

import streamlit as st

from app import resources
from app.views.sections import ranked
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.analysis.analogies import solve
from embeddings.errors import KlyuchError
from embeddings.library import Entry
from embeddings.results import Analogy


def show(here: Here, formula: str, rule: str, include: bool) -> dict[Entry, Analogy]:
    """Answer the formula with every model; one that cannot be answered ends the page."""
    say = here.say
    solved: dict[Entry, Analogy] = {}
    try:
        for entry in here.entries:
            vectors = resources.vectors(entry)
            solved[entry] = solve(vectors, formula, method=rule, include_inputs=include)
    except KlyuchError as error:
        outputs.refuse(say, error, inputs.replaced("formula", formula, error), "formula")
        raise outputs.Halt from error
    expression = next(iter(solved.values())).expression
    words = dict.fromkeys(a.answers[0].word for a in solved.values() if a.answers)
    st.subheader(outputs.plain(f"{expression} ≈ {' / '.join(words)}"), anchor=False)
    answers = {entry: analogy.answers for entry, analogy in solved.items()}
    ranked.lists(here, answers, "answers", "analogies.alt", expression)
    said = say("analogies.included" if include else "analogies.excluded")
    st.caption(f"{said} {say(f'analogies.note_{rule}')} {say('tier.note')}")
    ranked.as_table(here, answers, "analogy", "score")
    return solved

"""Analogies: the answers of every chosen model side by side."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from embeddings.library import Entry

from app import resources
from app.figures.neighbours import neighbours_figure
from app.figures.palette import method_colour
from app.views.sections.frequency import note, row_of
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.analysis.analogies import solve
from embeddings.errors import KlyuchError
from embeddings.results import Analogy

SHOWN = 10


def show(here: Here, formula: str, rule: str, include: bool) -> dict[Entry, Analogy]:
    """Answer the formula with every model; one that cannot be answered ends the page."""
    say = here.say
    solved: dict[Entry, Analogy] = {}
    for entry in here.entries:
        try:
            solved[entry] = solve(
                resources.vectors(entry), formula, method=rule, topn=SHOWN, include_inputs=include
            )
        except KlyuchError as error:
            outputs.refuse(say, error, inputs.replaced("formula", formula, error), "formula")
            st.stop()
    _sentence(here, solved)
    named = [row.word for analogy in solved.values() for row in analogy.answers]
    shared = {word for word in named if named.count(word) > 1}
    columns = st.columns(len(solved))
    for place, (column, (entry, analogy)) in enumerate(zip(columns, solved.items(), strict=True)):
        vectors = resources.vectors(entry)
        drawn = neighbours_figure(
            analogy.answers,
            title=here.label(entry),
            colour=method_colour(entry.method, place),
            shared=shared,
            notes=[note(say, vectors, row.count) for row in analogy.answers],
            separators=say.separators,
        )
        words = ", ".join(row.word for row in analogy.answers)
        alt = say("analogies.alt", formula=analogy.expression, model=entry.name, words=words)
        with column:
            outputs.figure(say, drawn, f"answers-{entry.name}", alt)
    inputs_said = say("analogies.included" if include else "analogies.excluded")
    st.caption(f"{inputs_said} {say(f'analogies.note_{rule}')} {say('tier.note')}")
    _table(here, solved)
    return solved


def _sentence(here: Here, solved: dict[Entry, Analogy]) -> None:
    """Say the answers in one large line."""
    parts = {here.label(entry): a.answers[0].word for entry, a in solved.items() if a.answers}
    expression = next(iter(solved.values())).expression
    if parts:
        words = list(dict.fromkeys(parts.values()))
        st.subheader(outputs.plain(f"{expression} ≈ {' / '.join(words)}"), anchor=False)


def _table(here: Here, solved: dict[Entry, Analogy]) -> None:
    """Offer all answers as a table."""
    say = here.say
    lines = [
        row_of(say, here.label(entry), rank, row, resources.vectors(entry), "score")
        for entry, analogy in solved.items()
        for rank, row in enumerate(analogy.answers, 1)
    ]
    with st.expander(say("common.as_table"), icon=":material/table_rows:"):
        outputs.table(say, pd.DataFrame(lines), "analogy")

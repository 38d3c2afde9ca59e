"""Explore: neighbours of one word from every chosen model side by side."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st
from embeddings.library import Entry

from app import resources
from app.figures.neighbours import neighbours_figure
from app.figures.palette import method_colour
from app.views.sections.frequency import note, row_of
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.analysis.similarity import Filters, neighbours
from embeddings.errors import KlyuchError
from embeddings.results import Neighbour
from embeddings.text.forms import lemma

Named = dict[str, tuple[Entry, ...]]


def show(here: Here, word: str) -> tuple[Named, dict[str, object]]:
    """Show the neighbours; return the words with the models that name them, and the filters."""
    say = here.say
    with st.expander(say("explore.filters"), icon=":material/tune:"):
        left, right = st.columns(2)
        with left:
            topn = inputs.number(say, "n", 10, 3, 40)
            pattern = inputs.line(say, "pattern", "")
        with right:
            least = inputs.number(say, "min", 0, 0, 1000)
            fold = inputs.switch(say, "fold")
    asked = {"topn": topn, "pattern": pattern, "min_count": least, "fold": fold and here.language}
    wanted = Filters(pattern=pattern, min_count=least)
    if fold:
        wanted["fold"] = partial(lemma, language=here.language)
    found: dict[Entry, tuple[Neighbour, ...]] = {}
    for entry in here.entries:
        try:
            found[entry] = neighbours(resources.vectors(entry), word, topn, **wanted)
        except KlyuchError as error:
            outputs.refuse(say, error, lambda other: {"word": other}, entry.name)
            if error.code.startswith("word"):
                return {}, asked
            st.stop()
    named: dict[str, tuple[Entry, ...]] = {word: tuple(found)}
    for entry, rows in found.items():
        for row in rows:
            named[row.word] = (*named.get(row.word, ()), entry)
    _draw(here, word, found, named)
    return named, asked


def _draw(
    here: Here,
    word: str,
    found: dict[Entry, tuple[Neighbour, ...]],
    named: dict[str, tuple[Entry, ...]],
) -> None:
    """Draw a list a model, then the table."""
    say = here.say
    shared = {name for name, entries in named.items() if len(entries) > 1}
    for place, (column, (entry, rows)) in enumerate(
        zip(st.columns(len(found)), found.items(), strict=True)
    ):
        with column:
            if not rows:
                st.info(say("explore.none_left"))
                continue
            drawn = neighbours_figure(
                rows,
                title=here.label(entry),
                colour=method_colour(entry.method, place),
                shared=shared,
                notes=[note(say, resources.vectors(entry), row.count) for row in rows],
                separators=say.separators,
            )
            words = ", ".join(row.word for row in rows)
            alt = say("explore.neighbours_alt", word=word, model=entry.name, words=words)
            outputs.figure(say, drawn, f"neighbours-{entry.name}", alt)
    st.caption(say("explore.neighbours_note", tiers=say("tier.note")))
    lines = [
        row_of(say, here.label(entry), rank, row, resources.vectors(entry))
        for entry, rows in found.items()
        for rank, row in enumerate(rows, 1)
    ]
    with st.expander(say("common.as_table"), icon=":material/table_rows:"):
        outputs.table(say, pd.DataFrame(lines), "neighbours")
    formula = r"\cos(u, v) = \frac{u \cdot v}{\lVert u \rVert \, \lVert v \rVert}"
    outputs.explain(say, "explore", formula)

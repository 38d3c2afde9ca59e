"""Explore: the words on a map, coloured by model, group or frequency."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import resources
from app.figures.word_map import map_figure
from app.views.sections import marked
from app.views.sections.projected import NAMES, projected
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.library import Entry
from embeddings.results import Projection

Named = dict[str, tuple[Entry, ...]]


def show(here: Here, named: Named, strong: tuple[str, ...]) -> None:
    """Show the words of ``named`` on a map, the ``strong`` ones larger."""
    say = here.say
    st.header(say("map.title"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = {entry.name: here.label(entry) for entry in here.entries}
        name = inputs.pick(say, "space", list(labels), labels)
        method = inputs.choice(say, "method_map", list(NAMES))
        dimensions = int(inputs.choice(say, "dim", ("2", "3")))
        ways = ("model", "cluster", "frequency") if strong else ("cluster", "frequency")
        colour = inputs.choice(say, "by", ways)
    entry = next(e for e in here.entries if e.name == name)
    vectors = resources.vectors(entry)
    named = {vectors.words[vectors.row(w)]: who for w, who in named.items() if w in vectors}
    strong = tuple(vectors.words[vectors.row(w)] for w in strong if w in vectors)
    if len(named) <= dimensions:
        st.info(say("map.too_few"))
        return
    projection = projected(here, entry, tuple(named), method, dimensions)
    if projection is None:
        return
    marks = marked.found(here, marked.marks(here, vectors, named, colour, strong), projection.words)
    shares = projection.explained_variance_ratio
    axes = [
        say(
            f"map.{'component_share' if dimensions == 2 else 'component'}",
            number=i,
            share=say.number(100 * share, 1),
        )
        for i, share in enumerate(shares, 1)
    ]
    drawn = map_figure(projection, marks, axes, say.separators)
    alt = say("map.alt", words=len(named), model=entry.name, method=NAMES[method])
    flat = dimensions == 2  # Plotly selects nothing in three dimensions
    event = outputs.figure(say, drawn, "map", alt, on_select="rerun" if flat else "ignore")
    points = event.selection.points if flat else []
    _selected(here, projection, [p["customdata"][0] for p in points if "customdata" in p])


def _selected(here: Here, projection: Projection, chosen: list[str]) -> None:
    """List what is selected, and offer the coordinates."""
    say = here.say
    if chosen:
        st.markdown(outputs.plain(say("map.selected", words=", ".join(chosen))))
    else:
        st.caption(say("map.select_hint"))
    rows = pd.DataFrame(
        projection.coordinates, columns=["x", "y", "z"][: projection.coordinates.shape[1]]
    )
    rows.insert(0, say("common.word"), projection.words)
    outputs.csv(say, rows[rows[say("common.word")].isin(chosen)] if chosen else rows, "map")
    outputs.explain(
        say,
        "map",
        r"z = \frac{x - \mu}{\sigma}, \quad C = \frac{Z^\top Z}{n - 1}, \quad"
        r" C v_l = \lambda_l v_l, \quad T = Z V_L",
    )

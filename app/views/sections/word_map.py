"""Explore: the words on a map, coloured by model, group or frequency."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from embeddings.library import Entry

from app import resources
from app.figures.palette import CATEGORIES, GREY, method_colour
from app.figures.word_map import Marks, map_figure
from app.views.sections.frequency import note
from app.views.sections.projected import NAMES, projected
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.analysis.clusters import cluster
from embeddings.analysis.frequency import magnitudes
from embeddings.analysis.similarity import matching
from embeddings.errors import KlyuchError
from embeddings.results import Projection
from embeddings.vectors.table import Vectors

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
        colour = inputs.choice(say, "by", ("model", "cluster", "frequency"))
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
    marks = _found(here, _marks(here, vectors, named, colour, strong), projection.words)
    shares = projection.explained_variance_ratio
    axes = [
        say("map.component_share", number=i, share=say.number(100 * share, 1))
        for i, share in enumerate(shares, 1)
    ]
    drawn = map_figure(projection, marks, axes, say.separators)
    alt = say("map.alt", words=len(named), model=entry.name, method=NAMES[method])
    flat = dimensions == 2  # Plotly selects nothing in three dimensions
    event = outputs.figure(say, drawn, "map", alt, on_select="rerun" if flat else "ignore")
    points = event.selection.points if flat else []
    _selected(here, projection, [p["customdata"][0] for p in points if "customdata" in p])


def _marks(
    here: Here, vectors: Vectors, named: Named, colour: str, strong: tuple[str, ...]
) -> Marks:
    """Return groups and colours of the words."""
    say, words = here.say, tuple(named)
    notes = [note(say, vectors, vectors.count(vectors.row(word))) for word in words]
    if colour == "frequency" and vectors.counts is not None:
        values = magnitudes(vectors, words)
        return Marks([""] * len(words), {}, values, say("common.count"), (), strong, notes)
    if colour == "cluster":
        groups = [say("map.cluster", number=n + 1) for n in cluster(vectors, words)]
        colours = dict(zip(sorted(set(groups)), CATEGORIES, strict=False))
        return Marks(groups, colours, strong=strong, notes=notes)
    labels = [
        here.label(entries[0]) if len(entries) == 1 else say("map.several")
        for entries in named.values()
    ]
    groups = [say("map.query") if w in strong else g for w, g in zip(words, labels, strict=True)]
    colours = {here.label(e): method_colour(e.method, i) for i, e in enumerate(here.entries)}
    colours |= {say("map.several"): GREY, say("map.query"): CATEGORIES[3]}
    return Marks(groups, colours, strong=strong, notes=notes)


def _found(here: Here, marks: Marks, words: tuple[str, ...]) -> Marks:
    """Let a regular expression bring words to the front."""
    pattern = inputs.line(here.say, "find", "")
    if not pattern:
        return marks
    try:
        kept = matching(words, pattern)
    except KlyuchError as error:
        outputs.refuse(here.say, error)
        return marks
    st.caption(here.say("map.matches", found=len(kept), words=len(words)))
    return marks.faded_but(words, kept)


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

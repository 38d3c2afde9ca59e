"""Explore: the words on a map, coloured by model, group or frequency.

Explore: how the words of the map are marked, by model, group or frequency, and found on it.
Explore: coordinates of a map, PCA at once, t-SNE and UMAP behind a button.
"""

from __future__ import annotations

import time

import pandas as pd
import streamlit as st

from app.figures.palette import CATEGORIES, GREY, QUERY, method_colour
from app.figures.word_map import LABELLED, Marks, map_figure
from app.loaders import shelf_models
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.widgets.ranked_words import frequency_note
from embeddings.analysis.clustering import cluster
from embeddings.analysis.frequency import magnitudes
from embeddings.analysis.projection import project
from embeddings.analysis.similarity import matching
from embeddings.errors import KlyuchError
from embeddings.results import Projection
from embeddings.shelf import Entry
from embeddings.vectors.table import Vectors

Named = dict[str, tuple[Entry, ...]]


def mark_words(
    page: PageState, vectors: Vectors, named: Named, colour: str, strong: tuple[str, ...]
) -> Marks:
    """Return groups and colours of the words."""
    say, words = page.say, tuple(named)
    notes = [frequency_note(say, vectors, vectors.count(vectors.row(word))) for word in words]
    if colour == "frequency" and vectors.counts is not None:
        values = magnitudes(vectors, words)
        return Marks([""] * len(words), {}, values, say("common.count"), (), strong, notes)
    if colour == "cluster":
        numbers = cluster(vectors, words)
        names = [say("map.cluster", number=n + 1) for n in range(max(numbers) + 1)]
        colours = dict(zip(names, CATEGORIES, strict=False))
        groups = [names[n] for n in numbers]
        return Marks(groups, colours, strong=strong, notes=notes)
    labels = [
        page.label(entries[0]) if len(entries) == 1 else say("map.several")
        for entries in named.values()
    ]
    groups = [say("map.query") if w in strong else g for w, g in zip(words, labels, strict=True)]
    colours = {page.label(e): method_colour(e.method, i) for i, e in enumerate(page.entries)}
    colours |= {say("map.several"): GREY, say("map.query"): QUERY}
    return Marks(groups, colours, strong=strong, notes=notes)


def find_on_map(page: PageState, plain: Marks, words: tuple[str, ...]) -> Marks:
    """Let a regular expression bring words to the front."""
    pattern = inputs.line(page.say, "find", "")
    if not pattern:
        return plain
    try:
        kept = matching(words, pattern)
    except KlyuchError as error:
        outputs.refuse(page.say, error)
        return plain
    st.caption(page.say("map.matches", found=len(kept), words=len(words)))
    return plain.faded_but(words, kept)


NAMES = {"pca": "PCA", "tsne": "t-SNE", "umap": "UMAP"}


def projected(
    page: PageState, entry: Entry, words: tuple[str, ...], method: str, dimensions: int
) -> Projection | None:
    """Return coordinates and say what they were fitted on; None until a slow method starts."""
    if method == "pca":
        return _by_pca(page, entry, words, dimensions)
    say, name = page.say, NAMES[method]
    key = (entry.name, words, method, dimensions)
    done: dict[object, Projection] = st.session_state.setdefault("_maps", {})
    if key not in done:
        slot = st.empty()  # the offer gives way to the work
        with slot.container():
            st.markdown(say("map.wait", method=name, words=len(words)))
            if not st.button(say("map.again", method=name), type="primary", key="start-map"):
                return None
        with slot.status(say("map.running", method=name, words=len(words))) as status:
            began = time.monotonic()
            done[key] = project(
                shelf_models.vectors(entry), words, method=method, dimensions=dimensions
            )
            seconds = say.number(time.monotonic() - began, 1)
            status.update(label=say("map.ready", method=name, seconds=seconds), state="complete")
    st.markdown(say("map.lead_other", method=name))
    _say_labelled(page, words)
    return done[key]


def _by_pca(page: PageState, entry: Entry, words: tuple[str, ...], dimensions: int) -> Projection:
    """Return the principal components, with the two choices that they depend on."""
    say, vectors = page.say, shelf_models.vectors(entry)
    size = vectors.vector_size
    with st.container(horizontal=True, vertical_alignment="bottom"):
        fit = inputs.choice(say, "fit", ("shown", "all"))
        standardize = inputs.switch(say, "standardize", default=True)
    projection = project(
        vectors,
        words,
        method="pca",
        dimensions=dimensions,
        standardize=standardize,
        fit_on=None if fit == "shown" else vectors.words,
    )
    st.markdown(say("map.lead", size=size, dimensions=dimensions, words=len(words)))
    fitted = say(
        f"map.fitted_{fit}",
        words=say.number(len(words if fit == "shown" else vectors)),
        shown=len(words),
    )
    st.caption(f"{fitted} {say('map.standardised' if standardize else 'map.centred', size=size)}")
    _say_labelled(page, words)
    return projection


def _say_labelled(page: PageState, words: tuple[str, ...]) -> None:
    """Say that not every word of a large map carries its label."""
    if len(words) > LABELLED:
        st.caption(page.say("map.thinned", most=LABELLED))


def show_map(page: PageState, named: Named, strong: tuple[str, ...]) -> None:
    """Show the words of ``named`` on a map, the ``strong`` ones larger."""
    say = page.say
    st.header(say("map.title"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = {entry.name: page.label(entry) for entry in page.entries}
        name = inputs.pick(say, "space", list(labels), labels)
        method = inputs.choice(say, "method_map", list(NAMES))
        dimensions = int(inputs.choice(say, "dim", ("2", "3")))
        ways = ("model", "cluster", "frequency") if strong else ("cluster", "frequency")
        colour = inputs.choice(say, "by", ways)
    entry = next(e for e in page.entries if e.name == name)
    vectors = shelf_models.vectors(entry)
    named = {vectors.words[vectors.row(w)]: who for w, who in named.items() if w in vectors}
    strong = tuple(vectors.words[vectors.row(w)] for w in strong if w in vectors)
    if len(named) <= dimensions:
        st.info(say("map.too_few"))
        return
    projection = projected(page, entry, tuple(named), method, dimensions)
    if projection is None:
        return
    marks = find_on_map(page, mark_words(page, vectors, named, colour, strong), projection.words)
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
    _selected(page, projection, [p["customdata"][0] for p in points if "customdata" in p])


def _selected(page: PageState, projection: Projection, chosen: list[str]) -> None:
    """List what is selected, and offer the coordinates."""
    say = page.say
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

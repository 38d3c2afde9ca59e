"""Explore: coordinates of a map, PCA at once, t-SNE and UMAP behind a button."""

from __future__ import annotations

import time

import streamlit as st

from app import resources
from app.figures.word_map import LABELLED
from app.widgets import inputs
from app.widgets.frame import Here
from embeddings.analysis.projection import project
from embeddings.library import Entry
from embeddings.results import Projection

NAMES = {"pca": "PCA", "tsne": "t-SNE", "umap": "UMAP"}


def projected(
    here: Here, entry: Entry, words: tuple[str, ...], method: str, dimensions: int
) -> Projection | None:
    """Return coordinates and say what they were fitted on; None until a slow method starts."""
    if method == "pca":
        return _by_pca(here, entry, words, dimensions)
    say, name = here.say, NAMES[method]
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
                resources.vectors(entry), words, method=method, dimensions=dimensions
            )
            seconds = say.number(time.monotonic() - began, 1)
            status.update(label=say("map.ready", method=name, seconds=seconds), state="complete")
    st.markdown(say("map.lead_other", method=name))
    _say_labelled(here, words)
    return done[key]


def _by_pca(here: Here, entry: Entry, words: tuple[str, ...], dimensions: int) -> Projection:
    """Return the principal components, with the two choices that they depend on."""
    say, vectors = here.say, resources.vectors(entry)
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
    _say_labelled(here, words)
    return projection


def _say_labelled(here: Here, words: tuple[str, ...]) -> None:
    """Say that not every word of a large map carries its label."""
    if len(words) > LABELLED:
        st.caption(here.say("map.thinned", most=LABELLED))

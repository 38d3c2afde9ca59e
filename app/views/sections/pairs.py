"""Explore: the similarity of two words, the odd one out, and words on an axis between two."""

from __future__ import annotations

import streamlit as st

from app import resources
from app.views.sections import between
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.analysis.similarity import odd_one_out, similarity
from embeddings.errors import KlyuchError


def show(here: Here) -> None:
    """Show the three questions, each with words to start from."""
    st.header(here.say("pairs.title"), anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        _pair(here)
    with right:
        _odd(here)
    between.show(here)


def _pair(here: Here) -> None:
    """Cosine of two words in every model."""
    say = here.say
    st.subheader(say("pairs.similarity"), anchor=False)
    words = inputs.split_list(inputs.line(say, "pair", here.examples["pair"]))
    if len(words) != 2:
        st.info(say("pairs.need_two"))
        return
    with st.container(horizontal=True):
        for entry in here.entries:
            try:
                value = similarity(resources.vectors(entry), *words)
            except KlyuchError as error:
                outputs.refuse(
                    say, error, inputs.swapped({"pair": words}, error), f"pair-{entry.name}"
                )
                return
            st.metric(here.label(entry), say.number(value, 3))


def _odd(here: Here) -> None:
    """Name the word that does not fit, by every model."""
    say = here.say
    st.subheader(say("pairs.odd"), anchor=False)
    words = inputs.split_list(inputs.line(say, "odd", here.examples["odd"]))
    if len(words) < 3:
        st.info(say("pairs.need_three"))
        return
    with st.container(horizontal=True):
        for entry in here.entries:
            try:
                st.metric(here.label(entry), odd_one_out(resources.vectors(entry), words))
            except KlyuchError as error:
                outputs.refuse(
                    say, error, inputs.swapped({"odd": words}, error), f"odd-{entry.name}"
                )
                return
    st.caption(say("pairs.odd_note"))

"""Explore: all words of a model on one map; a box that is dragged is looked at closer, and its words get their names."""

from __future__ import annotations

import streamlit as st

from app.figures.word_map import Window, rows_in, vocabulary_figure
from app.loaders import shelf_models, word_answers
from app.views.explore.words_on_map import explain_map, take_words
from app.widgets import address, inputs, outputs, views
from app.widgets.frame import PageState
from embeddings.analysis.frequency import magnitudes

KEY, WINDOW = "vocabulary-map", "_vocabulary_window"
MOST_LISTED = 10_000  # words that a list takes


SHOWN = "vocabulary_shown"


def is_shown() -> bool:
    """Return whether the map is switched on."""
    return address.keep(SHOWN, default=False)


def offer(page: PageState) -> None:
    """Let the map be switched on."""
    inputs.switch(page.say, SHOWN)


def show_vocabulary(page: PageState) -> None:
    """Show all words of a model."""
    say = page.say
    labels = {entry.name: page.label(entry) for entry in page.entries}
    name = inputs.pick_model(say, "vocabulary_space", list(labels), labels)
    entry = next(candidate for candidate in page.entries if candidate.name == name)
    vectors = shelf_models.vectors(entry)
    with st.spinner(say("vocabulary.running"), show_time=False):
        projection = word_answers.vocabulary_map(entry)
    if st.session_state.get("_vocabulary_of", name) != name:
        st.session_state.pop(WINDOW, None)
    st.session_state["_vocabulary_of"] = name
    window: Window | None = st.session_state.get(WINDOW)
    rows = rows_in(projection, window)
    drawn, total = len(projection.words), len(vectors)
    lead = "vocabulary.all" if drawn == total else "vocabulary.sample"
    st.markdown(say(lead, drawn=drawn, total=total))
    shares = [say.number(100 * share, 1) for share in projection.explained_variance_ratio]
    axes = [say("map.component_share", number=n, share=share) for n, share in enumerate(shares, 1)]
    values = None if vectors.counts is None else magnitudes(vectors, projection.words)
    figure = vocabulary_figure(
        projection, values, window, (axes[0], axes[1], say("common.count")), say.separators
    )
    alt = say("vocabulary.alt", words=len(rows), model=entry.name)
    outputs.figure(say, figure, KEY, alt, on_select=_select, selection_mode=("points", "box"))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(say("vocabulary.seen", words=len(rows)))
        if window is not None:
            st.button(say("vocabulary.whole"), key="vocabulary-whole", on_click=_show_whole)
            words = [projection.words[row] for row in rows[:MOST_LISTED]]
            st.button(
                say("map.as_list", words=len(words)),
                key="vocabulary-list",
                disabled=not words,
                on_click=take_words,
                args=(words,),
            )
    with views.footer():
        explain_map(page)


def _select() -> None:
    """Look closer at the box that was dragged, or ask for the word whose dot was clicked."""
    selection = st.session_state[KEY]["selection"]
    if boxes := selection.get("box"):
        x, y = boxes[0]["x"], boxes[0]["y"]
        st.session_state[WINDOW] = (min(x), max(x), min(y), max(y))
    elif points := selection.get("points"):
        address.put(word=points[0]["customdata"][0])


def _show_whole() -> None:
    """Return to the whole map."""
    st.session_state.pop(WINDOW, None)

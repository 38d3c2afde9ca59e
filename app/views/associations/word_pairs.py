"""Associations: the similarity of two words, the odd one out, words on an axis between two, and a list each with each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from app.figures.word_similarities import axis_figure, cosine_matrix_figure
from app.loaders import shelf_models
from app.widgets import inputs, outputs, saved_files, snippets, views
from app.widgets.frame import PageState
from app.widgets.model_refusals import answers_of, refuse_together, say_missing, say_reading
from app.widgets.run_spreads import opened_spread, range_text
from embeddings.analysis.similarity import axis, odd_one_out, similarity, similarity_matrix
from embeddings.analysis.stability import cosine_range
from embeddings.shelf import Entry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


COSINE = r"\cos(u, v) = \frac{u \cdot v}{\lVert u \rVert \, \lVert v \rVert}"
AXIS = r"p(w) = \cos(w,\, h - l)"


def show_pair_questions(page: PageState) -> None:
    """Show the three questions, each with words to start from."""
    say = page.say
    left, right = st.columns([2, 3], gap="large")
    with left:
        pair = _show_similarity(page)
        odd = _show_odd_one_out(page)
    with right:
        ends, between, rows = _show_axis(page)
    with views.footer():
        outputs.explain(say, "pairs", COSINE, AXIS)
        code = snippets.pairs([e.name for e in page.entries], pair, odd, ends, between)
        outputs.take_away(page, code, page.entries)
        if rows:
            outputs.csv(say, lambda: pd.DataFrame(rows), "axis")


def _show_similarity(page: PageState) -> tuple[str, ...]:
    """Show the cosine of two words in every model; return the words."""
    say = page.say
    st.subheader(say("pairs.similarity"), anchor=False)
    words = inputs.split_list(inputs.line(say, "pair", page.examples["pair"]))
    if len(words) != 2:
        st.info(say("pairs.need_two"))
        return ()
    cosines, refusals = answers_of(
        page.entries, lambda entry: similarity(shelf_models.vectors(entry), *words)
    )
    with st.container(horizontal=True):
        for entry, value in cosines.items():
            with st.container(width="content"):
                st.metric(outputs.plain(page.label(entry)), say.number(value, 3))
                pair = f"{words[0]} · {words[1]}, {page.label(entry)}"
                saved_files.note(outputs.plain(f"{pair}: {say.number(value, 3)}"))
                _show_range(page, entry, words)
    say_reading(page, words)
    refuse_together(page, refusals, partial(inputs.swapped, {"pair": words}), "pair")
    return words


def _show_range(page: PageState, entry: Entry, words: tuple[str, ...]) -> None:
    """Show between which values the cosine lies when the model is trained again."""
    spread = opened_spread(page, entry)
    span = cosine_range(spread, *words[:2]) if spread else None
    if span and span.deviation is not None:
        st.caption(page.say("spread.of_runs", range=range_text(page.say, span, 3), runs=span.runs))


def _show_odd_one_out(page: PageState) -> tuple[str, ...]:
    """Show the word that does not fit, by every model; return the words."""
    say = page.say
    st.subheader(say("pairs.odd"), anchor=False)
    words = inputs.split_list(inputs.line(say, "odd", page.examples["odd"]))
    if len(words) < 3:
        st.info(say("pairs.need_three"))
        return ()
    odd_words, refusals = answers_of(
        page.entries, lambda entry: odd_one_out(shelf_models.vectors(entry), words)
    )
    with st.container(horizontal=True):
        for entry, odd in odd_words.items():
            st.metric(outputs.plain(page.label(entry)), outputs.plain(odd))
            listed = f"{say('pairs.odd')} ({say.list(words)}), {page.label(entry)}: {odd}"
            saved_files.note(outputs.plain(listed))
    refuse_together(page, refusals, partial(inputs.swapped, {"odd": words}), "odd")
    if len(refusals) < len(page.entries):
        st.caption(say("pairs.odd_note"))
    return words


def _show_axis(page: PageState) -> tuple[tuple[str, ...], tuple[str, ...], list[dict[str, object]]]:
    """Place words between two ends; return both, and the rows of the table."""
    say = page.say
    st.subheader(say("pairs.axis"), anchor=False)
    left, right = st.columns([1, 2])
    with left:
        ends = inputs.split_list(inputs.line(say, "ends", page.examples["ends"]))
    with right:
        text = inputs.line(say, "between", page.examples["between"])
    words = inputs.split_list(text)
    if len(ends) != 2 or not words:
        st.info(say("pairs.need_two"))
        return (), (), []
    positions_by_model, refusals = answers_of(
        page.entries, lambda entry: axis(shelf_models.vectors(entry), *ends, words=words)
    )
    swap = partial(inputs.swapped, {"ends": ends, "between": words})
    say_reading(page, ends)
    refuse_together(page, refusals, swap, "axis")
    if not positions_by_model:
        return ends, words, []
    positions = {page.label(entry): rows for entry, rows in positions_by_model.items()}
    colours = {page.label(entry): page.colour(entry) for entry in positions_by_model}
    alt = say("pairs.axis_alt", low=ends[0], high=ends[1], model=say.list(positions))
    figure = axis_figure(positions, colours, (ends[0], ends[1]), say.separators)
    outputs.figure(say, figure, "axis", alt)
    st.caption(say("pairs.axis_note", low=ends[0], high=ends[1]))
    rows: list[dict[str, object]] = [
        {
            say("common.model"): model,
            say("common.word"): row.word,
            say("common.similarity"): row.position,
        }
        for model, positions_of_model in positions.items()
        for row in positions_of_model
    ]
    return ends, words, rows


MAX_MATRIX_WORDS = 40  # words of the matrix


def example(page: PageState) -> str:
    """Return the list that is shown before anybody types."""
    return page.examples["words"].split(" | ")[-1]


def show_word_matrix(page: PageState) -> None:
    """Draw the cosines of each word of a list with each, in one model."""
    say = page.say
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asked = inputs.line(say, "related", example(page))
        entry = inputs.pick_model(say, "cells", page.entries, page.label)
    words = inputs.split_list(asked)
    vectors = shelf_models.vectors(entry)
    known = [word for word in words if vectors.has_vector(word)]
    if len(known) < len(words):
        say_missing(page, words, (entry,), composed=True)
    say_reading(page, words)
    if len(known) < 2:
        st.info(say("pairs.need_list"))
        return
    shown = known[:MAX_MATRIX_WORDS]
    cosines = similarity_matrix(vectors, shown)
    alt = say("listed.matrix_alt", words=say.list(shown), model=entry.name)
    outputs.figure(say, cosine_matrix_figure(shown, cosines, say.separators), "matrix", alt)
    cut = say("listed.cut", shown=len(shown), known=len(known))
    st.caption(say("listed.alike") + (f" {cut}" if len(shown) < len(known) else ""))
    with views.footer():
        outputs.explain(say, "pairs")
        outputs.take_away(page, snippets.matrix(entry.name, shown), [entry])
        outputs.csv(say, lambda: _cosine_rows(shown, cosines), "matrix")


def _cosine_rows(words: list[str], cosines: NDArray[np.float32]) -> pd.DataFrame:
    """Return a row a word, with its cosine to each."""
    rows = pd.DataFrame(cosines, columns=words)
    rows.insert(0, "", pd.Series(words, dtype=object))
    return rows

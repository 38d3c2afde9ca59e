"""Associations: the words of a list, each with each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from app.figures.word_similarities import cosine_matrix_figure
from app.loaders import shelf_models
from app.widgets import inputs, outputs, snippets, views
from app.widgets.frame import PageState
from app.widgets.model_refusals import say_missing, say_reading
from embeddings.analysis.similarity import similarity_matrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_MATRIX_WORDS = 40  # words of the matrix


def example(page: PageState) -> str:
    """Return the list that is shown before anybody types."""
    return page.examples["words"].split(" | ")[-1]


def show_word_matrix(page: PageState) -> None:
    """Draw the cosines of each word of a list with each, in one model."""
    say = page.say
    labels = {entry.name: page.label(entry) for entry in page.entries}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asked = inputs.line(say, "related", example(page))
        name = inputs.pick_model(say, "cells", list(labels), labels)
    words = inputs.split_list(asked)
    entry = next(candidate for candidate in page.entries if candidate.name == name)
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
        outputs.take_away(page, snippets.matrix(name, shown), [entry])
        outputs.csv(say, lambda: _cosine_rows(shown, cosines), "matrix")


def _cosine_rows(words: list[str], cosines: NDArray[np.float32]) -> pd.DataFrame:
    """Return a row a word, with its cosine to each."""
    rows = pd.DataFrame(cosines, columns=words)
    rows.insert(0, "", pd.Series(words, dtype=object))
    return rows

"""Explore: a pasted list of words, as a table and each with each."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.figures.word_similarities import cosine_matrix_figure
from app.loaders import shelf_models
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.widgets.ranked_words import frequency_of
from embeddings.analysis.similarity import neighbours, similarity_matrix
from embeddings.errors import UnknownWordError
from embeddings.shelf import Entry

SHOWN = 3  # neighbours of each word in the table
CELLS = 40  # words of the matrix
EXPLAINED = 8  # left-out words of which each is spoken of on its own


def show(page: PageState, words: tuple[str, ...]) -> dict[str, tuple[Entry, ...]]:
    """Show the table and the matrix; return the known words with the models that know them."""
    say = page.say
    st.header(say("listed.title"), anchor=False)
    named: dict[str, tuple[Entry, ...]] = {}
    for entry in page.entries:
        vectors = shelf_models.vectors(entry)
        for word in words:
            if word in vectors:
                named[word] = (*named.get(word, ()), entry)
    _left_out(page, words)
    rows = []
    for word, entries in named.items():
        line = frequency_of(say, word, shelf_models.vectors(entries[0]))
        for entry in entries:
            near = neighbours(shelf_models.vectors(entry), word, SHOWN)
            line[say("listed.nearest", model=page.label(entry))] = ", ".join(n.word for n in near)
        rows.append(line)
    if not rows:
        return {}
    outputs.table(say, pd.DataFrame(rows), "list")
    _matrix(page, named)
    return named


def _matrix(page: PageState, named: dict[str, tuple[Entry, ...]]) -> None:
    """Draw the cosines of each word with each."""
    say = page.say
    st.header(say("listed.matrix"), anchor=False)
    labels = {entry.name: page.label(entry) for entry in page.entries}
    name = inputs.pick(say, "cells", list(labels), labels)
    entry = next(e for e in page.entries if e.name == name)
    known = [word for word, entries in named.items() if entry in entries]
    words = known[:CELLS]
    cosines = similarity_matrix(shelf_models.vectors(entry), words)
    alt = say("listed.matrix_alt", words=", ".join(words), model=entry.name)
    outputs.figure(say, cosine_matrix_figure(words, cosines, say.separators), "matrix", alt)
    cut = say("listed.cut", shown=len(words), known=say.number(len(known)))
    st.caption(say("listed.alike") + (f" {cut}" if len(words) < len(known) else ""))
    cells = pd.DataFrame(cosines, columns=words)
    cells.insert(0, "", pd.Series(words, dtype=object))
    outputs.csv(say, cells, "matrix")


def _left_out(page: PageState, words: tuple[str, ...]) -> None:
    """Say which words have no vector, once for all models that lack the same."""
    lacking: dict[tuple[str, ...], list[str]] = {}
    for entry in page.entries:
        vectors = shelf_models.vectors(entry)
        lacking.setdefault(tuple(w for w in words if w not in vectors), []).append(
            page.label(entry)
        )
    for missing, models in lacking.items():
        if missing:
            sentence = page.say("listed.missing", model=", ".join(models), words=", ".join(missing))
            st.info(outputs.plain(sentence))
    strange = {
        w: e for e in reversed(page.entries) for w in words if w not in shelf_models.vectors(e)
    }
    for word in [w for w in words if w in strange][:EXPLAINED]:
        _explain(page, words, word, strange[word])


def _explain(page: PageState, words: tuple[str, ...], word: str, entry: Entry) -> None:
    """Say why one word has no vector, and offer close spellings for its place in the list."""
    try:
        shelf_models.vectors(entry).row(word)
    except UnknownWordError as error:
        st.caption(f"«{outputs.plain(word)}»: {outputs.why(page.say, error)}")
        replace = inputs.swapped({"word": words}, error)
        outputs.instead(page.say, error.suggestions, replace, f"list-{word}")

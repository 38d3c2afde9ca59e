"""Explore: neighbours of one word from every chosen model side by side."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app.loaders import shelf_models
from app.widgets import inputs, outputs, ranked_words
from app.widgets.frame import PageState
from embeddings.analysis.similarity import Filters, neighbours
from embeddings.errors import KlyuchError
from embeddings.results import Neighbour
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma
from embeddings.vectors.search import nearest

Named = dict[str, tuple[Entry, ...]]
COSINE = r"\cos(u, v) = \frac{u \cdot v}{\lVert u \rVert \, \lVert v \rVert}"


def show(page: PageState, word: str) -> tuple[Named, dict[str, object]]:
    """Show the neighbours; return the words with the models that name them, and the filters."""
    say, asked = page.say, _filters(page)
    wanted = Filters(pattern=str(asked["pattern"]), min_count=int(str(asked["min_count"])))
    if asked["fold"]:
        wanted["fold"] = partial(lemma, language=page.language)
    found: dict[Entry, tuple[Neighbour, ...]] = {}
    try:
        for entry in page.entries:
            topn = int(str(asked["topn"]))
            found[entry] = neighbours(shelf_models.vectors(entry), word, topn, **wanted)
    except KlyuchError as error:
        outputs.refuse(say, error, lambda other: {"word": other}, "word")
        return {}, asked
    ranked_words.lists(page, found, "neighbours", "explore.neighbours_alt", word)
    st.caption(say("explore.neighbours_note", tiers=say("tier.note")))
    if asked["fold"] and (own := _own_forms(word, found, page.language)):
        st.caption(outputs.plain(say("explore.folded", word=word, forms=", ".join(own))))
    ranked_words.as_table(page, found, "neighbours", "similarity")
    outputs.explain(say, "explore", COSINE)
    named: Named = {word: tuple(found)}
    for entry, rows in found.items():
        for row in rows:
            named[row.word] = (*named.get(row.word, ()), entry)
    return named, asked


def _own_forms(
    word: str, found: dict[Entry, tuple[Neighbour, ...]], language: str
) -> tuple[str, ...]:
    """Return the asked word's own forms that would stand in the lists but for folding."""
    forms: dict[str, None] = {}
    own = lemma(word.lower(), language)
    for entry, rows in found.items():
        least = rows[-1].similarity if rows else -1.0
        vectors = shelf_models.vectors(entry)
        row = vectors.row(word)
        query, asked = vectors.unit_rows([row])[0], 4 * len(rows) + 16
        for near, cosine in zip(*nearest(vectors, query, asked, excluded=[row]), strict=True):
            form = vectors.words[near]
            if cosine >= least and lemma(form, language) == own:
                forms[form] = None
    return tuple(forms)


def _filters(page: PageState) -> dict[str, object]:
    """Ask for the filters; ``fold`` is a language or nothing."""
    say = page.say
    with st.expander(say("explore.filters"), icon=":material/tune:"):
        left, right = st.columns(2, gap="large")
        with left:
            topn = inputs.number(say, "n", 10, 3, 40)
            pattern = inputs.line(say, "pattern", "")
        with right:
            least = inputs.number(say, "min", 0, 0, 1000)
            fold = inputs.switch(say, "fold")
    language = page.language if fold else ""
    return {"topn": topn, "pattern": pattern, "min_count": least, "fold": language}

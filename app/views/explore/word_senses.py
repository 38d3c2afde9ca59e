"""Explore: the senses of one word that a model keeps, each with its neighbours and sentences, and with a point on the map."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.loaders import shelf_models, word_answers
from app.views.explore.words_on_map import ModelsByWord
from app.widgets import address, outputs, ranked_words, snippets, views
from app.widgets.frame import PageState
from embeddings.results.vector_answers import WordSense
from embeddings.shelf import Entry
from embeddings.vectors.sense_table import split_sense

NEIGHBOURS = 8  # of a sense
ON_MAP = 4  # of these on the map
A_ROW = 3  # senses side by side
SENTENCES = 3  # of a sense


def show_senses(page: PageState, word: str) -> None:
    """Show the senses of a word, or of the word of a sense, in every model that keeps them."""
    say, kept = page.say, _senses(page, word)
    if not kept:
        st.info(outputs.plain(say("senses.none", word=word)))
        return
    for entry, senses in kept.items():
        _show_lead(page, entry, senses)
        for start in range(0, len(senses), A_ROW):
            row = senses[start : start + A_ROW]
            for column, sense in zip(st.columns(A_ROW), row, strict=False):
                with column:
                    _show_sense(page, entry, sense)
    with views.footer():
        outputs.explain(say, "senses")
        parts = split_sense(word)
        code = snippets.senses([e.name for e in kept], parts[0] if parts else word, NEIGHBOURS)
        outputs.take_away(page, code, list(kept))


def on_map(page: PageState, word: str) -> ModelsByWord:
    """Return the senses of a word with some of their neighbours, and the models that keep them."""
    return {
        shown: (entry,)
        for entry, senses in _senses(page, word).items()
        for sense in senses
        for shown in (
            sense.word,
            *(row.word for row in word_answers.near(entry, sense.word, NEIGHBOURS)[:ON_MAP]),
        )
    }


def _senses(page: PageState, word: str) -> dict[Entry, Sequence[WordSense]]:
    """Return the senses of a word by the models that keep some."""
    parts = split_sense(word)
    kept = {
        entry: shelf_models.vectors(entry).senses_of(parts[0] if parts else word)
        for entry in page.entries
    }
    return {entry: senses for entry, senses in kept.items() if senses}


def _show_lead(page: PageState, entry: Entry, senses: Sequence[WordSense]) -> None:
    """Say which model keeps how many senses of which word."""
    say = page.say
    parts = split_sense(senses[0].word)
    word = outputs.plain(parts[0] if parts else senses[0].word)
    st.header(say("senses.title", word=word), anchor=False)
    label = outputs.plain(page.label(entry))
    st.markdown(say("senses.lead", model=label, word=word, count=len(senses)))


def _show_sense(page: PageState, entry: Entry, sense: WordSense) -> None:
    """Show one sense."""
    say, name = page.say, ", ".join(sense.name)
    st.markdown(f"**{outputs.plain(sense.word)}** {outputs.plain(name)}")
    st.caption(say("senses.share", share=say.number(100 * sense.share, 0)))
    rows = word_answers.near(entry, sense.word, NEIGHBOURS)
    words = [row.word for row in rows]
    alt = say("senses.alt", sense=sense.word, model=entry.name, words=", ".join(words))
    style = ranked_words.ListStyle(
        sense.word, page.colour(entry), (), f"sense-{entry.name}-{sense.word}", alt
    )
    ranked_words.draw_list(page, entry, rows, style)
    parts = split_sense(sense.word)
    texts = word_answers.sense_sentences(entry, page.language, parts[0] if parts else sense.word)
    _show_sentences(page, entry, sense, texts.get(sense.word, ()))


def _show_sentences(page: PageState, entry: Entry, sense: WordSense, texts: Sequence[str]) -> None:
    """Show sentences of a sense, and offer to ask about it and to open its sentences on the page of contexts."""
    say = page.say
    for text in texts[:SENTENCES]:
        st.caption(outputs.plain(text))
    key = f"{entry.name}-{sense.word}"
    with st.container(horizontal=True):
        st.button(
            outputs.plain(say("senses.ask", sense=sense.word)),
            key=f"ask-{key}",
            on_click=address.put,
            kwargs={"word": sense.word},
        )
        if texts and st.button(say("senses.contexts"), key=f"contexts-{key}"):
            parts = split_sense(sense.word)
            query = {
                "lang": say.language,
                "text": page.language,
                "contexts_source": "own",
                "contexts_asked": parts[0] if parts else sense.word,
                "contexts_lines": "\n".join(texts),
            }
            st.switch_page("views/contexts/contexts.py", query_params=query)

"""Explore: the senses that a model keeps of a word, and the word's sentences in a corpus with its collocates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from app import shelf_models
from app.answers import cached
from app.streamlit_private import DeltaGenerator
from app.views.contexts.word_in_contexts import shipped
from app.views.explore.words_on_map import ModelsByWord
from app.widgets import footer, inputs, model_answers, outputs, snippets
from app.widgets.frame import PageState
from app.widgets.inputs import corpus_labels, say_if_sample
from app.wording import Wording
from embeddings.corpora.concordance_search import (
    COLLOCATION_WINDOW,
    ORDERS,
    ConcordanceQuery,
    collocates,
    search,
)
from embeddings.corpora.corpus_answers import ConcordanceAnswer, ConcordanceLine
from embeddings.shelf import Entry, corpora
from embeddings.shelf.locations import concordances
from embeddings.vectors.sense_table import SENSE_NEIGHBOURS, split_sense
from embeddings.vectors.table import WordSense
from embeddings.verbs import VectorVerbs

LEFT_SHOWN = 55  # characters before the word, what fits a wide column: a cell is cut at its end, next to the word
COLLOCATION_MEASURES = ("log_likelihood", "log_dice")


def show_sentences(page: PageState, word: str, more: DeltaGenerator) -> None:
    """Show lines of a concordance with the word next to its collocates; without one, what is missing."""
    say, indexed = page.say, inputs.in_language_first(page.language)
    if not indexed:
        _show_missing(say)
        footer.draw_footer(page, "sentences")
        return
    labels = corpus_labels(say, indexed, page.language)
    with st.container(horizontal=True, vertical_alignment="top"):
        name = inputs.pick(say, "sentences_corpus", list(indexed), labels)
        near = inputs.split_list(inputs.line(say, "sentences_near", ""))
        order = inputs.choice(say, "sentences_order", ORDERS)
    with more:
        pattern = inputs.line(say, "sentences_pattern", "")
        window = inputs.number(say, "sentences_window", COLLOCATION_WINDOW, 1, 20)
        is_of_content = inputs.switch(say, "sentences_content", default=True)
    query = ConcordanceQuery(word, page.language, near, window, pattern, order)
    left, right = st.columns([3, 2], gap="medium")
    with outputs.refusals_said(say):
        with left:
            say_if_sample(say, indexed[name])
            concordance = shelf_models.concordance(indexed[name])
            _show_lines(page, word, shelf_models.ask_in_queue(search, concordance, query))
        with right:
            _show_collocates(page, word, indexed[name], window, is_of_content)
    if not concordances():
        _show_missing(say)
    code = snippets.code("sentences", name=name, query=query)
    footer.draw_footer(page, "sentences", code=code)


def _show_missing(say: Wording) -> None:
    """Say how the user's corpora can be indexed, or fetched where there are none."""
    texts = [corpus.name for corpus in corpora()]
    if texts:
        st.caption(outputs.plain(say("sentences.unindexed", corpora=say.list(texts))))
        name = texts[0]
        st.code(f"klyuch concordance build ~/.klyuch/corpora/{name} --output {name}", language=None)
    else:
        st.caption(say("sentences.none"))


def _show_lines(page: PageState, word: str, answer: ConcordanceAnswer) -> None:
    """Show the lines as keyword in context."""
    say = page.say
    if not answer.lines:
        st.info(outputs.plain(say("sentences.nowhere", word=word)))
        return
    key = "sentences.complete" if answer.is_complete else "sentences.sample"
    forms = say.list(form.form for form in answer.forms[:12]) or word
    st.caption(outputs.plain(say(key, lines=len(answer.lines), forms=forms)))
    rows = pd.DataFrame([_cells(page, line) for line in answer.lines])
    right = {say("sentences.left"): st.column_config.TextColumn(alignment="right", width="large")}
    outputs.table(say, rows, "sentences", config=right)


def _cells(page: PageState, line: ConcordanceLine) -> dict[str, object]:
    """Return a line cut at its word, with the nearest characters before it; the download has all of them."""
    say, (start, end) = page.say, line.spans[0]
    before = line.text[:start]
    return {
        say("sentences.left"): before if start <= LEFT_SHOWN else "…" + before[-LEFT_SHOWN:],
        say("common.word"): line.text[start:end],
        say("sentences.right"): line.text[end:],
        say("sentences.place"): f"{line.file}, {line.document}",
    }


def _show_collocates(
    page: PageState, word: str, path: Path, window: int, is_of_content: bool
) -> None:
    """Show the words that stand by the word more often than chance, without function words if they are not asked for."""
    say = page.say
    about = (shelf_models.concordance(path), word, page.language, window)
    ranked = shelf_models.ask_in_queue(collocates, *about, only_content=is_of_content)
    if not ranked:
        st.caption(say("sentences.no_collocates"))
        return
    st.caption(say("sentences.collocates"))
    columns = (*COLLOCATION_MEASURES, "together", "paragraphs")
    numbers = {say(f"sentences.{name}"): name for name in columns}
    rows = outputs.rows_of(ranked, {say("common.word"): "word", **numbers})
    two_digits = partial(say.number, digits=2)
    forms = {say(f"sentences.{name}"): two_digits for name in COLLOCATION_MEASURES}
    outputs.table(say, rows, "collocates", forms=forms)


ON_MAP = 4  # neighbours of a sense on the map
A_ROW = 3  # senses side by side
SENTENCES_PER_SENSE = 3


def show_senses(page: PageState, word: str) -> None:
    """Show the senses of a word, or of the word of a sense, in every model that keeps them."""
    say, kept = page.say, _senses(page, word)
    if not kept:
        st.info(outputs.plain(say("senses.none", word=word)))
        footer.draw_footer(page, "senses")
        return
    for entry, senses in kept.items():
        whole = outputs.plain(_whole(senses[0].word))
        label = outputs.plain(page.label(entry))
        st.header(say("senses.title", word=whole), anchor=False)
        st.markdown(say("senses.lead", model=label, word=whole, count=len(senses)))
        for start in range(0, len(senses), A_ROW):
            row = senses[start : start + A_ROW]
            for column, sense in zip(st.columns(A_ROW), row, strict=False):
                with column:
                    _show_sense(page, entry, sense)
    models = [entry.name for entry in kept]
    code = snippets.code("senses", models=models, word=_whole(word), topn=SENSE_NEIGHBOURS)
    footer.draw_footer(page, "senses", code=code, entries=list(kept))


def on_map(page: PageState, word: str) -> ModelsByWord:
    """Return the senses of a word with some of their neighbours, and the models that keep them."""
    named: ModelsByWord = {}
    for entry, senses in _senses(page, word).items():
        for sense in senses:
            near = shelf_models.ask(VectorVerbs.neighbours, entry, sense.word, SENSE_NEIGHBOURS)
            named |= dict.fromkeys([sense.word, *(row.word for row in near[:ON_MAP])], (entry,))
    return named


def _senses(page: PageState, word: str) -> dict[Entry, Sequence[WordSense]]:
    """Return the senses of a word by the models that keep some."""
    kept = {e: shelf_models.vectors(e).senses_of(_whole(word)) for e in page.entries}
    return {entry: senses for entry, senses in kept.items() if senses}


def _whole(word: str) -> str:
    """Return the word that a sense is of; any other word unchanged."""
    parts = split_sense(word)
    return parts[0] if parts else word


def sense_sentences(entry: Entry, language: str, word: str) -> dict[str, tuple[str, ...]]:
    """Return sentences of each sense of a word: those that the model keeps, and the project's own that the model clearly assigns."""
    kept = {s.word: list(s.examples) for s in shelf_models.vectors(entry).senses_of(word)}
    for sense, text in _assigned(entry, language, word):
        kept[sense].append(text)
    return {sense: tuple(texts) for sense, texts in kept.items()}


@cached(64)
def _assigned(entry: Entry, language: str, word: str) -> tuple[tuple[str, str], ...]:
    from embeddings.analysis.sense_grouping import CLEAR, assign_senses

    own = [c for c in shipped(language) if c.word.lower() == word.lower()]
    vectors = shelf_models.vectors(entry)
    assigned = assign_senses(vectors, own, language, **CLEAR)
    pairs = zip(assigned, own, strict=True)
    return tuple((sense, context.text) for sense, context in pairs if sense is not None)


def _show_sense(page: PageState, entry: Entry, sense: WordSense) -> None:
    """Show one sense with its sentences; offer to ask about it, and to open these on the page of contexts."""
    say, name = page.say, ", ".join(sense.name)
    own = f"{entry.name}-{sense.word}"
    st.markdown(f"**{outputs.plain(sense.word)}** {outputs.plain(name)}")
    st.caption(say("senses.share", share=say.number(100 * sense.share, 0)))
    rows = shelf_models.ask(VectorVerbs.neighbours, entry, sense.word, SENSE_NEIGHBOURS)
    words = [row.word for row in rows]
    alt = say("senses.alt", sense=sense.word, model=entry.name, words=", ".join(words))
    model_answers.list_words(say, {sense.word: rows}, alt)
    whole = _whole(sense.word)
    texts = sense_sentences(entry, page.language, whole).get(sense.word, ())
    for text in texts[:SENTENCES_PER_SENSE]:
        st.caption(outputs.plain(text))
    with st.container(horizontal=True):
        inputs.put_button(
            outputs.plain(say("senses.ask", sense=sense.word)), f"ask-{own}", {"word": sense.word}
        )
        if texts and st.button(say("senses.contexts"), key=f"contexts-{own}"):
            query = {
                "lang": say.language,
                "text": page.language,
                "contexts_source": "own",
                "contexts_asked": whole,
                "contexts_lines": "\n".join(texts),
            }
            st.switch_page("views/contexts/contexts.py", query_params=query)

"""Contexts: a file of contexts that a person opens: RUSSE 2018, CSV or JSON, with senses or without."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from app.loaders import context_answers
from app.views.contexts.chosen_contexts import MAX_OCCURRENCES, ChosenContexts
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.corpora.sense_contexts import Context, by_word, spans_of
from embeddings.errors import KlyuchError
from embeddings.text.lemmas import foreign

ENDINGS = ["tsv", "csv", "json", "txt"]


def open_file(page: PageState) -> ChosenContexts:
    """Ask for a file and a word of it; without one the page ends with what the file must hold."""
    say = page.say
    contexts = upload_contexts(page, "contexts_file")
    if contexts is None:
        st.info(say("contexts.file_empty"))
        raise outputs.Halt
    rows_of = by_word(contexts)
    words = sorted(rows_of, key=lambda word: -len(rows_of[word]))
    word = inputs.pick(
        say, "contexts_file_word", words, {w: f"{w} ({len(rows_of[w])})" for w in words}
    )
    if foreign([word], page.language):
        language = say(f"language.{page.language}")
        st.warning(outputs.plain(say("contexts.file_language", word=word, language=language)))
    located, lacking = [], []
    for row in rows_of[word]:
        context = contexts[row]
        spans = spans_of(context, page.language)
        if spans:
            located.append(replace(context, positions=spans))
        else:
            lacking.append(context.text)
    if lacking:
        list_lacking(page, word, lacking)
    if not located:
        raise outputs.Halt
    if located[MAX_OCCURRENCES:]:
        st.warning(say("contexts.most", most=MAX_OCCURRENCES, count=len(located)))
    return ChosenContexts(word, "file", tuple(located[:MAX_OCCURRENCES]))


def upload_contexts(page: PageState, key: str) -> tuple[Context, ...] | None:
    """Ask for a file of contexts; return what it holds, None without one or where it cannot be read."""
    upload = st.file_uploader(
        page.say(f"{key}.label"), ENDINGS, key=key, help=page.say(f"{key}.help")
    )
    if upload is None:
        return None
    try:
        return context_answers.uploaded_contexts(upload.name, upload.getvalue())
    except KlyuchError as error:
        outputs.refuse(page.say, error)
        return None


def list_lacking(page: PageState, word: str, lacking: list[str]) -> None:
    """List the sentences that do not have the word."""
    title = page.say("contexts.lacking", word=word, lines=len(lacking))
    with st.expander(outputs.plain(title), icon=":material/info:", expanded=len(lacking) < 4):
        for line in lacking:
            st.markdown(f"- {outputs.plain(line)}")

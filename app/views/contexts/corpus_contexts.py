"""Contexts: lines of a corpus of the shelf, or of a text that is brought: a concordance in all forms of a word."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import access
from app.loaders import context_answers
from app.views.contexts.chosen_contexts import EXAMPLE_WORDS, MAX_OCCURRENCES, ChosenContexts
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from app.widgets.inputs import corpus_labels, say_if_sample
from app.widgets.text_intake import receive_text
from embeddings.corpora.concordance import line_contexts
from embeddings.errors import InputError, KlyuchError
from embeddings.results import Progress
from embeddings.shelf.locations import concordances, concordances_of
from embeddings.shelf.own_corpora import concordance_of, corpus_names

INTAKES = ("upload", "paste")


def search_corpus(page: PageState) -> ChosenContexts:
    """Take lines that have a word out of a corpus; without one the page ends with what is missing."""
    say = page.say
    texts = corpus_names("text")
    own = sorted({*concordances(), *(texts if access.may_change() else ())})
    names = list(dict.fromkeys([*own, *concordances_of(page.language)]))
    if access.may_change():
        _bring_text(page, expanded=not own)
    if not own:
        st.info(say("contexts.no_corpus"))
    if not names:
        raise outputs.Halt
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        name = inputs.pick(say, "contexts_corpus", names, corpus_labels(say, names, page.language))
        word = inputs.line(say, "contexts_asked", EXAMPLE_WORDS[page.language])
        limit = inputs.number(say, "contexts_limit", 100, 20, MAX_OCCURRENCES)
    if not word:
        st.info(say("contexts.empty_corpus"))
        raise outputs.Halt
    try:
        if len(word.split()) > 1:
            raise InputError("concordance_words", word=word)
        path = _index(page, name)
        forms, lines = context_answers.concordance_lines(path, word, page.language, limit)
    except KlyuchError as error:
        outputs.refuse(say, error)
        raise outputs.Halt from error
    if not lines:
        st.info(outputs.plain(say("contexts.nowhere", word=word, corpus=name)))
        raise outputs.Halt
    hits = sum(len(line.spans) for line in lines)
    listed = say.list(f"{form.form} ({say.number(form.paragraphs)})" for form in forms)
    st.caption(
        outputs.plain(say("contexts.forms", forms=listed or word, lines=len(lines), hits=hits))
    )
    contexts = line_contexts(lines, word, MAX_OCCURRENCES)
    rows = [line for line in lines for _ in line.spans][:MAX_OCCURRENCES]
    places = tuple(say("contexts.place", file=row.file, document=row.document) for row in rows)
    return ChosenContexts(word, "corpus", contexts, places, tuple(row.is_cut for row in rows))


def _bring_text(page: PageState, *, expanded: bool) -> None:
    """Let a text be brought; one that has just been is chosen, and the form closes."""
    say, state = page.say, st.session_state
    brought = state.get("_contexts_shown", "")
    with st.expander(
        say("contexts.bring"),
        icon=":material/upload_file:",
        expanded=expanded,
        key=f"contexts-bring-{brought}",  # another name, another form: it begins closed
        on_change="rerun",
    ):
        intake = inputs.choice(say, "contexts_intake", INTAKES)
        stored = receive_text(page, "contexts", intake)
    if stored is not None and stored.name != brought:
        state["_contexts_shown"] = stored.name
        address.put(contexts_corpus=stored.name)
        st.rerun()


def _index(page: PageState, name: str) -> Path:
    """Return the concordance of a corpus; while it is built a bar shows how far it is."""
    bar = st.empty()

    def show(progress: Progress) -> None:
        share = min(1.0, progress.done / max(1, progress.total))
        percent = page.say.number(100 * share)
        bar.progress(
            share, page.say("contexts.indexing", corpus=outputs.plain(name), share=percent)
        )

    path = concordance_of(name, show)
    bar.empty()
    say_if_sample(page.say, path)
    return path

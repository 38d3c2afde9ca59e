"""Shelf: the user's corpora, the corpora of the models, and the catalogue of public texts."""

from __future__ import annotations

import os
from collections.abc import Callable

import pandas as pd
import streamlit as st

from app import access
from app.loaders import shelf_models
from app.views.shelf.model_table import offer_deletion
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.files import stamp
from embeddings.results.shelf_states import ShelfCorpus, TextSize
from embeddings.shelf import corpora, count_text, data, delete_corpus, home
from embeddings.sources.catalogue import read_catalogue


def show_corpora(page: PageState) -> None:
    """Show the three tables."""
    say = page.say
    _show_own_corpora(say)
    st.subheader(say("shelf_corpora.read"), anchor=False)
    rows = [
        {
            say("shelf_corpora.title"): model.corpus,
            say("shelf.licence"): model.licence,
            say("shelf.language"): model.language,
            say("shelf.name"): model.name,
        }
        for model in shelf_models.all_models()
        if model.corpus
    ]
    if rows:
        names = [say(key) for key in ("shelf_corpora.title", "shelf.licence", "shelf.language")]
        grouped = pd.DataFrame(rows).groupby(names, sort=False)[say("shelf.name")]
        outputs.table(say, grouped.agg(", ".join).reset_index(), "shelf-read")
    _show_catalogue(say)


def _show_own_corpora(say: Wording) -> None:
    """Show the corpora in the user's folder; count or delete one."""
    corpora_by_name = {corpus.name: corpus for corpus in corpora()}
    if not corpora_by_name and not access.may_change():
        return
    if not corpora_by_name:
        st.info(outputs.plain(say("shelf_corpora.none", folder=home() / "corpora")))
        return
    counted: dict[str, TextSize] = st.session_state.setdefault("_counted", {})
    rows = pd.DataFrame([_corpus_row(say, corpus, counted) for corpus in corpora_by_name.values()])
    counts = ("words", "sentences", "documents", "files")
    forms: dict[str, Callable[[float], str]]
    forms = {say(f"shelf_corpora.{name}"): say.number for name in counts}
    forms[say("shelf.size")] = say.size
    outputs.table(say, rows, "shelf-corpora", forms=forms)
    if not access.may_change():
        return
    corpus = corpora_by_name[
        inputs.pick(
            say, "shelf_corpus", list(corpora_by_name), {name: name for name in corpora_by_name}
        )
    ]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            say("shelf_corpora.count"),
            key="shelf-count",
            help=say("shelf_corpora.count_help"),
            on_click=_count_words,
            args=(corpus, counted),
            disabled=corpus.text_size is not None or _count_key(corpus) in counted,
        )
    question = say("shelf_corpora.sure", name=corpus.name, size=say.size(corpus.size))
    offer_deletion(say, corpus.name, "corpus-delete", question, delete_corpus, "shelf_corpora")


def _corpus_row(
    say: Wording, corpus: ShelfCorpus, counted: dict[str, TextSize]
) -> dict[str, object]:
    """Return a row of the table."""
    size = corpus.text_size or counted.get(_count_key(corpus))
    return {
        say("shelf.name"): corpus.name,
        say("shelf.kind"): say(f"shelf_corpora.kind_{corpus.kind.replace(' ', '_')}"),
        say("shelf_corpora.words"): size.words if size else None,
        say("shelf_corpora.sentences"): size.sentences if size else None,
        say("shelf_corpora.documents"): size.documents if size else None,
        say("shelf.size"): corpus.size,
        say("shelf_corpora.files"): corpus.files,
        say("shelf_corpora.title"): corpus.title,
        say("shelf.licence"): corpus.licence,
        say("shelf_corpora.source"): corpus.source,
    }


def _count_key(corpus: ShelfCorpus) -> str:
    """Return what a count belongs to: the folder as it is."""
    return stamp(corpus.path, recursive=True)


def _count_words(corpus: ShelfCorpus, counted: dict[str, TextSize]) -> None:
    """Read and count a text."""
    try:
        access.check_change()
        counted[_count_key(corpus)] = count_text(corpus.path)
    except KlyuchError as error:
        st.session_state["_shelf_error"] = error


def _show_catalogue(say: Wording) -> None:
    """Show the catalogue of public texts, and the command that downloads one."""
    st.subheader(say("shelf_corpora.catalogue"), anchor=False)
    folder, mirror = home() / "corpora", os.environ.get("KLYUCH_MIRROR")
    rows = [
        {
            say("shelf.name"): entry.name,
            say("shelf_corpora.title"): entry.title,
            say("shelf.language"): " ".join(entry.language),
            say("shelf.size"): entry.size,
            say("shelf.licence"): entry.licence,
            say("shelf_corpora.source"): entry.source,
            say("shelf_corpora.here"): entry.is_downloaded(folder),
        }
        for entry in read_catalogue(data() / "catalogue.toml")
        if mirror or all(file.address for file in entry.files)
    ]
    forms = {say("shelf.size"): say.size}
    outputs.table(say, pd.DataFrame(rows), "shelf-catalogue", forms=forms)
    st.markdown(say("shelf_corpora.how"))
    st.code("klyuch corpus list\nklyuch corpus get NAME", language=None)

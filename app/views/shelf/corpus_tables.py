"""Shelf: the person's corpora and what they hold; what the models have read; what can be had by name."""

from __future__ import annotations

import os

import pandas as pd
import streamlit as st

from app.loaders import shelf_models
from app.views.shelf.model_table import amount
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.files import stamp
from embeddings.results.shelf_states import ShelfCorpus, TextSize
from embeddings.shelf import corpora, count_text, data, delete_corpus, home
from embeddings.sources.catalogue import read_catalogue

SURE = "_corpus_sure"  # name of the corpus whose deletion was asked for once


def show(page: PageState) -> None:
    """Show the three tables."""
    say = page.say
    _own(say)
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
    _catalogue(say)


def _own(say: Wording) -> None:
    """Show the corpora in the person's folder; count or delete one."""
    found = {corpus.name: corpus for corpus in corpora()}
    if not found:
        st.info(outputs.plain(say("shelf_corpora.none", folder=home() / "corpora")))
        return
    counted: dict[str, TextSize] = st.session_state.setdefault("_counted", {})
    rows = pd.DataFrame([_row(say, corpus, counted) for corpus in found.values()])
    config = {say("shelf.size"): st.column_config.NumberColumn(format="bytes")}
    outputs.table(say, rows, "shelf-corpora", config)
    corpus = found[inputs.pick(say, "shelf_corpus", list(found), {name: name for name in found})]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            say("shelf_corpora.count"),
            key="shelf-count",
            help=say("shelf_corpora.count_help"),
            on_click=_count,
            args=(corpus, counted),
            disabled=corpus.text_size is not None or _key(corpus) in counted,
        )
        if st.session_state.get(SURE) != corpus.name:
            ask = {SURE: corpus.name}
            label = say("shelf_corpora.delete")
            st.button(label, key="shelf-corpus-delete", on_click=address.put, kwargs=ask)
    if st.session_state.get(SURE) == corpus.name:
        size = amount(say, corpus.size)
        st.warning(outputs.plain(say("shelf_corpora.sure", name=corpus.name, size=size)))
        with st.container(horizontal=True):
            st.button(
                say("shelf_change.yes"),
                key="shelf-corpus-yes",
                type="primary",
                on_click=_delete,
                args=(corpus.name,),
            )
            no = {SURE: ""}
            st.button(
                say("shelf_change.no"), key="shelf-corpus-no", on_click=address.put, kwargs=no
            )


def _row(say: Wording, corpus: ShelfCorpus, counted: dict[str, TextSize]) -> dict[str, object]:
    """One line of the table."""
    size = corpus.text_size or counted.get(_key(corpus))
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


def _key(corpus: ShelfCorpus) -> str:
    """Return what a count belongs to: the folder as it is."""
    return f"{stamp(corpus.path)}:{corpus.size}:{corpus.files}"


def _count(corpus: ShelfCorpus, counted: dict[str, TextSize]) -> None:
    """Read and count a text."""
    try:
        counted[_key(corpus)] = count_text(corpus.path)
    except KlyuchError as error:
        st.session_state["_shelf_error"] = error


def _delete(name: str) -> None:
    """Delete; that another window was faster is said."""
    try:
        delete_corpus(name)
    except KlyuchError as error:
        st.session_state["_shelf_error"] = error
    else:
        st.session_state["_shelf_done"] = ("shelf_corpora.deleted", {"name": name})
    st.session_state[SURE] = ""


def _catalogue(say: Wording) -> None:
    """Show what can be had by name, and the command."""
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
    config = {say("shelf.size"): st.column_config.NumberColumn(format="bytes")}
    outputs.table(say, pd.DataFrame(rows), "shelf-catalogue", config)
    st.markdown(say("shelf_corpora.how"))
    st.code("klyuch corpus list\nklyuch corpus get NAME", language=None)

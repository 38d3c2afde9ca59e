"""Train: a public text by its name in the catalogue, brought by a job."""

from __future__ import annotations

import streamlit as st

from app.views.sections import train_jobs
from app.views.sections.amounts import amount
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.jobs import control
from embeddings.library import data, home
from embeddings.text.catalogue import CatalogueEntry, read_catalogue

TEXTS = ("corpus", "wikipedia")


def show(here: Here) -> None:
    """Offer the texts of the language that are not here yet."""
    say, folder = here.say, home() / "corpora"
    entries = {
        entry.name: entry
        for entry in read_catalogue(data() / "catalogue.toml")
        if entry.kind in TEXTS and here.language in entry.language and not entry.is_here(folder)
    }
    if not entries:
        return
    with st.expander(say("train.get_title"), icon=":material/cloud_download:"):
        labels = {name: f"{name} · {entry.title}" for name, entry in entries.items()}
        name = inputs.pick(say, "train_get", list(entries), labels)
        st.caption(outputs.plain(say("train.get_about", **_about(here, entries[name]))))
        st.button(
            say("train.get"),
            key="train-get",
            on_click=train_jobs.act,
            args=(lambda: control.start(fetching(name)),),
        )


def fetching(name: str) -> control.Plan:
    """Return the job that brings a text."""
    return control.Plan(f"corpus get {name}", [["corpus", "get", name]])


def _about(here: Here, entry: CatalogueEntry) -> dict[str, str]:
    """Return what is said of an entry."""
    size = amount(here.say, entry.size) if entry.size else "–"
    return {"title": entry.title, "size": size, "licence": entry.licence or "–"}

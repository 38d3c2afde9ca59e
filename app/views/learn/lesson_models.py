"""Learn: the shipped models that lessons ask; a lesson whose model is not on the shelf says so and ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import streamlit as st

from app.loaders import shelf_models
from app.widgets import frame, network_inputs, outputs
from app.widgets.frame import PageState
from embeddings.shelf import Entry

T = TypeVar("T")


def static_model(page: PageState, method: str) -> Entry:
    """Return the static model of a method in the models' language, one that ships before the user's own."""
    entries = [entry for entry in frame.offered(page.language) if entry.method == method]
    return _first(page, entries)


def network(page: PageState) -> Entry:
    """Return the network that the pages on sentences offer first."""
    return _first(page, network_inputs.by_language(shelf_models.networks(), page.language))


def translator(page: PageState) -> Entry:
    """Return a translator of the plain kind, or else any."""
    entries = sorted(shelf_models.translators(), key=lambda entry: entry.method == "bert-fused")
    return _first(page, entries)


def with_models(page: PageState, *entries: Entry) -> PageState:
    """Return the state of a page on which these models are chosen."""
    return replace(page, entries=entries)


def _first(page: PageState, entries: Sequence[Entry]) -> Entry:
    """Return the first model; without any the page ends."""
    return needed(page, entries[0] if entries else None)


def needed(page: PageState, value: T | None) -> T:
    """Return what a lesson needs; where it is missing, say so and end the page."""
    if value is None:
        st.info(page.say("learn.no_model", language=page.say(f"language.{page.language}")))
        raise outputs.Halt
    return value

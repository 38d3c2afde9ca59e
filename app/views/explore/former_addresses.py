"""Explore: addresses from when it showed everything at once, and asked what the page Associations asks now."""

from __future__ import annotations

import streamlit as st

from app.loaders import word_answers
from app.widgets import address, views
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError
from embeddings.shelf import association_tests
from embeddings.shelf.locations import sample_name

ASSOCIATIONS = "views/associations/associations.py"


def lead_on(page: PageState) -> None:
    """Open Associations where an address without a view changes its settings; offer it where the address also names a word."""
    arrived, examples = address.arrived(), page.examples
    defaults = {name: examples[name] for name in ("pair", "odd", "ends", "between")}
    defaults["weat"] = next(iter(association_tests(page.language)), "own")
    changed = any(arrived.get(name, default) != default for name, default in defaults.items())
    if views.KEY in arrived or not changed:
        return
    if arrived.get("word", default_word := examples["words"].split(" | ")[0]) == default_word:
        st.switch_page(ASSOCIATIONS, query_params=arrived)
    st.page_link(ASSOCIATIONS, label=page.say("explore.moved"), query_params=arrived)


def settings(page: PageState, word: str) -> dict[str, dict[str, str]]:
    """Return the settings, with their former defaults, that open another view than the first where an address changes them."""
    arrived = address.arrived()
    if not arrived or views.KEY in arrived:
        return {}
    compared = {"why": _nearest(page, word)} if "why" in arrived else {}
    return {
        "map": {"method_map": "pca", "dim": "2", "find": "", "vocabulary_shown": "0"},
        "sentences": {
            "sentences_corpus": sample_name(page.language),
            "sentences_near": "",
            "sentences_pattern": "",
            "sentences_window": "5",
            "sentences_order": "text",
            "sentences_measure": "log_likelihood",
        },
        "why": compared,
    }


def _nearest(page: PageState, word: str) -> str:
    """Return the nearest word in the first model that has the word: with it the other was compared."""
    for entry in page.entries:
        try:
            return word_answers.near(entry, word, 1)[0].word
        except (KlyuchError, IndexError):
            continue
    return ""

"""Explore: addresses from when it also asked what the page Associations asks now."""

from __future__ import annotations

import streamlit as st

from app.widgets import address, views
from app.widgets.frame import PageState
from embeddings.shelf import association_tests

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

"""A tour of the first screen for a new visitor; dismissed, it does not come back; only the browser remembers that."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from app.components.registration import component
from app.widgets import address
from app.widgets.frame import PageState


def draw(page: PageState) -> None:
    """Draw a line with the way to the first lesson, unless the visit began with a link that asks for something."""
    say, state = page.say, st.session_state
    if state.setdefault("_came_by_link", bool(address.arrived())):
        return
    settings = {"lang": say.language, "text": page.language, "learn_lesson": "near"}
    component("tour")(
        key="tour",
        data={
            "title": say("tour.title"),
            "lesson": say("tour.lesson"),
            "address": f"learn?{urlencode(settings)}",
            "dismiss": say("tour.dismiss"),
        },
    )

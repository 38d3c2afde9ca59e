"""A tour of the first screen for a new visitor; whoever dismisses it does so for good, which the browser alone remembers."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import streamlit as st

from app.widgets.frame import PageState
from app.widgets.outputs import COMPONENTS

STEPS = 4


def draw(page: PageState) -> None:
    """Draw what the screen is for, in a few steps, with the way to the first lesson."""
    say = page.say
    settings = {"lang": say.language, "text": page.language, "learn_lesson": "near"}
    _component()(
        key="tour",
        data={
            "title": say("tour.title"),
            "steps": [
                [say(f"tour.{number}_title"), say(f"tour.{number}_text")]
                for number in range(1, STEPS + 1)
            ],
            "lesson": say("tour.lesson"),
            "address": f"learn?{urlencode(settings)}",
            "dismiss": say("tour.dismiss"),
        },
    )


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., object]:
    """Register the component, once."""
    return st.components.v2.component(
        "klyuch_tour",
        html='<div class="klyuch-tour"></div>',
        css=(COMPONENTS / "tour.css").read_text(encoding="utf-8"),
        js=(COMPONENTS / "tour.js").read_text(encoding="utf-8"),
    )

"""What the browser shows of a page: its title with the word asked for, its language, its theme."""

from __future__ import annotations

import streamlit as st

from app.components.registration import component
from app.widgets import address
from app.widgets.page_subject import SUBJECTS, subject
from app.wording import Wording


def draw(say: Wording) -> None:
    """Tell the document its language, give it a link that skips the sidebar, and say under fields in that language what to press."""
    with st.sidebar:
        component("browser_document")(
            key="browser-document",
            data={"language": say.language, "skip": say("frame.skip"), "hints": _hints(say)},
            on_theme_change=lambda: None,  # the run that it asks for draws in the other ink
        )


def _hints(say: Wording) -> dict[str, str]:
    """Return what Streamlit says under a field that was changed, in English alone, with the sentence of the screen."""
    keys = {"Enter": "Enter", "Ctrl+Enter": f"{say('frame.control')}+Enter", "⌘+Enter": "⌘+Enter"}
    return {
        f"Press {name} to apply": say("frame.apply", keys=shown) for name, shown in keys.items()
    }


def set_title(say: Wording, page: str) -> None:
    """Name the browser's tab after the word and the page."""
    parts = [
        subject(say, page, address.kept(*SUBJECTS.get(page, ()))),
        say(f"{page}.nav"),
        "Klyuch",
    ]
    st.set_page_config(page_title=" – ".join(filter(None, parts)))

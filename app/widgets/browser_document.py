"""What the browser shows of a page: its title with the word asked for, its language, one entry of history a page."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from app.widgets import address
from app.widgets.outputs import COMPONENTS
from app.widgets.page_subject import subject
from app.wording import Wording


def draw(say: Wording) -> None:
    """Tell the document its language, and give it a link that skips the sidebar.

    From then on a page change is one entry of the browser's history, though Streamlit writes the path
    first and the settings later.
    """
    with st.sidebar:
        _component()(
            key="browser-document",
            data={"language": say.language, "skip": say("frame.skip")},
        )


def set_title(say: Wording, page: str) -> None:
    """Name the browser's tab after the word and the page."""
    parts = [subject(say, page, address.kept()), say(f"{page}.nav"), "Klyuch"]
    st.set_page_config(page_title=" – ".join(filter(None, parts)))


@st.cache_resource(show_spinner=False)
def _component() -> Callable[..., object]:
    """Register the component, once."""
    return st.components.v2.component(
        "klyuch_document",
        html='<div class="klyuch-document"></div>',
        js=(COMPONENTS / "browser_document.js").read_text(encoding="utf-8"),
    )

"""Parts of a page that Streamlit does not have, drawn by JavaScript of our own."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

FOLDER = Path(__file__).parent


@st.cache_resource(show_spinner=False)
def component(name: str) -> Callable[..., object]:
    """Register the component of ``NAME.js`` and, if it is there, ``NAME.css``, once a server, and return what draws it."""
    style = FOLDER / f"{name}.css"
    return st.components.v2.component(
        f"klyuch_{name}",
        html=f'<div class="klyuch-{name.replace("_", "-")}"></div>',
        css=style.read_text(encoding="utf-8") if style.exists() else None,
        js=(FOLDER / f"{name}.js").read_text(encoding="utf-8"),
    )

"""Parts of a page that Streamlit does not have, drawn by JavaScript of our own."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

COMPONENTS_FOLDER = Path(__file__).parent


@st.cache_resource(show_spinner=False)
def component(name: str, css: str | None = None, js: str = "") -> Callable[..., object]:
    """Register the component of ``NAME.js`` and, if it is there, ``NAME.css``, once a server, and return what draws it.

    ``css`` and ``js`` are the texts of one whose files are elsewhere.
    """
    style = COMPONENTS_FOLDER / f"{name}.css"
    if css is None and style.exists():
        css = style.read_text(encoding="utf-8")
    return st.components.v2.component(
        f"klyuch_{name}",
        html=f'<div class="klyuch-{name.replace("_", "-")}"></div>',
        css=css,
        js=js or (COMPONENTS_FOLDER / f"{name}.js").read_text(encoding="utf-8"),
    )

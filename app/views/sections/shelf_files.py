"""Shelf: the files of a model, and whether they are still what its card says."""

from __future__ import annotations

import time

import pandas as pd
import streamlit as st

from app import resources
from app.views.sections.shelf_models import amount
from app.widgets import outputs
from app.widgets.frame import Here
from embeddings.errors import KlyuchError
from embeddings.library import Entry, verify_model
from embeddings.results.shelf import FileState

Checked = tuple[str, tuple[FileState, ...]]


def show(here: Here, entry: Entry) -> None:
    """Offer to hash every file now, and show how each was found."""
    say = here.say
    st.subheader(say("shelf_files.title"), anchor=False)
    asked: dict[str, Checked] = st.session_state.setdefault("_verified", {})
    st.button(
        say("shelf_files.check"),
        key="shelf-verify",
        icon=":material/verified:",
        help=say("shelf_files.check_help"),
        on_click=_verify,
        args=(asked, entry),
    )
    if str(entry.path) not in asked:
        st.caption(say("shelf_files.unchecked"))
        return
    when, states = asked[str(entry.path)]
    wrong = [state.name for state in states if state.is_bad]
    if wrong:
        names = ", ".join(wrong)
        st.warning(outputs.plain(say("shelf_files.wrong", when=when, names=names)))
    elif any(state.state == "unrecorded" for state in states):
        st.info(say("shelf_files.unrecorded", when=when))
    else:
        st.success(say("shelf_files.sound", when=when, files=say.number(len(states))))
    recorded = resources.card(entry).get("files")
    sums = recorded if isinstance(recorded, dict) else {}
    rows = [
        {
            say("shelf_files.file"): state.name,
            say("shelf.size"): amount(say, state.size),
            say("shelf_files.state"): say(f"shelf_files.state_{state.state}"),
            "sha256": str(sums.get(state.name, "–")),
        }
        for state in states
    ]
    outputs.table(say, pd.DataFrame(rows), "shelf-files")


def _verify(asked: dict[str, Checked], entry: Entry) -> None:
    """Hash now; what cannot be read is said at the top of the page."""
    try:
        asked[str(entry.path)] = (time.strftime("%H:%M:%S"), verify_model(entry))
    except KlyuchError as error:
        st.session_state["_shelf_error"] = error

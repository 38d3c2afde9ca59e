"""Shelf: another name for an own model, and deleting it, asked twice."""

from __future__ import annotations

import streamlit as st

from app import renewal
from app.widgets import address, outputs
from app.widgets.frame import Here
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.library import Entry, delete, is_own, rename

SURE = "_shelf_sure"  # name of the model whose deletion was asked for once


def told(say: Wording) -> None:
    """Say once what the last button did, or why it did not."""
    if done := st.session_state.pop("_shelf_done", None):
        st.success(outputs.plain(say(done[0], **done[1])), icon=":material/check:")
    if error := st.session_state.pop("_shelf_error", None):
        outputs.refuse(say, error)


def show(here: Here, entry: Entry) -> None:
    """Offer a new name and deletion for an own model; say that a shipped one stays."""
    say = here.say
    st.subheader(say("shelf_change.title"), anchor=False)
    if not is_own(entry):
        st.caption(say("shelf_change.shipped"))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            say("shelf_change.name"),
            key="shelf_new_name",
            help=say("shelf_change.name_help"),
            max_chars=100,
            width=320,
        )
        st.button(
            say("shelf_change.rename"),
            key="shelf-rename",
            icon=":material/edit:",
            on_click=_rename,
            args=(entry.name,),
        )
    ask_delete(say, entry.name, key="delete")


def ask_delete(say: Wording, name: str, key: str) -> None:
    """Show the button, and after it the question with its two answers."""
    state = st.session_state
    if state.get(SURE) != name:
        icon = ":material/delete:"
        label = say("shelf_change.delete")
        st.button(label, key=f"shelf-{key}", icon=icon, on_click=address.put, kwargs={SURE: name})
        return
    st.warning(outputs.plain(say("shelf_change.sure", name=name)))
    with st.container(horizontal=True):
        st.button(
            say("shelf_change.yes"),
            key=f"shelf-{key}-yes",
            type="primary",
            on_click=_delete,
            args=(name,),
        )
        st.button(
            say("shelf_change.no"), key=f"shelf-{key}-no", on_click=address.put, kwargs={SURE: ""}
        )


def _rename(name: str) -> None:
    """Rename, and go on looking at the model."""
    state = st.session_state
    try:
        entry = rename(name, state["shelf_new_name"])
    except KlyuchError as error:
        state["_shelf_error"] = error
    else:
        state["_shelf_done"] = ("shelf_change.renamed", {"old": name, "new": entry.name})
        address.put(shelf_model=entry.name, shelf_new_name="")
    renewal.renew_shelf()


def _delete(name: str) -> None:
    """Delete; that another window was faster is said, and nothing is lost."""
    state = st.session_state
    try:
        delete(name)
    except KlyuchError as error:
        state["_shelf_error"] = error
    else:
        state["_shelf_done"] = ("shelf_change.deleted", {"name": name})
    state[SURE] = ""
    renewal.renew_shelf()

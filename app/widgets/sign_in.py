"""Signing in, where the server asks for it: before any page, and who is signed in next to the switches."""

from __future__ import annotations

import streamlit as st

from app import access
from app.widgets import outputs
from app.wording import Wording


def draw_sign_in(say: Wording) -> None:
    """Ask for a sign-in and end the page; once signed in, say who it is and what that person may do."""
    if access.is_public() or not access.has_sign_in():
        return
    if not access.is_signed_in():
        st.title(say("access.title"), anchor=False)
        st.markdown(say("access.lead"))
        st.button(
            say("access.sign_in"),
            key="sign-in",
            type="primary",
            icon=":material/login:",
            on_click=st.login,
        )
        raise outputs.Halt
    with st.sidebar:
        who = access.email() or say("access.unnamed")
        role = "access.editor" if access.may_change() else "access.visitor"
        st.caption(outputs.plain(say(role, who=who)))
        st.button(say("access.sign_out"), key="sign-out", type="tertiary", on_click=st.logout)

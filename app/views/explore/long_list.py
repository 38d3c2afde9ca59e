"""Explore: a list of thousands of words, pasted or from a file; it is kept for the visit, for no address holds it."""

from __future__ import annotations

import streamlit as st

from app.views.explore.words_on_map import LIST_WORD, LONG_LIST
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.corpora.text_extraction import detect_encoding

MOST = 10_000  # words of a list
LARGEST = 4 << 20  # bytes of a file


def ask_long_list(page: PageState) -> None:
    """Offer a field and a file for a long list."""
    say = page.say
    if st.session_state.get(LIST_WORD, st.session_state["word"]) != st.session_state["word"]:
        _drop()  # something else was asked for in the field above
    with st.popover(say("listed.long"), icon=":material/list_alt:", type="tertiary"):
        st.markdown(say("listed.long_lead", most=MOST))
        typed = st.text_area(say("listed.long_field"), key="long_list", height=120)
        upload = st.file_uploader(say("listed.long_file"), ["txt", "csv", "tsv"], key="list_file")
        if st.button(say("listed.long_take"), key="take-list", type="primary"):
            _take(page, typed or "", None if upload is None else upload.getvalue())


def taken_list(page: PageState) -> tuple[str, ...]:
    """Return the list that was taken, with a way back to the field; () for none."""
    say, taken = page.say, tuple(st.session_state.get(LONG_LIST, ()))
    if taken:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(say("listed.long_taken", words=len(taken)))
            st.button(say("listed.long_drop"), key="drop-list", on_click=_drop)
    return taken


def _take(page: PageState, typed: str, file: bytes | None) -> None:
    """Keep the words of the field and the file; what is too much or no text is said."""
    say, text = page.say, typed
    if file is not None:
        if len(file) > LARGEST:
            st.warning(say("listed.long_large", bound=LARGEST >> 20))
            return
        try:
            text = f"{typed}\n{file.decode('utf-8-sig')}"
        except UnicodeDecodeError:
            guess = detect_encoding(file)[0] or "?"
            st.warning(outputs.plain(say("listed.long_encoding", guess=guess.upper())))
            return
    words = inputs.split_list(text)
    if not words:
        st.info(say("listed.long_nothing"))
        return
    if words[MOST:]:
        st.warning(say("listed.long_cut", most=MOST, words=len(words)))
    st.session_state[LONG_LIST] = words[:MOST]
    st.session_state[LIST_WORD] = st.session_state["word"]


def _drop() -> None:
    """Return to the words of the field above."""
    st.session_state.pop(LONG_LIST, None)
    st.session_state.pop(LIST_WORD, None)

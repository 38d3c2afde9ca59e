"""Grammar: the two sentences, and example pairs as buttons named by what they differ in."""

from __future__ import annotations

import streamlit as st

from app.widgets import address, inputs
from app.widgets.frame import PageState
from embeddings.shelf.shipped_examples import grammar_examples

KEYS = ("grammar_first", "grammar_second")


def ask(page: PageState) -> tuple[str, str]:
    """Ask for two sentences; at first those of the first example in the models' language."""
    say, pairs = page.say, grammar_examples(page.language)
    left, right = st.columns(2)
    with left:
        first = inputs.line(say, KEYS[0], pairs[0].good)
    with right:
        second = inputs.line(say, KEYS[1], pairs[0].bad)
    st.caption(say("grammar.examples"))
    with st.container(horizontal=True, gap="small"):
        for pair in pairs:
            st.button(
                say(f"phenomenon.{pair.phenomenon}"),
                key=f"example-grammar-{pair.phenomenon}",
                type="tertiary",
                help=say("grammar.example", good=pair.good, bad=pair.bad),
                on_click=address.put,
                kwargs=dict(zip(KEYS, (pair.good, pair.bad), strict=True)),
            )
    return first, second

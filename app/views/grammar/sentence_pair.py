"""Grammar: the two sentences, and example pairs as buttons named by what they differ in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from app.widgets import address, inputs
from app.widgets.frame import PageState
from embeddings.shelf.locations import grammar_examples

if TYPE_CHECKING:
    from app.streamlit_private import DeltaGenerator

KEYS = ("grammar_first", "grammar_second")


def ask(page: PageState) -> tuple[tuple[str, str], DeltaGenerator]:
    """Ask for two sentences, at first those of the first example in the models' language; return the place of settings too."""
    say, pairs = page.say, grammar_examples(page.language)
    left, right, side = st.columns([5, 5, 6], vertical_alignment="bottom")
    with left:
        first = inputs.line(say, KEYS[0], pairs[0].good)
    with right:
        second = inputs.line(say, KEYS[1], pairs[0].bad)
    row = side.container(horizontal=True, gap="small")
    shown = row.popover(say("common.examples"), icon=":material/list:", type="tertiary")
    more = row.popover(say("common.more_settings"), icon=":material/tune:", type="tertiary")
    with shown:
        st.caption(say("grammar.examples"))
        for pair in pairs:
            st.button(
                say(f"phenomenon.{pair.phenomenon}"),
                key=f"example-grammar-{pair.phenomenon}",
                type="tertiary",
                help=say("grammar.example", good=pair.good, bad=pair.bad),
                on_click=address.put,
                kwargs=dict(zip(KEYS, (pair.good, pair.bad), strict=True)),
            )
    return (first, second), more

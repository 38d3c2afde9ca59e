"""Attention: words or tokens, what becomes of [CLS] and [SEP], which sentence; layer and head in the address.

Attention: the sentences that are looked at, one beside another if wished.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.widgets import address, inputs, network_inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.attention_view.payload import VIEWS, ViewState
from embeddings.probing.attention_maps import BETWEEN, SPECIAL
from embeddings.results.attention_map import AttentionMap

Options = tuple[str, str, str]


def ask_options(say: Wording, is_pair: bool) -> Options:
    """Ask how the map is shown: level, special tokens, which sentence looks at which."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        level = inputs.choice(say, "attention_level", ("word", "token"))
        special = inputs.choice(say, "attention_special", SPECIAL)
        sentences = inputs.choice(say, "attention_between", BETWEEN) if is_pair else "all"
    return level, special, sentences


def place(shown: AttentionMap) -> ViewState:
    """Return where the person is, as the address has it."""
    middle = (shown.layers + 1) // 2
    layer = address.keep("attention_layer", middle, (1, shown.layers))
    head = address.keep("attention_head", shown.heads[0], shown.heads)
    return ViewState(layer, head, address.keep("attention_view", VIEWS[0], VIEWS))


def moved(at: ViewState) -> None:
    """Take over where the person went inside the view."""
    address.put(attention_layer=at.layer, attention_head=at.head, attention_view=at.view)


def cited(chosen: Options, at: ViewState) -> list[str]:
    """Return the settings for a citation, named as in the code."""
    level, special, sentences = chosen
    settings = [f"layer {at.layer}", f"head {at.head}", f"level {level}", f"special {special}"]
    return [*settings, *([f"sentences {sentences}"] if sentences != "all" else [])]


Pair = tuple[str, str]


def ask_texts(page: PageState) -> list[Pair]:
    """Ask for a sentence and what follows it; for a second text to compare, on demand."""
    say = page.say
    first, second = network_inputs.ask_sentences(page, "attention")
    texts = [(first, second)]
    if inputs.switch(say, "attention_compare"):
        left, right = st.columns(2)
        with left:
            other = inputs.line(
                say, "attention_other", network_inputs.example_sentences(page)[1]["first"]
            )
        with right:
            follows = inputs.line(say, "attention_other_second", "")
        texts += [(other, follows)] if other else []
    return texts


def warn(say: Wording, maps: Sequence[AttentionMap]) -> None:
    """Say what did not fit the network, and what its vocabulary lacks."""
    for found in maps:
        if found.truncated:
            longest = len(found.tokens)
            st.warning(say("attention.truncated", lost=found.truncated, longest=longest))
        if found.unknown:
            words = ", ".join(found.unknown)
            st.warning(outputs.plain(say("attention.unknown", words=words)))

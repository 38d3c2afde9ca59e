"""Attention: words or tokens, what becomes of [CLS] and [SEP], which sentence; layer and head in the address."""

from __future__ import annotations

import streamlit as st

from app.widgets import address, inputs
from app.wording import Wording
from embeddings.probing.attention_maps import BETWEEN, SPECIAL
from embeddings.probing.attention_view.payload import VIEWS, Place
from embeddings.results.attention import AttentionMap

Options = tuple[str, str, str]


def ask(say: Wording, is_pair: bool) -> Options:
    """Ask how the map is shown: level, special tokens, which sentence looks at which."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        level = inputs.choice(say, "attention_level", ("word", "token"))
        special = inputs.choice(say, "attention_special", SPECIAL)
        sentences = inputs.choice(say, "attention_between", BETWEEN) if is_pair else "all"
    return level, special, sentences


def place(shown: AttentionMap) -> Place:
    """Return where the person is, as the address has it."""
    middle = (shown.layers + 1) // 2
    layer = address.keep("attention_layer", middle, (1, shown.layers))
    head = address.keep("attention_head", shown.heads[0], shown.heads)
    return Place(layer, head, address.keep("attention_view", VIEWS[0], VIEWS))


def moved(at: Place) -> None:
    """Take over where the person went inside the view."""
    address.put(attention_layer=at.layer, attention_head=at.head, attention_view=at.view)


def cited(chosen: Options, at: Place) -> list[str]:
    """Return the settings for a citation, named as in the code."""
    level, special, sentences = chosen
    settings = [f"layer {at.layer}", f"head {at.head}", f"level {level}", f"special {special}"]
    return [*settings, *([f"sentences {sentences}"] if sentences != "all" else [])]

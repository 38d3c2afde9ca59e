"""Attention: what the page asks for: the texts, how their map is shown, which layer and head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from app.widgets import address, inputs, network_inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.attention_view.payload import VIEWS, ViewState
from embeddings.probing.attention_maps import BETWEEN, SPECIAL
from embeddings.results.attention_map import MEASURES, AttentionMap

TextPair = tuple[str, str]


@dataclass(frozen=True)
class MapOptions:
    """How the map is shown: words or tokens, special tokens or not, which sentence attends to which; weights or norms."""

    level: str
    special: str
    sentences: str
    measure: str


def ask_texts(page: PageState) -> list[TextPair]:
    """Ask for a sentence and what follows it; optionally for a second text to compare."""
    say = page.say
    first, second = network_inputs.ask_sentences(page, "attention")
    texts = [(first, second)]
    if inputs.switch(say, "attention_compare"):
        left, right = st.columns(2)
        with left:
            compared = inputs.line(
                say, "attention_other", network_inputs.example_sentences(page)[1]["first"]
            )
        with right:
            compared_second = inputs.line(say, "attention_other_second", "")
        texts += [(compared, compared_second)] if compared else []
    return texts


def ask_map_options(say: Wording, is_pair: bool) -> MapOptions:
    """Ask how the map is shown."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        level = inputs.choice(say, "attention_level", ("word", "token"))
        special = inputs.choice(say, "attention_special", SPECIAL)
        sentences = inputs.choice(say, "attention_between", BETWEEN) if is_pair else "all"
        measure = inputs.choice(say, "attention_measure", MEASURES)
    return MapOptions(level, special, sentences, measure)


def read_view_state(attention_map: AttentionMap) -> ViewState:
    """Return the layer, head and view that the address holds."""
    middle = (attention_map.layers + 1) // 2
    layer = address.keep("attention_layer", middle, (1, attention_map.layers))
    head = address.keep("attention_head", attention_map.heads[0], attention_map.heads)
    return ViewState(layer, head, address.keep("attention_view", VIEWS[0], VIEWS))


def save_view_state(view_state: ViewState) -> None:
    """Write the layer, head and view chosen inside the component to the address."""
    address.put(
        attention_layer=view_state.layer,
        attention_head=view_state.head,
        attention_view=view_state.view,
    )


def citation_settings(options: MapOptions, view_state: ViewState) -> list[str]:
    """Return the settings for a citation, named as in the code."""
    settings = [
        f"layer {view_state.layer}",
        f"head {view_state.head}",
        f"level {options.level}",
        f"special {options.special}",
    ]
    settings += [f"measure {options.measure}"] if options.measure != "weights" else []
    return [*settings, *([f"sentences {options.sentences}"] if options.sentences != "all" else [])]


def warn_about_texts(say: Wording, maps: Sequence[AttentionMap]) -> None:
    """Warn of text that did not fit the network, and of words not in its vocabulary."""
    for attention_map in maps:
        if attention_map.truncated:
            longest = len(attention_map.tokens)
            st.warning(say("attention.truncated", lost=attention_map.truncated, longest=longest))
        if attention_map.unknown:
            words = say.list(attention_map.unknown)
            st.warning(outputs.plain(say("attention.unknown", words=words)))

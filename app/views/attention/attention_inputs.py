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
from embeddings.results.network_answers import MEASURES, AttentionMap

TextPair = tuple[str, str]


@dataclass(frozen=True)
class MapOptions:
    """How the map is shown: words or tokens, special tokens or not, which sentence attends to which; weights or norms."""

    level: str
    special: str
    sentences: str
    measure: str


def ask_compared(page: PageState, first: TextPair) -> list[TextPair]:
    """Return the text, and a second one to compare if it is wanted."""
    say = page.say
    if not inputs.switch(say, "attention_compare"):
        return [first]
    other = network_inputs.example_sentences(page)[1]["first"]
    compared = inputs.line(say, "attention_other", other)
    compared_second = inputs.line(say, "attention_other_second", "")
    return [first, (compared, compared_second)] if compared else [first]


def ask_map_options(say: Wording, is_pair: bool) -> MapOptions:
    """Ask how the map is shown."""
    level = inputs.choice(say, "attention_level", ("word", "token"))
    special = inputs.choice(say, "attention_special", SPECIAL)
    sentences = inputs.choice(say, "attention_between", BETWEEN) if is_pair else "all"
    measure = inputs.choice(say, "attention_measure", MEASURES)
    return MapOptions(level, special, sentences, measure)


def read_view_state(attention_map: AttentionMap) -> ViewState:
    """Return the layer, head, view and word that the address holds.

    Until somebody chooses a head it is the one that says most of the sentence.
    """
    state = st.session_state
    best = attention_map.telling_head()
    held = (state.get("attention_layer"), state.get("attention_head"))
    if held == state.get("_attention_best"):  # untouched: it follows the sentence
        address.put(attention_layer=best[0], attention_head=best[1])
    state["_attention_best"] = best
    layer = address.keep("attention_layer", best[0], (1, attention_map.layers))
    head = address.keep("attention_head", best[1], attention_map.heads)
    word = address.keep("attention_word", -1, (-1, len(attention_map.from_side) - 1))
    return ViewState(layer, head, address.keep("attention_view", VIEWS[0], VIEWS), word=word)


def save_view_state(view_state: ViewState) -> None:
    """Write the layer, head, view and word chosen inside the component to the address."""
    address.put(
        attention_layer=view_state.layer,
        attention_head=view_state.head,
        attention_view=view_state.view,
        attention_word=view_state.word,
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

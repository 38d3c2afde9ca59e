"""Attention: the sentences that are looked at, one beside another if wished."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import network_resources
from app.widgets import address, inputs, outputs
from app.widgets.frame import Here
from app.wording import Wording
from embeddings.results.attention import AttentionMap

Pair = tuple[str, str]
SHORT = 34  # letters of a sentence on a button


def ask(here: Here) -> list[Pair]:
    """Ask for a sentence and what follows it; for a second text to compare, on demand."""
    say = here.say
    pairs = [
        pair for pair in network_resources.sentence_pairs() if pair["language"] == here.language
    ]
    left, right = st.columns(2)
    with left:
        first = inputs.line(say, "attention_first", pairs[0]["first"])
    with right:
        second = inputs.line(say, "attention_second", "")
    with st.container(horizontal=True, gap="small"):
        for place, pair in enumerate(pairs):
            st.button(
                _short(pair["first"]),
                key=f"example-attention-{place}",
                type="tertiary",
                help=say("attention.example", first=pair["first"], second=pair["second"]),
                on_click=_take,
                args=(pair,),
            )
    texts = [(first, second)]
    if inputs.switch(say, "attention_compare"):
        left, right = st.columns(2)
        with left:
            other = inputs.line(say, "attention_other", pairs[1]["first"])
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


def _take(pair: dict[str, str]) -> None:
    """Fill the first sentence, and the second where there is one already."""
    address.put(attention_first=pair["first"])
    if str(st.session_state.get("attention_second", "")).strip():
        address.put(attention_second=pair["second"])


def _short(text: str) -> str:
    """Cut a sentence for a button, at a word."""
    return text if len(text) <= SHORT else text[:SHORT].rsplit(" ", 1)[0] + " …"

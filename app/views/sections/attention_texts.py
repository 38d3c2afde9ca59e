"""Attention: the sentences that are looked at, one beside another if wished."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.views.sections import sentence_pair
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from app.wording import Wording
from embeddings.results.attention import AttentionMap

Pair = tuple[str, str]


def ask(here: Here) -> list[Pair]:
    """Ask for a sentence and what follows it; for a second text to compare, on demand."""
    say = here.say
    first, second = sentence_pair.ask(here, "attention")
    texts = [(first, second)]
    if inputs.switch(say, "attention_compare"):
        left, right = st.columns(2)
        with left:
            other = inputs.line(say, "attention_other", sentence_pair.examples(here)[1]["first"])
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

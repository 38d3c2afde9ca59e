"""Inside, the decoder: where the person stands, which translator, what sentence."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from app import resources
from app.views.sections.translate_text import COMMANDS
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from app.wording import Wording
from embeddings.library import Entry
from embeddings.results.decoder import DecoderWalk

EXAMPLES = {"en": "Two dogs are playing.", "de": "Die Wohnung ist groß."}  # translated from


@dataclass(frozen=True)
class Place:
    """A sentence in a translator: ``token`` is the step followed, ``first`` the first column shown."""

    here: Here
    entry: Entry
    text: str
    found: DecoderWalk
    token: int
    first: int


def translator(say: Wording) -> Entry:
    """Let a translator be chosen; without one on the shelf the page ends with the way to get one."""
    found = resources.translators()
    if not found:
        st.info(say("translate.none"))
        st.code(COMMANDS, language="sh")
        raise outputs.Halt
    entries = {e.name: e for e in sorted(found, key=lambda e: (e.method == "bert-fused", e.name))}
    names = list(entries)
    if len(names) == 1:
        return entries[names[0]]
    return entries[inputs.pick(say, "decoder_model", names, {name: name for name in names})]


def sentence(say: Wording, entry: Entry) -> str:
    """Ask for a sentence of the language that is translated from."""
    example = EXAMPLES.get(entry.language.partition("-")[0], EXAMPLES["en"])
    text = inputs.line(say, "decoder_text", example)
    if not text:
        st.info(say("inside.empty"))
        raise outputs.Halt
    return text

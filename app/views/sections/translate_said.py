"""Translate: what the translators make of the sentence, beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import translation_resources
from app.widgets import outputs
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.library import Entry
from embeddings.results.translation import TranslationInside


def show(
    say: Wording, entries: Sequence[Entry], text: str, beam: int
) -> dict[Entry, TranslationInside]:
    """Show the translations and return them; one beside the first may fail, without the first the page ends."""
    found: dict[Entry, TranslationInside] = {}
    for entry, column in zip(entries, st.columns(len(entries)), strict=True):
        with column:
            try:
                found[entry] = translation_resources.inside(entry, text, beam)
            except KlyuchError as error:
                outputs.refuse(say, error)
                if entry == entries[0]:
                    raise outputs.Halt from error
                continue
            _one(say, entry, found[entry])
    return found


def _one(say: Wording, entry: Entry, found: TranslationInside) -> None:
    """Show one translation, what it is worth, and what is wrong with it."""
    fused = say("translate.fused" if entry.method == "bert-fused" else "translate.plain")
    st.caption(f"{outputs.plain(entry.name)} · {fused}")
    st.subheader(outputs.plain(found.target) or "–", anchor=False)
    st.caption(say("translate.score", score=say.number(found.score, 2)))
    if found.unknown:
        letters = " ".join(found.unknown)
        st.warning(say("translate.unknown", letters=outputs.plain(letters)))
    if not found.finished:
        st.warning(say("translate.unfinished"))

"""Translate: what the translators make of the sentence, beside each other.

Translate: how good the translators are, as their cards tell it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.loaders import translation_answers
from app.widgets import outputs
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.results.translations import TranslationInside
from embeddings.shelf import Entry


def show_translations(
    say: Wording, entries: Sequence[Entry], text: str, beam: int
) -> dict[Entry, TranslationInside]:
    """Show the translations and return them; one beside the first may fail, without the first the page ends."""
    found: dict[Entry, TranslationInside] = {}
    for entry, column in zip(entries, st.columns(len(entries)), strict=True):
        with column:
            try:
                found[entry] = translation_answers.inside(entry, text, beam)
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


def show_scores(say: Wording, entries: Sequence[Entry]) -> None:
    """Show BLEU by test set and beam, cased and lower-cased, with the signatures; or that there is none."""
    st.header(say("translate.bleu"), anchor=False)
    st.caption(say("translate.bleu_note"))
    rows = [
        {
            say("common.model"): entry.name,
            say("translate.test_set"): name,
            say("translate.bleu_cased"): score.score,
            say("translate.bleu_lower"): score.lower_score,
            say("translate.sentences"): score.sentences,
            say("translate.signature"): score.signature,
            say("translate.lower_signature"): score.lower_signature,
        }
        for entry in entries
        for name, score in translation_answers.bleu(entry)
    ]
    for entry in entries:
        if not translation_answers.bleu(entry):
            st.info(say("translate.no_bleu", model=outputs.plain(entry.name)))
    if rows:
        one = partial(say.number, digits=1)
        numbers = {say("translate.bleu_cased"): one, say("translate.bleu_lower"): one}
        outputs.table(say, pd.DataFrame(rows), "translate-bleu", forms=numbers)

"""Translate: the outputs of the translators side by side, and their BLEU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.loaders import network_answers
from app.widgets import outputs
from app.wording import Wording
from embeddings.corpora.sense_contexts import evident_language
from embeddings.errors import KlyuchError
from embeddings.results.network_answers import TranslationInside
from embeddings.shelf import Entry


def show_translations(
    say: Wording, entries: Sequence[Entry], text: str, beam: int
) -> dict[Entry, TranslationInside]:
    """Show the translations and return them; the page ends if the first of them fails."""
    translations: dict[Entry, TranslationInside] = {}
    for entry, column in zip(entries, st.columns(len(entries)), strict=True):
        with column:
            try:
                translations[entry] = network_answers.inside(entry, text, beam)
            except KlyuchError as error:
                outputs.refuse(say, error)
                if entry == entries[0]:
                    raise outputs.Halt from error
                continue
            _show_translation(say, entry, translations[entry])
    return translations


def _show_translation(say: Wording, entry: Entry, translation: TranslationInside) -> None:
    """Show one translation, its score, and warnings."""
    fused = say("translate.fused" if entry.method == "bert-fused" else "translate.plain")
    st.caption(f"{outputs.plain(entry.name)} · {fused}")
    st.subheader(outputs.plain(translation.target) or "–", anchor=False)
    st.caption(say("translate.score", score=say.number(translation.score, 2)))
    _say_if_outside(say, entry, translation)
    if translation.unknown:
        letters = " ".join(translation.unknown)
        st.warning(say("translate.unknown", letters=outputs.plain(letters)))
    if not translation.finished:
        st.warning(say("translate.unfinished"))


def _say_if_outside(say: Wording, entry: Entry, translation: TranslationInside) -> None:
    """Say that a translation is out of what the translator knows: another language, or words it is far less sure of than usual."""
    source = entry.language.partition("-")[0]
    language = evident_language([translation.attention.source])
    if source and language not in ("", source):
        names = {"language": language, "source": source}
        named = {name: say.get(f"language.{code}", code) for name, code in names.items()}
        st.warning(say("translate.other_language", **named))
    usual = network_answers.log_probability_range(entry)
    values = translation.attention.log_probabilities
    if usual is not None and len(values) and (mean := float(values.mean())) < usual.low:
        numbers = {"mean": say.number(mean, 2), "usual": say.number(usual.median, 2)}
        st.warning(say("translate.outside", **numbers))


def show_bleu(say: Wording, entries: Sequence[Entry]) -> None:
    """Show BLEU by test set and beam, cased and lower-cased, with the signatures; or that there is none."""
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
        for name, score in network_answers.bleu(entry)
    ]
    for entry in entries:
        if not network_answers.bleu(entry):
            st.info(say("translate.no_bleu", model=outputs.plain(entry.name)))
    if rows:
        one_digit = partial(say.number, digits=1)
        number_formats = {
            say("translate.bleu_cased"): one_digit,
            say("translate.bleu_lower"): one_digit,
        }
        outputs.table(say, pd.DataFrame(rows), "translate-bleu", forms=number_formats)

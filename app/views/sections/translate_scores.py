"""Translate: how good the translators are, as their cards tell it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app import translation_resources
from app.widgets import outputs
from app.wording import Wording
from embeddings.library import Entry


def show(say: Wording, entries: Sequence[Entry]) -> None:
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
        for name, score in translation_resources.bleu(entry)
    ]
    for entry in entries:
        if not translation_resources.bleu(entry):
            st.info(say("translate.no_bleu", model=outputs.plain(entry.name)))
    if rows:
        one = partial(say.number, digits=1)
        numbers = {say("translate.bleu_cased"): one, say("translate.bleu_lower"): one}
        outputs.table(say, pd.DataFrame(rows), "translate-bleu", forms=numbers)

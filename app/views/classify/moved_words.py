"""Classify: which words moved the answer, beside where the last layer's attention went."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.figures.word_attributions import attention_figure, attribution_figure, coloured_text
from app.loaders import classification_answers
from app.widgets import outputs
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.results.predictions import Attribution
from embeddings.shelf import Entry


def show(say: Wording, entry: Entry, text: str, label: str) -> None:
    """Colour the words, draw both shares, and show how the words add up."""
    st.header(say("classify.moved"), anchor=False)
    try:
        with st.spinner(say("classify.running"), show_time=False):
            found = classification_answers.attributed(entry, text, label)
    except KlyuchError as error:
        outputs.refuse(say, error)
        raise outputs.Halt from error
    name = classification_answers.labels(entry)[label]
    shown = outputs.plain(name)
    st.html(coloured_text(found))
    st.caption(say("classify.colours", label=shown))
    left, right = st.columns(2)
    with left:
        st.subheader(say("classify.attribution"), anchor=False)
        drawn = attribution_figure(found, say("classify.adds", label=name), say.separators)
        outputs.figure(say, drawn, "classify-attribution", say("classify.attribution_alt"))
    with right:
        st.subheader(say("classify.attention"), anchor=False)
        drawn = attention_figure(found, say("classify.share"), say.separators)
        outputs.figure(say, drawn, "classify-attention", say("classify.attention_alt"))
    st.markdown(say("classify.differ", share=say.number(100 * found.special_attention, 0)))
    st.markdown(_sum(say, found, shown))
    outputs.table(say, _rows(say, found), "classify-words")


def _sum(say: Wording, found: Attribution, label: str) -> str:
    """Say how the words and the baseline make the log-odds."""
    words = sum(word.attribution for word in found.words)
    numbers = {
        "log_odds": found.log_odds,
        "baseline": found.baseline,
        "words": words,
    }
    fields = {name: say.number(value, 3) for name, value in numbers.items()}
    residual = say.number(found.residual, 5)
    told = say("classify.sum", label=label, residual=residual, steps=found.steps, **fields)
    return told.replace("+ -", "\N{MINUS SIGN} ").replace("= -", "= \N{MINUS SIGN}")


def _rows(say: Wording, found: Attribution) -> pd.DataFrame:
    """Return what each word adds and its attention, then what is no word's."""
    kept: list[tuple[str, float, float | None]] = [
        (word.word, word.attribution, word.attention) for word in found.words
    ]
    kept += [
        (say("classify.masked_text"), found.baseline, None),
        (say("classify.residual"), found.residual, None),
        ("[CLS] [SEP]", 0.0, found.special_attention),
        (say("classify.total"), found.log_odds, 1.0),
    ]
    names = [say("common.word"), say("classify.contribution"), say("classify.share")]
    return pd.DataFrame(kept, columns=names)

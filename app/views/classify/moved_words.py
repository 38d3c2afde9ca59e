"""Classify: which words moved the answer, what is lost without each, and the attention of the last layer."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from app.figures.word_attributions import (
    attention_figure,
    attribution_figure,
    coloured_text,
    occlusion_figure,
)
from app.loaders.shelf_models import ask, ask_in_queue
from app.views.classify.chosen_classifier import label_names
from app.widgets import inputs, outputs
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.results.sentence_answers import Attribution
from embeddings.shelf import Entry

MEASURES = ("gradients", "occlusion", "attention")
FLAT = 0.1  # of the log-odds of a label that they speak for: where masking any one word costs less, none alone is needed


def show_moved_words(say: Wording, entry: Entry, text: str, label: str) -> None:
    """Colour the words, draw what each contributes, costs or is attended by, and show how the words add up."""
    try:
        with st.spinner(say("classify.running"), show_time=False):
            attribution = ask_in_queue("attribution.attribute", entry, text, label)
    except KlyuchError as error:
        outputs.refuse(say, error)
        raise outputs.Halt from error
    name = label_names(say, entry)[label]
    label_name = outputs.plain(name)
    st.html(coloured_text(attribution))
    st.caption(say("classify.colours", label=label_name))
    measure = inputs.choice(say, "classify_by", MEASURES)
    if measure == "gradients":
        axis = say("classify.adds", label=name)
        figure = attribution_figure(attribution, axis, say.separators)
    elif measure == "occlusion":
        axis = say("classify.falls", label=name)
        figure = occlusion_figure(attribution, axis, say.separators)
    else:
        figure = attention_figure(attribution, say("classify.share"), say.separators)
    outputs.figure(say, figure, "classify-words-figure", say(f"classify.{measure}_alt"))
    st.caption(say(f"classify.{measure}_read", label=label_name))
    if measure == "gradients":
        st.markdown(_log_odds_sentence(say, attribution, label_name))
        st.markdown(_bias_sentence(say, entry, attribution, label_name))
    elif measure == "occlusion" and is_flat(attribution):
        most = max(word.occlusion for word in attribution.words)
        flat = say("classify.occlusion_flat", most=say.number(max(most, 0), 3), label=label_name)
        st.markdown(flat)
    elif measure == "attention":
        share = say.number(100 * attribution.special_attention, 0)
        st.markdown(say("classify.differ", share=share))

    def fill() -> None:
        outputs.table(say, _attribution_rows(say, attribution), "classify-words")

    outputs.box(say, "common.as_table", "classify-words", ":material/table_rows:", fill)


def is_flat(attribution: Attribution) -> bool:
    """Whether several words speak for the label and none of them alone is needed."""
    most = max(word.occlusion for word in attribution.words)
    return len(attribution.words) > 1 and most < FLAT * attribution.log_odds


def _log_odds_sentence(say: Wording, attribution: Attribution, label: str) -> str:
    """Return the sentence on how the words and the baseline make the log-odds."""
    words = sum(word.attribution for word in attribution.words)
    values = {
        "log_odds": attribution.log_odds,
        "baseline": attribution.baseline,
        "words": words,
    }
    fields = {name: say.number(value, 3) for name, value in values.items()}
    residual = say.number(attribution.residual, 5)
    sentence = say(
        "classify.sum", label=label, residual=residual, steps=attribution.steps, **fields
    )
    return sentence.replace("+ \N{MINUS SIGN}", "\N{MINUS SIGN} ")


def _bias_sentence(say: Wording, entry: Entry, attribution: Attribution, label: str) -> str:
    """Return what the classifier says of no words at all, and what its temperature does to log-odds."""
    temperature = ask("label_prediction.temperature_of", entry)
    share = 1 / (1 + math.exp(-attribution.baseline / temperature))
    bias = say("classify.bias", label=label, share=say.number(100 * share))
    if temperature == 1:
        return bias
    return f"{bias} {say('classify.temperature', temperature=say.number(temperature, 2))}"


def _attribution_rows(say: Wording, attribution: Attribution) -> pd.DataFrame:
    """Return what each word adds, what is lost without it and its attention, then what is no word's."""
    rows: list[tuple[str, float, float | None, float | None]] = [
        (word.word, word.attribution, word.occlusion, word.attention) for word in attribution.words
    ]
    rows += [
        (say("classify.masked_text"), attribution.baseline, None, None),
        (say("classify.residual"), attribution.residual, None, None),
        ("[CLS] [SEP]", 0.0, None, attribution.special_attention),
        (say("classify.total"), attribution.log_odds, None, 1.0),
    ]
    names = ("common.word", "classify.contribution", "attribution.by_occlusion", "classify.share")
    return pd.DataFrame(rows, columns=[say(name) for name in names])

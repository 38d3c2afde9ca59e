"""Train: the method and its few settings, with defaults that suit the size of the text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from app.loaders import shelf_models
from app.streamlit_private import DeltaGenerator
from app.views.train.training_text import TrainingText
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from embeddings.configuration import reach_of
from embeddings.errors import KlyuchError
from embeddings.methods import METHODS
from embeddings.shelf import Entry
from embeddings.training.settings import (
    BEGINNINGS,
    NetworkSettings,
    Settings,
    StaticSettings,
    defaults,
    settings_of_model,
)

STATIC_KEYS = ("train_vector_size", "train_window", "train_min_count", "train_passes")
NETWORK_KEYS = ("train_hidden", "train_layers", "train_vocab", "train_steps")


def choose_method(page: PageState) -> str:
    """Ask for the method."""
    method = inputs.choice(page.say, "train_method", tuple(METHODS))
    st.caption(page.say(f"train_about.{method}"))
    return method


def ask_settings(page: PageState, text: TrainingText, method: str) -> Settings:
    """Ask for the settings of a method; others are suggested for another text or method."""
    suggested = defaults(method, text.preview.words)
    state, made_for = st.session_state, (text.name, method)
    if state.get("_train_for", made_for) != made_for:  # other defaults suit another text or method
        address.forget(*STATIC_KEYS, *NETWORK_KEYS)
    state["_train_for"] = made_for
    if isinstance(suggested, NetworkSettings):
        return _ask_network_settings(page, method, suggested)
    return _ask_static_settings(page, text, suggested)


def _slider(page: PageState, key: str, suggested: Settings, name: str) -> int:
    """Ask for a setting within the reach that its config gives it; the slider counts in units of it."""
    reach = reach_of(type(suggested), name)
    start = getattr(suggested, name) // reach.unit
    return reach.unit * inputs.number(page.say, key, start, reach.low, reach.high)


def _ask_static_settings(
    page: PageState, text: TrainingText, suggested: StaticSettings
) -> StaticSettings:
    """Ask for the settings of Word2Vec and GloVe, and show what they keep of the text."""
    say, preview = page.say, text.preview
    left, right = st.columns(2, gap="large")
    with left:
        size = _slider(page, "train_vector_size", suggested, "vector_size")
        window = _slider(page, "train_window", suggested, "window")
    with right:
        min_count = _slider(page, "train_min_count", suggested, "min_count")
        epochs = _slider(page, "train_passes", suggested, "passes")
    vocabulary, kept = preview.vocabulary(min_count), preview.kept_tokens(min_count)
    with st.container(horizontal=True):
        st.metric(say("train.preview_words"), say.number(preview.words))
        st.metric(say("train.preview_different"), say.number(len(preview.counts)))
        st.metric(say("train.preview_vocabulary"), say.number(vocabulary))
        share = f"{say.number(100 * kept / max(preview.words, 1), 1)} %"
        st.metric(say("train.preview_kept"), share)
    return StaticSettings(size, window, min_count, epochs, max(1, min(4, os.cpu_count() or 2)))


def _ask_network_settings(
    page: PageState, method: str, suggested: NetworkSettings
) -> NetworkSettings:
    """Ask for the start and the settings of BERT and ALBERT; a model to continue fixes its sizes."""
    say = page.say
    models = {entry.name: entry for entry in shelf_models.networks() if entry.method == method}
    options = BEGINNINGS if models else BEGINNINGS[:-1]
    left, right = st.columns(2, gap="large")
    with left:
        beginning = inputs.choice(say, "train_begin", options)
    st.caption(say(f"train_begin_about.{beginning}"))
    if beginning == "model":
        return _ask_continued_network(page, suggested, models, right)
    left, right = st.columns(2, gap="large")
    with left:
        hidden = _slider(page, "train_hidden", suggested, "hidden_size")
        layers = _slider(page, "train_layers", suggested, "layers")
    with right:
        pieces = _slider(page, "train_vocab", suggested, "vocab_size")
        steps = _slider(page, "train_steps", suggested, "steps")
    return replace(
        suggested,
        begin=beginning,
        hidden_size=hidden,
        layers=layers,
        vocab_size=pieces,
        steps=steps,
    )


def _ask_continued_network(
    page: PageState, suggested: NetworkSettings, models: Mapping[str, Entry], column: DeltaGenerator
) -> NetworkSettings:
    """Ask which model to continue and for how long."""
    say, names = page.say, list(models)
    with column:
        name = inputs.pick(say, "train_model", names, {option: option for option in names})
    steps = _slider(page, "train_steps", suggested, "steps")
    try:
        settings = settings_of_model(replace(suggested, steps=steps), name, models[name].path)
    except KlyuchError as error:  # its config.json was damaged meanwhile
        outputs.refuse(say, error)
        raise outputs.Halt from error
    with st.container(horizontal=True):
        st.metric(say("train_layers.label"), say.number(settings.layers))
        st.metric(say("train.model_width"), say.number(settings.hidden_size))
        st.metric(say("train.model_pieces"), say.number(settings.vocab_size))
    return settings

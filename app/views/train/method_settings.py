"""Train: the method and its few settings, with defaults that suit the size of the text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.loaders import shelf_models
from app.views.train.training_text import Chosen
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from embeddings.configuration import reach_of
from embeddings.errors import KlyuchError
from embeddings.jobs.recipes import (
    BEGINNINGS,
    METHODS,
    NetworkSettings,
    Settings,
    StaticSettings,
    defaults,
    settings_of_model,
)
from embeddings.shelf import Entry

STATIC_KEYS = ("train_vector_size", "train_window", "train_min_count", "train_passes")
NETWORK_KEYS = ("train_hidden", "train_layers", "train_vocab", "train_steps")


def show(page: PageState, text: Chosen) -> tuple[str, Settings]:
    """Ask for method and settings."""
    say = page.say
    method = inputs.choice(say, "train_method", METHODS)
    st.caption(say(f"train_about.{method}"))
    suited = defaults(method, text.preview.words)
    state, made_for = st.session_state, (text.name, method)
    if state.get("_train_for", made_for) != made_for:  # other defaults suit another text or method
        address.forget(*STATIC_KEYS, *NETWORK_KEYS)
    state["_train_for"] = made_for
    if isinstance(suited, NetworkSettings):
        return method, _network(page, method, suited)
    return method, _static(page, text, suited)


def _slider(page: PageState, key: str, suited: Settings, name: str) -> int:
    """Ask for a setting within the reach that its config gives it; the slider counts in units of it."""
    reach = reach_of(type(suited), name)
    start = getattr(suited, name) // reach.unit
    return reach.unit * inputs.number(page.say, key, start, reach.low, reach.high)


def _static(page: PageState, text: Chosen, suited: StaticSettings) -> StaticSettings:
    """Ask for the settings of Word2Vec and GloVe, and say what they leave of the text."""
    say, preview = page.say, text.preview
    left, right = st.columns(2, gap="large")
    with left:
        size = _slider(page, "train_vector_size", suited, "vector_size")
        window = _slider(page, "train_window", suited, "window")
    with right:
        least = _slider(page, "train_min_count", suited, "min_count")
        passes = _slider(page, "train_passes", suited, "passes")
    vocabulary, kept = preview.vocabulary(least), preview.kept_tokens(least)
    with st.container(horizontal=True):
        st.metric(say("train.preview_words"), say.number(preview.words))
        st.metric(say("train.preview_different"), say.number(len(preview.counts)))
        st.metric(say("train.preview_vocabulary"), say.number(vocabulary))
        share = f"{say.number(100 * kept / max(preview.words, 1), 1)} %"
        st.metric(say("train.preview_kept"), share)
    return StaticSettings(size, window, least, passes, max(1, min(4, os.cpu_count() or 2)))


def _network(page: PageState, method: str, suited: NetworkSettings) -> NetworkSettings:
    """Ask for what BERT and ALBERT begin with, and for their settings; a model to go on from brings its sizes."""
    say = page.say
    models = {entry.name: entry for entry in shelf_models.networks() if entry.method == method}
    options = BEGINNINGS if models else BEGINNINGS[:-1]
    left, right = st.columns(2, gap="large")
    with left:
        begin = inputs.choice(say, "train_begin", options)
    st.caption(say(f"train_begin_about.{begin}"))
    if begin == "model":
        return _going_on(page, suited, models, right)
    left, right = st.columns(2, gap="large")
    with left:
        hidden = _slider(page, "train_hidden", suited, "hidden_size")
        layers = _slider(page, "train_layers", suited, "layers")
    with right:
        pieces = _slider(page, "train_vocab", suited, "vocab_size")
        steps = _slider(page, "train_steps", suited, "steps")
    return replace(
        suited, begin=begin, hidden_size=hidden, layers=layers, vocab_size=pieces, steps=steps
    )


def _going_on(
    page: PageState, suited: NetworkSettings, models: Mapping[str, Entry], beside: DeltaGenerator
) -> NetworkSettings:
    """Ask which model to go on from and for how long."""
    say, names = page.say, list(models)
    with beside:
        name = inputs.pick(say, "train_model", names, {one: one for one in names})
    steps = _slider(page, "train_steps", suited, "steps")
    try:
        found = settings_of_model(replace(suited, steps=steps), name, models[name].path)
    except KlyuchError as error:  # its config.json was damaged meanwhile
        outputs.refuse(say, error)
        raise outputs.Halt from error
    with st.container(horizontal=True):
        st.metric(say("train_layers.label"), say.number(found.layers))
        st.metric(say("train.model_width"), say.number(found.hidden_size))
        st.metric(say("train.model_pieces"), say.number(found.vocab_size))
    return found

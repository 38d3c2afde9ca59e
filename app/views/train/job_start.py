"""Train: a method's settings; name, words to watch, estimate, start."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from app import shelf_models
from app.answers import cached
from app.streamlit_private import DeltaGenerator
from app.views.train import job_choice
from app.views.train.job_choice import TrainingText
from app.widgets import address, frame, inputs, outputs, snippets
from app.widgets.frame import PageState
from app.wording import TEXT_LANGUAGES
from embeddings.configuration import reach_of
from embeddings.corpora.text_preview import preview
from embeddings.errors import KlyuchError
from embeddings.jobs import control, recipes
from embeddings.jobs.estimate import estimate
from embeddings.jobs.job_answers import Estimate, SpeedSample
from embeddings.jobs.job_folder import jobs
from embeddings.machine_memory import free_memory
from embeddings.method_registry import METHODS
from embeddings.shelf import Entry, free_name
from embeddings.text.lemmas import function_words, lemma
from embeddings.training.settings import (
    BEGINNINGS,
    NetworkSettings,
    Settings,
    StaticSettings,
    defaults,
    settings_of_model,
)

WATCHED = 4
REFRESH_SECONDS = 1.0  # until the speed is measured
FREQUENT_WORDS = 250  # of a shipped model, most of which say little
SettingsOfKind = TypeVar("SettingsOfKind", StaticSettings, NetworkSettings)


@cached(16, is_heavy=True)
def measured_speed(
    method: str, settings: NetworkSettings | None, files: tuple[Path, ...]
) -> tuple[SpeedSample, ...]:
    """Return the sample of a network with some settings, else of a method on a text; none where it cannot be trained."""
    from embeddings.jobs import speed_sample

    try:
        if settings is not None:
            return (speed_sample.network_sample(method, settings),)
        return (speed_sample.speed_sample(method, files),)
    except (KlyuchError, OSError):  # a text that cannot be trained on says so when it is started
        return ()


def ask_start(
    page: PageState, text: TrainingText, method: str, settings: Settings, place: DeltaGenerator
) -> str:
    """Ask for names and words to watch; in ``place`` offer the start and show the estimate.

    Returns the Python that trains the same, "" for a text that is too small.
    """
    say = page.say
    if isinstance(settings, StaticSettings) and text.preview.vocabulary(settings.min_count) < 2:
        st.info(say("train.too_small"))
        return ""
    words = suggest_words(page, text, method)
    suggested = free_name(f"{text.name}-{method}")
    name = inputs.proposed(say("train.name_label"), "train_name", suggested, say("train.name_help"))
    languages = (*TEXT_LANGUAGES, "other")
    language = text.language or inputs.choice(say, "train_language", languages, page.language)
    with st.expander(say("common.more_settings"), icon=":material/tune:"):
        watched = inputs.proposed(
            say("train.words_label"), "train_words", ", ".join(words), say("train.words_help")
        )
    is_pending = _estimate(text, method, settings)[1]
    source = recipes.Text(text.files, text.name, "" if language == "other" else language)
    words = inputs.split_list(watched)
    plan = recipes.plan(source, method, settings, name, words)
    with place:
        # in the run itself: a callback would know the fields as they were before the last one was typed into
        if inputs.button(say("train.start"), "train-start", "play_arrow", type="primary"):
            job_choice.run_action(lambda: control.start(plan))
            st.rerun()
        st.fragment(_show_estimate, run_every=REFRESH_SECONDS if is_pending else None)(
            page, text, method, settings, is_pending
        )
    return snippets.calling(plan.function, plan.call, name.strip() or suggested)


def _estimate(text: TrainingText, method: str, settings: Settings) -> tuple[Estimate, bool]:
    """Return the estimate, and whether a better one is being measured.

    It is by two steps of this network, or a moment of training on this text. Until that is measured, and where it cannot be, it is
    by recorded rates.
    """
    by_rates = estimate(method, settings, text.preview)
    if isinstance(settings, NetworkSettings):
        if by_rates.memory > (free_memory() or by_rates.memory):
            return by_rates, False
        measured = measured_speed.soon(method, replace(settings, steps=1), ())
    else:
        measured = measured_speed.soon(method, None, text.files)
    if not measured:
        return by_rates, measured is None
    return estimate(method, settings, text.preview, *measured), False


def suggest_words(page: PageState, text: TrainingText, method: str) -> tuple[str, ...]:
    """Return common words of the text, without function words and those that are commonest in a shipped model.

    Networks keep capitals: for one the words are written as the text writes them.
    """
    language, common = page.language, text.preview.common
    if METHODS[method].is_network:
        common = shelf_models.ask_in_queue(preview, text.files, lower=False).common
    models = frame.offered(language)
    frequent = shelf_models.vectors(models[0]).words[:FREQUENT_WORDS] if models else ()
    skipped = function_words(language).union(frequent)
    content_words = (
        word
        for word, _ in common
        if len(word) > 2
        and word.isalpha()
        and skipped.isdisjoint((word.lower(), lemma(word.lower(), language).lower()))
    )
    return tuple(islice(content_words, WATCHED)) or tuple(word for word, _ in common[:WATCHED])


def _show_estimate(
    page: PageState, text: TrainingText, method: str, settings: Settings, is_refreshed: bool
) -> None:
    """Show time, memory, disk, and how many jobs are queued before it; ``is_refreshed``: whether this runs by itself."""
    say = page.say
    expected, is_pending = _estimate(text, method, settings)
    if is_refreshed and not is_pending:
        st.rerun()  # the whole page: nothing needs to be refreshed any more
    st.markdown(
        say(
            "train.estimate",
            time=say.duration(expected.seconds),
            memory=say.size(expected.memory),
            disk=say.size(expected.disk),
        )
    )
    if is_pending:
        is_network = isinstance(settings, NetworkSettings)
        st.caption(say("train.sampling_steps" if is_network else "train.sampling"))
    elif expected.sample is not None:
        sample, is_network = expected.sample, isinstance(settings, NetworkSettings)
        key = "train.estimated_steps" if is_network else "train.estimated_sample"
        st.caption(say(key, words=sample.words, seconds=say.number(sample.seconds, 1)))
    else:
        st.caption(say("train.estimated_elsewhere"))
    jobs_ahead = sum(job.is_alive for job in jobs())
    if jobs_ahead:
        st.caption(say("train.ahead", jobs=jobs_ahead))
    free_bytes = free_memory()
    if free_bytes is not None and expected.memory > free_bytes:
        st.warning(outputs.plain(say("train.memory_low", free=say.size(free_bytes))))


SLIDERS: dict[type[Settings], dict[str, str]] = {
    StaticSettings: {
        "vector_size": "train_vector_size",
        "window": "train_window",
        "min_count": "train_min_count",
        "passes": "train_passes",
    },
    NetworkSettings: {
        "hidden_size": "train_hidden",
        "layers": "train_layers",
        "vocab_size": "train_vocab",
        "steps": "train_steps",
    },
}
"""Settings that a slider asks for, with its key; the first two stand left."""


def choose_method(page: PageState) -> str:
    """Ask for the method."""
    method = inputs.choice(page.say, "train_method", tuple(METHODS), names="method")
    st.caption(page.say(f"method_about.{method}"))
    return method


def ask_settings(page: PageState, text: TrainingText, method: str) -> Settings:
    """Ask for the settings of a method; others are suggested for another text or method."""
    suggested = defaults(method, text.preview.words)
    state, made_for = st.session_state, (text.name, method)
    if state.get("_train_for", made_for) != made_for:  # other defaults suit another text or method
        address.forget(*(key for keys in SLIDERS.values() for key in keys.values()))
    state["_train_for"] = made_for
    if isinstance(suggested, NetworkSettings):
        return _ask_network_settings(page, method, suggested)
    return _ask_static_settings(page, text, suggested)


def _slider(page: PageState, suggested: Settings, name: str) -> int:
    """Ask for a setting within the reach that its config gives it; the slider counts in units of it."""
    kind = type(suggested)
    reach, start = reach_of(kind, name), getattr(suggested, name)
    key = SLIDERS[kind][name]
    return reach.unit * inputs.number(page.say, key, start // reach.unit, reach.low, reach.high)


def _ask_sliders(page: PageState, suggested: SettingsOfKind) -> SettingsOfKind:
    """Ask for all settings of a kind that have a slider."""
    columns = st.columns(2, gap="large")
    values: dict[str, Any] = {}
    for number, name in enumerate(SLIDERS[type(suggested)]):
        with columns[number // 2]:
            values[name] = _slider(page, suggested, name)
    return replace(suggested, **values)


def _ask_static_settings(
    page: PageState, text: TrainingText, suggested: StaticSettings
) -> StaticSettings:
    """Ask for the settings of Word2Vec and GloVe, and show what they keep of the text."""
    say, preview = page.say, text.preview
    settings = _ask_sliders(page, suggested)
    kept = preview.kept_tokens(settings.min_count)
    shown = {
        "words": say.number(preview.words),
        "different": say.number(len(preview.counts)),
        "vocabulary": say.number(preview.vocabulary(settings.min_count)),
        "kept": say.percent(kept / max(preview.words, 1)),
    }
    with st.container(horizontal=True):
        for name, value in shown.items():
            st.metric(say(f"train.preview_{name}"), value)
    return replace(settings, workers=max(1, min(4, os.cpu_count() or 2)))


def _ask_network_settings(
    page: PageState, method: str, suggested: NetworkSettings
) -> NetworkSettings:
    """Ask for the start and the settings of BERT and ALBERT; a model to continue fixes its sizes."""
    say = page.say
    models = {entry.name: entry for entry in shelf_models.networks() if entry.method == method}
    left, right = st.columns(2, gap="large")
    with left:
        options = BEGINNINGS if models else BEGINNINGS[:-1]
        beginning = inputs.choice(say, "train_begin", options)
    st.caption(say(f"train_begin_about.{beginning}"))
    if beginning == "model":
        return _ask_continued_network(page, suggested, models, right)
    return replace(_ask_sliders(page, suggested), begin=beginning)


def _ask_continued_network(
    page: PageState, suggested: NetworkSettings, models: Mapping[str, Entry], column: DeltaGenerator
) -> NetworkSettings:
    """Ask which model to continue and for how long."""
    say = page.say
    with column:
        name = inputs.pick(say, "train_model", list(models))
    steps = _slider(page, suggested, "steps")
    settings = settings_of_model(replace(suggested, steps=steps), name, models[name].path)
    with st.container(horizontal=True):
        st.metric(say("train_layers.label"), say.number(settings.layers))
        st.metric(say("train.model_width"), say.number(settings.hidden_size))
        st.metric(say("train.model_pieces"), say.number(settings.vocab_size))
    return settings

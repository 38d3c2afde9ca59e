"""Train: name, words to watch, estimate, start."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import streamlit as st

from app.loaders import shelf_models, training_answers
from app.views.train import job_choice
from app.views.train.training_text import TrainingText
from app.widgets import frame, inputs, outputs
from app.widgets.frame import PageState
from app.wording.amounts import amount, duration
from embeddings.errors import KlyuchError
from embeddings.jobs import control, recipes
from embeddings.jobs.estimate import estimate
from embeddings.jobs.job_folder import jobs, jobs_folder
from embeddings.machine_memory import free_memory
from embeddings.methods import METHODS
from embeddings.results.trainings import Estimate, Job
from embeddings.shelf import free_name
from embeddings.text.function_words import function_words
from embeddings.text.lemmas import lemma
from embeddings.training.settings import (
    NetworkSettings,
    Settings,
    StaticSettings,
    named_by_language,
)

LANGUAGES = ("en", "ru", "de", "other")
WATCHED = 4
FREQUENT_WORDS = 250  # of a shipped model, most of which say little


def ask_start(page: PageState, text: TrainingText, method: str, settings: Settings) -> None:
    """Ask for names and words to watch, show the estimate, and offer the start."""
    say = page.say
    if isinstance(settings, StaticSettings) and text.preview.vocabulary(settings.min_count) < 2:
        st.info(say("train.too_small"))
        return
    suggested = free_name(f"{text.name}-{method}")
    words = suggest_words(page, text, method)
    left, right = st.columns(2, gap="large")
    with left:
        name = st.text_input(
            say("train.name_label"),
            key="train_name",
            placeholder=suggested,
            help=say("train.name_help"),
        )
        language = inputs.choice(say, "train_language", LANGUAGES, page.language)
    with right:
        watched = st.text_input(
            say("train.words_label"),
            key="train_words",
            placeholder=", ".join(words),
            help=say("train.words_help"),
        )
    expected = _estimate(page, text, method, settings)
    _show_estimate(page, expected, settings)
    st.button(
        say("train.start"),
        key="train-start",
        type="primary",
        icon=":material/play_arrow:",
        on_click=job_choice.run_action,
        args=(
            lambda: start_job(
                text,
                method,
                settings,
                (name or "").strip() or suggested,
                "" if language == "other" else language,
                inputs.split_list(watched or "") or words,
                expected.by_benchmark,
            ),
        ),
    )


def start_job(  # noqa: PLR0913 - what the form holds
    text: TrainingText,
    method: str,
    settings: Settings,
    name: str,
    language: str,
    words: tuple[str, ...],
    expected: float = 0.0,
) -> Job:
    """Start the job."""
    files = text.files
    if METHODS[method].is_network:
        files = named_by_language(files, language, jobs_folder() / ".text" / text.name)
    source = recipes.Text(files, text.name, language)
    return control.start(recipes.plan(source, method, settings, name, words, expected))


def _estimate(page: PageState, text: TrainingText, method: str, settings: Settings) -> Estimate:
    """Return the estimate by two steps of this network or trainings of this machine, else by a moment of training on this text.

    Where none of them can be had, it is by recorded rates.
    """
    done = jobs()
    by_rates = estimate(method, settings, text.preview, done)
    try:
        if isinstance(settings, NetworkSettings):
            if by_rates.memory > (free_memory() or by_rates.memory):
                return by_rates
            with st.spinner(page.say("train.sampling_steps"), show_time=False):
                sample = training_answers.network_sample(method, replace(settings, steps=1))
        elif by_rates.trainings:
            return by_rates
        else:
            with st.spinner(page.say("train.sampling"), show_time=False):
                sample = training_answers.speed_sample(method, text.files)
    except (KlyuchError, OSError):  # a text that cannot be trained on says so when it is started
        return by_rates
    return estimate(method, settings, text.preview, done, sample)


def suggest_words(page: PageState, text: TrainingText, method: str) -> tuple[str, ...]:
    """Return common words of the text, without function words and those that are commonest in a shipped model.

    Networks keep capitals: for one the words are written as the text writes them.
    """
    language, common = page.language, text.preview.common
    if METHODS[method].is_network:
        common = training_answers.text_preview(text.files, lower=False).common
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


def _show_estimate(page: PageState, expected: Estimate, settings: Settings) -> None:
    """Show time, memory, disk, and how many jobs are queued before it."""
    say = page.say
    st.markdown(
        say(
            "train.estimate",
            time=duration(say, expected.seconds),
            memory=amount(say, expected.memory),
            disk=amount(say, expected.disk),
        )
    )
    if expected.sample is not None:
        sample, is_network = expected.sample, isinstance(settings, NetworkSettings)
        key = "train.estimated_steps" if is_network else "train.estimated_sample"
        st.caption(say(key, words=sample.words, seconds=say.number(sample.seconds, 1)))
    else:
        by = "train.estimated_here" if expected.trainings else "train.estimated_elsewhere"
        st.caption(say(by, trainings=expected.trainings))
    jobs_ahead = sum(job.is_alive for job in jobs())
    if jobs_ahead:
        st.caption(say("train.ahead", jobs=jobs_ahead))
    free_bytes = free_memory()
    if free_bytes is not None and expected.memory > free_bytes:
        st.warning(outputs.plain(say("train.memory_low", free=amount(say, free_bytes))))

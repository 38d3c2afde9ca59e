"""Train: name, words to watch, estimate, start."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import streamlit as st

from app.loaders import shelf_models, training_answers
from app.streamlit_private import DeltaGenerator
from app.views.train import job_choice
from app.views.train.training_text import TrainingText
from app.widgets import frame, inputs, outputs
from app.widgets.frame import PageState
from app.wording.amounts import amount, duration
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
REFRESH_SECONDS = 1.0  # until the speed is measured
FREQUENT_WORDS = 250  # of a shipped model, most of which say little


def ask_start(
    page: PageState, text: TrainingText, method: str, settings: Settings, place: DeltaGenerator
) -> None:
    """Ask for names and words to watch; in ``place`` offer the start and show the estimate."""
    say = page.say
    if isinstance(settings, StaticSettings) and text.preview.vocabulary(settings.min_count) < 2:
        st.info(say("train.too_small"))
        return
    suggested = free_name(f"{text.name}-{method}")
    words = suggest_words(page, text, method)
    name = st.text_input(
        say("train.name_label"),
        key="train_name",
        placeholder=suggested,
        help=say("train.name_help"),
    )
    watched = st.text_input(
        say("train.words_label"),
        key="train_words",
        placeholder=", ".join(words),
        help=say("train.words_help"),
    )
    language = inputs.choice(say, "train_language", LANGUAGES, page.language)
    expected, is_pending = _estimate(text, method, settings)
    with place:
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
        st.fragment(_show_estimate, run_every=REFRESH_SECONDS if is_pending else None)(
            page, text, method, settings, is_pending
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


def _estimate(text: TrainingText, method: str, settings: Settings) -> tuple[Estimate, bool]:
    """Return the estimate, and whether a better one is being measured.

    It is by two steps of this network or trainings of this machine, else by a moment of training on this text. Until that is
    measured, and where it cannot be, it is by recorded rates.
    """
    done = jobs()
    by_rates = estimate(method, settings, text.preview, done)
    if isinstance(settings, NetworkSettings):
        if by_rates.memory > (free_memory() or by_rates.memory):
            return by_rates, False
        measured = training_answers.measured_speed.soon(method, replace(settings, steps=1), ())
    elif by_rates.trainings:
        return by_rates, False
    else:
        measured = training_answers.measured_speed.soon(method, None, text.files)
    if not measured:
        return by_rates, measured is None
    return estimate(method, settings, text.preview, done, *measured), False


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
            time=duration(say, expected.seconds),
            memory=amount(say, expected.memory),
            disk=amount(say, expected.disk),
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
        by = "train.estimated_here" if expected.trainings else "train.estimated_elsewhere"
        st.caption(say(by, trainings=expected.trainings))
    jobs_ahead = sum(job.is_alive for job in jobs())
    if jobs_ahead:
        st.caption(say("train.ahead", jobs=jobs_ahead))
    free_bytes = free_memory()
    if free_bytes is not None and expected.memory > free_bytes:
        st.warning(outputs.plain(say("train.memory_low", free=amount(say, free_bytes))))

"""Train: name, words to watch, estimate, start."""

from __future__ import annotations

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
from embeddings.training.settings import Settings, StaticSettings, named_by_language

LANGUAGES = ("en", "ru", "de", "other")
WATCHED = 4
FUNCTION_WORDS = 250  # commonest words of a language, most of which say little


def ask_start(page: PageState, text: TrainingText, method: str, settings: Settings) -> None:
    """Ask for names and words to watch, show the estimate, and offer the start."""
    say = page.say
    if isinstance(settings, StaticSettings) and text.preview.vocabulary(settings.min_count) < 2:
        st.info(say("train.too_small"))
        return
    suggested = free_name(f"{text.name}-{method}")
    words = suggest_words(page, text)
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
    _show_estimate(page, expected)
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
    """Return the estimate by trainings of this machine, else by a moment of training on this text, else by recorded rates."""
    done = jobs()
    by_trainings = estimate(method, settings, text.preview, done)
    if by_trainings.trainings or METHODS[method].is_network:
        return by_trainings
    try:
        with st.spinner(page.say("train.sampling"), show_time=False):
            sample = training_answers.speed_sample(method, text.files)
    except (KlyuchError, OSError):  # a text that cannot be trained on says so when it is started
        return by_trainings
    return estimate(method, settings, text.preview, done, sample)


def suggest_words(page: PageState, text: TrainingText) -> tuple[str, ...]:
    """Return common words of the text that are not among the commonest of a shipped model."""
    content_words = [word for word, _ in text.preview.common if len(word) > 2 and word.isalpha()]
    models = frame.offered(page.language)
    if models:
        function_words = shelf_models.vectors(models[0]).words[:FUNCTION_WORDS]
        content_words = [
            word for word in content_words if word not in function_words
        ] or content_words
    return tuple(content_words[:WATCHED]) or tuple(
        word for word, _ in text.preview.common[:WATCHED]
    )


def _show_estimate(page: PageState, expected: Estimate) -> None:
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
        words, seconds = expected.sample.words, say.number(expected.sample.seconds, 1)
        st.caption(say("train.estimated_sample", words=words, seconds=seconds))
    else:
        by = "train.estimated_here" if expected.trainings else "train.estimated_elsewhere"
        st.caption(say(by, trainings=expected.trainings))
    jobs_ahead = sum(job.is_alive for job in jobs())
    if jobs_ahead:
        st.caption(say("train.ahead", jobs=jobs_ahead))
    free_bytes = free_memory()
    if free_bytes is not None and expected.memory > free_bytes:
        st.warning(outputs.plain(say("train.memory_low", free=amount(say, free_bytes))))

"""Train: a job as it runs: state, progress, loss, neighbours of watched words; renewed by itself while it lives.

Train: the film: the map of chosen words over the passes, with slider, play, and a page to take away.
"""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from app.figures.palette import PAPER, ink
from app.figures.training_progress import film_figure, loss_figure
from app.loaders import training_answers
from app.views.train import job_choice, job_result
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.wording.amounts import duration
from embeddings.analysis.similarity import neighbours
from embeddings.errors import KlyuchError
from embeddings.jobs import job_folder
from embeddings.jobs.job_folder import find_job
from embeddings.jobs.learned_vectors import (
    NETWORKS,
    film_words,
    snapshot_words,
    words_with_vectors,
)
from embeddings.results.trainings import Film, Job, JobProgress


def show_film(page: PageState, job: Job, words: tuple[str, ...]) -> None:
    """Show the film of a training that has ended."""
    say, kept = page.say, snapshot_words(job)
    if not kept:
        return
    st.header(say("train.film_title"), anchor=False)
    suggested = film_words(job, words)
    asked = st.text_input(
        say("train.film_words"),
        key=f"train_film_{job.job_id}",
        placeholder=", ".join(suggested),
        help=say("train.film_words_help", size=say.number(len(kept))),
    )
    chosen = inputs.split_list(asked or "") or suggested
    try:
        found = training_answers.film(job, chosen)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    shares = [say.number(100 * share, 1) for share in found.explained_variance_ratio]
    axes = [
        say("train.film_axis", number=number, share=share) for number, share in enumerate(shares, 1)
    ]
    names = {name: say(f"train.film_{name}") for name in ("play", "pause")}
    names["unit"] = say(f"train.unit_{found.unit}")
    drawn = film_figure(found, names, axes, words, say.separators)
    light = ink(drawn, dark=False)
    st.download_button(
        say("train.film_save"),
        lambda: standalone(light, job.name),
        f"klyuch-film-{job.name}.html",
        "text/html",
        key="train-film-save",
        help=say("train.film_save_help"),
        icon=":material/movie:",
        on_click="ignore",
    )
    alt = say("train.film_alt", words=len(found.words))
    outputs.figure(say, drawn, "train-film", alt)
    st.caption(say("train.film_note", first=shares[0], second=shares[1]))
    _coordinates(page, found)


def standalone(drawn: go.Figure, title: str) -> bytes:
    """Return a page that shows a figure without the network: Plotly is in it."""
    figure = go.Figure(drawn)
    figure.update_layout(paper_bgcolor=PAPER["ground"], plot_bgcolor=PAPER["ground"])
    figure.update_layout(title=title, margin={"t": 60})
    html: str = figure.to_html(include_plotlyjs=True, full_html=True, auto_play=False)
    return html.encode()


def _coordinates(page: PageState, found: Film) -> None:
    """Offer every place of every word as CSV."""
    say = page.say
    rows = [
        {found.unit: done, say("common.word"): word, "x": place[0], "y": place[1]}
        for done, frame in zip(found.passes, found.coordinates, strict=True)
        for word, place in zip(found.words, frame, strict=True)
    ]
    outputs.csv(say, pd.DataFrame(rows), "train-film")


EVERY = 1.0  # seconds
PHASES = ("encode", "number", "cooccurrence", "train", "glove", "pretrain", "prepare", "vectors")
NEAR = 6


def show_job(page: PageState, job: Job) -> None:
    """Show a job; what has ended stands still."""
    words = _words(page, job) if job.method else ()
    st.fragment(_live, run_every=EVERY if job.is_alive else None)(page, job.job_id, words)
    if job.state == "done":
        job_result.show_result(page, job)
    if not job.is_alive:
        show_film(page, job, words)


def _words(page: PageState, job: Job) -> tuple[str, ...]:
    """Ask for the words to watch; at first those that were asked for at the start."""
    asked = st.text_input(
        page.say("train.words_label"),
        key=f"train_watch_{job.job_id}",
        placeholder=", ".join(job.watched),
        help=page.say("train.words_help"),
        width=560,
    )
    return inputs.split_list(asked or "") or job.watched


def _live(page: PageState, job_id: str, words: tuple[str, ...]) -> None:
    """Draw what changes."""
    say = page.say
    try:
        job = find_job(job_id)
    except KlyuchError as error:  # removed in another window
        outputs.refuse(say, error)
        return
    was_alive = st.session_state.get("_train_alive") == job_id
    st.session_state["_train_alive"] = job_id if job.is_alive else ""
    if was_alive and not job.is_alive:
        st.rerun()  # the whole page: the result has come
    _state(page, job)
    job_choice.refused(page)
    job_choice.buttons(page, job)
    if job.method:
        left, right = st.columns([3, 2], gap="large")
        with left:
            _curve(page, job)
        with right:
            _near(page, job, words)
    if not job.is_alive and job.state != "done":
        with st.expander(say("train.log"), icon=":material/terminal:"):
            st.code(job_folder.log_tail(job), language=None)


def _state(page: PageState, job: Job) -> None:
    """Say how far it is, or why it ended."""
    say, at = page.say, job_folder.progress(job)
    if job.is_alive:
        share = at.share if at and job.state == "running" else 0.0
        st.progress(share, text=outputs.plain(_line(page, job, at)))
        st.caption(say("train.closed"))
        return
    icon = {"done": ":material/check_circle:", "cancelled": ":material/cancel:"}.get(job.state)
    st.markdown(f"{icon or ':material/error:'} **{job_choice.label(say, job)}**")
    if (trouble := job_folder.trouble(job)) is not None:
        outputs.refuse(say, trouble)


def _line(page: PageState, job: Job, at: JobProgress | None) -> str:
    """Return state, phase, pass, rate and time left in a line."""
    say = page.say
    parts = [job_choice.state(say, job)]
    if job.state == "running":
        phase = "begin" if at is None else at.phase if at.phase in PHASES else "other"
        count = {"step": min(job.finished + 1, len(job.steps)), "steps": len(job.steps)}
        parts += [say("train.step", **count), say(f"train.phase_{phase}")]
        if at is not None and at.epoch:
            parts.append(f"{say.number(at.epoch)} / {say.number(at.passes)}")
        if at is not None and math.isfinite(at.per_second):
            parts.append(say("train.rate", rate=say.number(at.per_second)))
        if at is not None and math.isfinite(at.seconds_left):
            parts.append(say("train.left", time=duration(say, at.seconds_left)))
    return " · ".join(parts)


def _curve(page: PageState, job: Job) -> None:
    """Draw the loss."""
    say, found = page.say, job_folder.curve(job)
    st.subheader(say("train.curve_title"), anchor=False)
    if not len(found.losses):
        st.caption(say("train.curve_none"))
        return
    unit = say(f"train.unit_{found.unit}")
    names = {"unit": unit, "loss": say(f"train.loss_{job.method}")}
    names |= {"since": say("train.curve_since"), "pass": say("train.curve_pass")}
    drawn = loss_figure(found, names, job.passes, say.separators)
    outputs.figure(say, drawn, "train-curve", say("train.curve_alt", unit=unit))


def _near(page: PageState, job: Job, words: tuple[str, ...]) -> None:
    """List what is near the watched words by now."""
    say = page.say
    found = training_answers.learned(job)
    if found is None:
        st.subheader(say("train.words_label"), anchor=False)
        st.caption(say("train.near_none"))
        return
    vectors, passes = found
    unit = say(f"train.unit_{job_folder.curve(job).unit}")
    st.subheader(say("train.near_title", unit=unit, passes=say.number(passes)), anchor=False)
    there = words_with_vectors(vectors, words)
    for word in there:
        near = neighbours(vectors, word, NEAR)
        cells = ", ".join(f"{n.word} {say.number(n.similarity, 2)}" for n in near)
        st.markdown(f"**{outputs.plain(word)}**  \n{outputs.plain(cells)}")
    lacking = [word for word in words if word not in there and word.lower() not in there]
    if lacking:
        st.caption(outputs.plain(say("train.near_lacks", words=", ".join(lacking))))
    if job.method in NETWORKS:
        st.caption(say("train.near_pieces"))

"""Train: a job as it runs: state, progress, loss, neighbours of watched words; renewed by itself while it lives."""

from __future__ import annotations

import math

import streamlit as st

from app import resources
from app.figures.train_curve import curve_figure
from app.views.sections import train_film, train_jobs, train_result
from app.views.sections.amounts import duration
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.analysis.similarity import neighbours
from embeddings.errors import KlyuchError
from embeddings.jobs import watch
from embeddings.jobs.folder import find_job
from embeddings.jobs.learned import NETWORKS, known, stamp
from embeddings.results.jobs import Job, JobProgress

EVERY = 1.0  # seconds
PHASES = ("encode", "number", "cooccurrence", "train", "glove", "pretrain", "prepare", "vectors")
NEAR = 6


def show(here: Here, job: Job) -> None:
    """Show a job; what has ended stands still."""
    words = _words(here, job) if job.method else ()
    st.fragment(_live, run_every=EVERY if job.is_alive else None)(here, job.job_id, words)
    if job.state == "done":
        train_result.show(here, job)
    if not job.is_alive:
        train_film.show(here, job, words)


def _words(here: Here, job: Job) -> tuple[str, ...]:
    """Ask for the words to watch; at first those that were asked for at the start."""
    asked = st.text_input(
        here.say("train.words_label"),
        key=f"train_watch_{job.job_id}",
        placeholder=", ".join(job.watched),
        help=here.say("train.words_help"),
        width=560,
    )
    return inputs.split_list(asked or "") or job.watched


def _live(here: Here, job_id: str, words: tuple[str, ...]) -> None:
    """Draw what changes."""
    say = here.say
    try:
        job = find_job(job_id)
    except KlyuchError as error:  # removed in another window
        outputs.refuse(say, error)
        return
    was_alive = st.session_state.get("_train_alive") == job_id
    st.session_state["_train_alive"] = job_id if job.is_alive else ""
    if was_alive and not job.is_alive:
        resources.static_models.clear()
        resources.networks.clear()
        st.rerun()  # the whole page: the result has come
    _state(here, job)
    train_jobs.refused(here)
    train_jobs.buttons(here, job)
    if job.method:
        left, right = st.columns([3, 2], gap="large")
        with left:
            _curve(here, job)
        with right:
            _near(here, job, words)
    if not job.is_alive and job.state != "done":
        with st.expander(say("train.log"), icon=":material/terminal:"):
            st.code(watch.log_tail(job), language=None)


def _state(here: Here, job: Job) -> None:
    """Say how far it is, or why it ended."""
    say, at = here.say, watch.progress(job)
    if job.is_alive:
        share = at.share if at and job.state == "running" else 0.0
        st.progress(share, text=outputs.plain(_line(here, job, at)))
        st.caption(say("train.closed"))
        return
    icon = {"done": ":material/check_circle:", "cancelled": ":material/cancel:"}.get(job.state)
    st.markdown(f"{icon or ':material/error:'} **{train_jobs.label(say, job)}**")
    if (trouble := watch.trouble(job)) is not None:
        outputs.refuse(say, trouble)


def _line(here: Here, job: Job, at: JobProgress | None) -> str:
    """Return state, phase, pass, rate and time left in a line."""
    say = here.say
    parts = [train_jobs.state(say, job)]
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


def _curve(here: Here, job: Job) -> None:
    """Draw the loss."""
    say, found = here.say, watch.curve(job)
    st.subheader(say("train.curve_title"), anchor=False)
    if not len(found.losses):
        st.caption(say("train.curve_none"))
        return
    unit = say(f"train.unit_{found.unit}")
    names = {"unit": unit, "loss": say(f"train.loss_{job.method}")}
    names |= {"since": say("train.curve_since"), "pass": say("train.curve_pass")}
    drawn = curve_figure(found, names, job.passes, say.separators)
    outputs.figure(say, drawn, "train-curve", say("train.curve_alt", unit=unit))


def _near(here: Here, job: Job, words: tuple[str, ...]) -> None:
    """List what is near the watched words by now."""
    say = here.say
    found = resources.learned(job.job_id, stamp(job))
    if found is None:
        st.subheader(say("train.words_label"), anchor=False)
        st.caption(say("train.near_none"))
        return
    vectors, passes = found
    unit = say(f"train.unit_{watch.curve(job).unit}")
    st.subheader(say("train.near_title", unit=unit, passes=say.number(passes)), anchor=False)
    there = known(vectors, words)
    for word in there:
        near = neighbours(vectors, word, NEAR)
        cells = ", ".join(f"{n.word} {say.number(n.similarity, 2)}" for n in near)
        st.markdown(f"**{outputs.plain(word)}**  \n{outputs.plain(cells)}")
    lacking = [word for word in words if word not in there and word.lower() not in there]
    if lacking:
        st.caption(outputs.plain(say("train.near_lacks", words=", ".join(lacking))))
    if job.method in NETWORKS:
        st.caption(say("train.near_pieces"))

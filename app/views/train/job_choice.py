"""Train: which training is shown, and what is done to it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from app.widgets import address, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.jobs import control
from embeddings.jobs.job_folder import jobs
from embeddings.results.trainings import Job

KEY, REFUSED, NEW = "train_job", "_train_refused", "new"


def pick(page: PageState) -> Job | None:
    """Let one of the jobs be chosen, or the form for a new one; at first the one that runs."""
    say, known = page.say, {job.job_id: job for job in jobs()}
    if not known:
        address.forget(KEY)
        return None
    alive = [name for name, job in reversed(known.items()) if job.is_alive]
    address.keep(KEY, alive[0] if alive else NEW, [NEW, *known])
    chosen = st.selectbox(
        say(f"{KEY}.label"),
        [NEW, *known],
        format_func=lambda name: label(say, known[name]) if name in known else say(f"{KEY}.{NEW}"),
        key=KEY,
        help=say(f"{KEY}.help"),
        width=560,
    )
    return known.get(chosen or NEW)


def label(say: Wording, job: Job) -> str:
    """Return a job's title, when it was started, and how it ended if it did."""
    day, _, clock = job.created.partition("T")
    started = f"{day} {clock[:5]} UTC" if clock else day
    ended = "" if job.is_alive else f" · {state(say, job)}"
    return f"{job.title} · {started}{ended}"


def state(say: Wording, job: Job) -> str:
    """Return a job's state in words."""
    if job.is_stopping:
        return say("train.stopping")
    if job.state == "queued" and not job.ahead:
        return say("train.starting")
    return say(f"train.state_{job.state}", ahead=job.ahead)


def act(deed: Callable[[], object], show: str = "") -> None:
    """Do something to a job from a button's callback; a refusal is said by the page that follows."""
    try:
        done = deed()
    except KlyuchError as error:
        st.session_state[REFUSED] = error
        return
    st.session_state.pop(REFUSED, None)
    shown = done.job_id if isinstance(done, Job) else show
    if shown:
        address.put(**{KEY: shown})


def refused(page: PageState) -> None:
    """Say what a button's callback was refused, once."""
    error = st.session_state.pop(REFUSED, None)
    if error is not None:
        outputs.refuse(page.say, error)


def buttons(page: PageState, job: Job) -> None:
    """Offer what can be done to a job in its state."""
    say = page.say
    with st.container(horizontal=True):
        if job.is_alive:
            st.button(
                say("train.kill" if job.is_stopping else "train.cancel"),
                key="train-cancel",
                icon=":material/stop_circle:",
                help=say("train.cancel_help"),
                on_click=act,
                args=(lambda: control.cancel(job.job_id, kill=job.is_stopping),),
            )
            return
        if job.state != "done":
            st.button(
                say("train.resume"),
                key="train-resume",
                type="primary",
                icon=":material/play_arrow:",
                on_click=act,
                args=(lambda: control.resume(job.job_id),),
            )
        st.button(say("train.again"), key="train-again", on_click=address.put, kwargs={KEY: NEW})
        with st.popover(say("train.remove"), icon=":material/delete:"):
            st.markdown(say("train.remove_help"))
            st.button(
                say("train.remove_sure"),
                key="train-remove",
                on_click=act,
                args=(lambda: control.remove(job.job_id), NEW),
            )

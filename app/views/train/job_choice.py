"""Train: which job is shown, and what can be done to it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from app import access, events
from app.widgets import address, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.jobs import control
from embeddings.jobs.job_folder import jobs
from embeddings.results.trainings import Job

JOB_KEY, REFUSAL_KEY, NEW_JOB = "train_job", "_train_refused", "new"


def choose_job(page: PageState) -> Job | None:
    """Let one of the jobs be chosen, or the form for a new one; at first the one that runs."""
    say, jobs_by_id = page.say, {job.job_id: job for job in jobs()}
    if not jobs_by_id:
        address.forget(JOB_KEY)
        return None
    alive_ids = [name for name, job in reversed(jobs_by_id.items()) if job.is_alive]
    address.keep(JOB_KEY, alive_ids[0] if alive_ids else NEW_JOB, [NEW_JOB, *jobs_by_id])
    job_id = st.selectbox(
        say(f"{JOB_KEY}.label"),
        [NEW_JOB, *jobs_by_id],
        format_func=lambda name: (
            job_label(say, jobs_by_id[name]) if name in jobs_by_id else say(f"{JOB_KEY}.{NEW_JOB}")
        ),
        key=JOB_KEY,
        help=say(f"{JOB_KEY}.help"),
        width=560,
    )
    return jobs_by_id.get(job_id or NEW_JOB)


def job_label(say: Wording, job: Job) -> str:
    """Return a job's title, when it was started, and how it ended if it did."""
    started = say.date(job.created) + (" UTC" if "T" in job.created else "")
    ended = "" if job.is_alive else f" · {job_state(say, job)}"
    return f"{job.title} · {started}{ended}"


def job_state(say: Wording, job: Job) -> str:
    """Return a job's state in words."""
    if job.is_stopping:
        return say("train.stopping")
    if job.state == "queued" and not job.ahead:
        return say("train.starting")
    return say(f"train.state_{job.state}", ahead=job.ahead)


def run_action(action: Callable[[], object], otherwise: str = "") -> None:
    """Run an action on a job from a button's callback; the next run of the page shows a refusal.

    The job that the action returns is chosen, else the one named ``otherwise``.
    """
    try:
        access.check_change()
        outcome = action()
    except KlyuchError as error:
        events.note("refused", page="train", code=error.code)
        st.session_state[REFUSAL_KEY] = error
        return
    st.session_state.pop(REFUSAL_KEY, None)
    job_id = outcome.job_id if isinstance(outcome, Job) else otherwise
    if isinstance(outcome, Job):
        events.note("job", method=outcome.method, alive=outcome.is_alive)
    if job_id:
        address.put(**{JOB_KEY: job_id})


def show_refusal(page: PageState) -> None:
    """Show once why a button's action was refused."""
    error = st.session_state.pop(REFUSAL_KEY, None)
    if error is not None:
        outputs.refuse(page.say, error)


def show_job_buttons(page: PageState, job: Job) -> None:
    """Offer what can be done to a job in its state."""
    say = page.say
    with st.container(horizontal=True):
        if job.is_alive:
            st.button(
                say("train.kill" if job.is_stopping else "train.cancel"),
                key="train-cancel",
                icon=":material/stop_circle:",
                help=say("train.cancel_help"),
                on_click=run_action,
                args=(lambda: control.cancel(job.job_id, kill=job.is_stopping),),
            )
            return
        if job.state != "done":
            st.button(
                say("train.resume"),
                key="train-resume",
                type="primary",
                icon=":material/play_arrow:",
                on_click=run_action,
                args=(lambda: control.resume(job.job_id),),
            )
        st.button(
            say("train.again"), key="train-again", on_click=address.put, kwargs={JOB_KEY: NEW_JOB}
        )
        with st.popover(say("train.remove"), icon=":material/delete:"):
            st.markdown(say("train.remove_help"))
            st.button(
                say("train.remove_sure"),
                key="train-remove",
                on_click=run_action,
                args=(lambda: control.remove(job.job_id), NEW_JOB),
            )

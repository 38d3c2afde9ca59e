"""Change: a comparison in a process of its own: started under a name that is free, shown as long as it runs, cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

import streamlit as st

from app import access, events
from app.widgets import address, outputs
from app.widgets.frame import PageState
from app.wording.amounts import duration
from embeddings.errors import InputError, KlyuchError
from embeddings.jobs import control, job_folder
from embeddings.jobs.control import JobPlan
from embeddings.results.trainings import Job
from embeddings.shelf.change_reports import change_reports, own_report
from embeddings.sources.intake import corpus_name

RUNNING, SOUGHT = "_comparison_job", "_comparison_sought"
REFRESH_SECONDS = 1.0
COMMANDS = (("words", "change"), ("words", "whatif"))
# Held while a comparison starts: the name of its report is free until its job is there.
STARTING = threading.Lock()


def start(method: str, choose_report: Callable[[], Path], plan: Callable[[Path], JobPlan]) -> None:
    """Start a comparison, and choose it.

    Parameters
    ----------
    method : str
        What the log calls it.
    choose_report : callable
        Returns where the report is written.
    plan : callable
        Returns the job that writes it there.

    Raises
    ------
    KlyuchError
        If this person may start nothing, or the comparison is refused.
    """
    try:
        access.check_change()
        with STARTING:
            job = control.start(plan(choose_report()))
    except KlyuchError as error:
        events.note("refused", page="change", code=error.code)
        raise
    events.note("job", method=method, alive=job.is_alive)
    st.session_state[RUNNING] = job.job_id


def free_report(name: str) -> Path:
    """Return where a report on a text can be written: its name and the first number that no report and no unfinished job has."""
    unfinished = (job for job in job_folder.jobs() if job.state != "done" and is_comparison(job))
    awaited = {report_of(job) for job in unfinished}
    paths = (own_report(f"{corpus_name(name)}-{number}") for number in count(1))
    return next(path for path in paths if not path.exists() and path not in awaited)


def named_report(name: str) -> Path:
    """Return where a report of that name can be written.

    Raises
    ------
    InputError
        If it cannot name a report, or another one has it, or a comparison that waits or runs will write it.
    """
    path = own_report(name)
    alive = {report_of(job) for job in job_folder.jobs() if job.is_alive and is_comparison(job)}
    if name in change_reports() or path in alive:
        raise InputError("report_taken", name=name, free=free_report(name).stem)
    return path


def is_comparison(job: Job) -> bool:
    """Whether a job writes a report."""
    return bool(job.steps) and job.steps[-1][:2] in COMMANDS


def report_of(job: Job) -> Path:
    """Return where a comparison's report is written."""
    output = next(word for word in job.steps[-1] if word.startswith("--output="))
    return Path(output.removeprefix("--output="))


def show_running(page: PageState) -> None:
    """Show the comparison that this session started, or one that runs when the page is opened again."""
    state = st.session_state
    if not access.may_change():
        return
    if RUNNING not in state and not state.get(SOUGHT):
        alive = [job for job in job_folder.jobs() if job.is_alive and is_comparison(job)]
        if alive:
            state[RUNNING] = alive[-1].job_id
    state[SOUGHT] = True
    if RUNNING not in state:
        return
    try:
        job = job_folder.find_job(state[RUNNING])
    except KlyuchError as error:  # removed in another window
        state.pop(RUNNING, None)
        outputs.refuse(page.say, error)
        return
    st.fragment(_draw, run_every=REFRESH_SECONDS if job.is_alive else None)(page, job.job_id)


def _draw(page: PageState, job_id: str) -> None:
    """Draw the state of a comparison; when it ends, its report is the one that is shown."""
    say = page.say
    try:
        job = job_folder.find_job(job_id)
    except KlyuchError as error:  # removed in another window
        outputs.refuse(say, error)
        return
    if job.is_alive:
        _draw_progress(page, job)
        return
    st.session_state.pop(RUNNING, None)
    if (trouble := job_folder.trouble(job)) is not None:
        outputs.refuse(say, trouble)
    elif job.state == "done":
        address.put(view="report", change_report=report_of(job).stem)
        st.rerun()
    else:
        st.info(say("comparison.cancelled"), icon=":material/cancel:")


def _draw_progress(page: PageState, job: Job) -> None:
    """Draw how far a comparison is, and offer to cancel it."""
    say, progress = page.say, job_folder.progress(job)
    title = outputs.plain(report_of(job).stem)
    text = say("comparison.running", name=title)
    if job.is_stopping:
        text = say("comparison.stopping", name=title)
    elif job.state == "queued":
        text = say("comparison.queued", name=title)
    elif progress is not None and progress.phase == "compare" and progress.seconds_left >= 0:
        left = duration(say, progress.seconds_left)
        text = say("comparison.left", name=title, time=left)
    is_last = job.finished == len(job.steps) - 1
    is_training = is_last and progress is not None and progress.phase == "compare"
    st.progress(progress.share if progress and is_training else 0.0, text=text)
    st.caption(say("comparison.closed"))
    st.button(
        say("train.kill" if job.is_stopping else "train.cancel"),
        key="comparison-cancel",
        icon=":material/stop_circle:",
        help=say("comparison.cancel_help"),
        on_click=_cancel,
        args=(job.job_id, job.is_stopping),
    )


def _cancel(job_id: str, kill: bool) -> None:
    """Cancel a comparison; one that has ended by now is left as it is."""
    try:
        access.check_change()
        control.cancel(job_id, kill=kill)
    except KlyuchError as error:
        events.note("refused", page="change", code=error.code)

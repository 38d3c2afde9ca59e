"""Starting, resuming, cancelling and removing jobs."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from embeddings.errors import InputError, refusals
from embeddings.files import read_json, write_json
from embeddings.jobs import job_folder
from embeddings.jobs.job_answers import Job
from embeddings.shelf import check_name
from embeddings.shelf.locations import home

MOST_ALIVE = 12  # jobs that wait or run at a time
_children: list[subprocess.Popen[bytes]] = []  # started here and not yet reaped


@dataclass(frozen=True, slots=True)
class JobPlan:
    """What a job is to do.

    Attributes
    ----------
    title : str
        For people.
    function : str
        What of `embeddings` it calls (`embeddings.jobs.recipes.FUNCTIONS`).
    call : mapping
        The arguments of the function, as JSON has them.
    name, model : str
        What the model will be called on the shelf, and where in the job's folder it is left; "" for none.
    method, language, corpus : str
        What is known of it.
    passes : int
        Epochs, iterations or steps.
    watched : sequence of str
        Words whose neighbours somebody wants to see.
    sources : sequence of Path
        Texts that must be as they are now when the job's turn comes; else it fails and says so.
    """

    title: str
    function: str
    call: Mapping[str, object] = field(default_factory=dict)
    name: str = ""
    model: str = ""
    method: str = ""
    language: str = ""
    corpus: str = ""
    passes: int = 0
    watched: Sequence[str] = ()
    sources: Sequence[Path] = ()


def start(plan: JobPlan) -> Job:
    """Put a job into the queue and start its process.

    Raises
    ------
    InputError
        If the name cannot be had or another job has it, if `MOST_ALIVE` jobs wait or run, or if nothing can be written.
    """
    with refusals(), job_folder.queue():
        name = _free_of_jobs(check_name(plan.name)) if plan.name else ""
        _check_number()
        now = datetime.now(UTC)
        job_id = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        folder = job_folder.jobs_folder() / job_id
        new = folder.with_name(f".{job_id}")
        new.mkdir()
        stamps = {str(source): job_folder.source_stamp(source) for source in plan.sources}
        created = now.isoformat(timespec="seconds")
        about = asdict(plan) | {"name": name, "created": created, "sources": stamps}
        write_json(new / job_folder.JOB, about)
        new.rename(folder)
        _launch(folder)
        return job_folder.read_job(folder)


def resume(job_id: str) -> Job:
    """Start a job that was cancelled, killed or failed again: it resumes from its last checkpoint.

    Raises
    ------
    InputError
        If there is no such job, if it lives, is done, or is an earlier version's; if `MOST_ALIVE` jobs wait or run.
    """
    with refusals(), job_folder.queue():
        job = job_folder.find_job(job_id)
        if job.is_alive:
            raise InputError("job_alive", job=job.job_id)
        if job.state == "done":
            raise InputError("job_done", job=job.job_id)
        if not job.function:
            raise InputError("job_earlier", job=job.job_id)
        _check_number()
        for name in (job_folder.CANCEL, job_folder.ENDED, job_folder.ERROR, job_folder.RUNNING):
            (job.folder / name).unlink(missing_ok=True)
        _launch(job.folder)
        return job_folder.read_job(job.folder)


def cancel(job_id: str, *, kill: bool = False) -> Job:
    """Ask a job to stop: it may save what it has, and is killed 15 seconds later.

    Parameters
    ----------
    kill : bool, default False
        Kill it at once.

    Raises
    ------
    InputError
        If there is no such job, or it has ended.
    """
    job = job_folder.find_job(job_id)
    if not job.is_alive:
        raise InputError("job_ended", job=job.job_id)
    with refusals():
        (job.folder / job_folder.CANCEL).touch()
        group = int(str(read_json(job.folder / job_folder.TURN)["group"]))
        # while the lock is held the group is still the job's own
        if job_folder.is_locked(job.folder / job_folder.ALIVE):
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL if kill else signal.SIGTERM)
    return job_folder.read_job(job.folder)


def remove(job_id: str) -> None:
    """Delete a job's folder with its checkpoints; a model that is on the shelf stays there.

    Raises
    ------
    InputError
        If there is no such job (another window was faster), or if it lives.
    """
    with refusals(), job_folder.queue():
        job = job_folder.find_job(job_id)
        if job.is_alive:
            raise InputError("job_alive", job=job.job_id)
        aside = job.folder.with_name(f".removed-{job.job_id}")
        job.folder.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def wait(job_id: str, seconds: float = 60.0) -> Job:
    """Return the job when it has ended, or as it is after so many seconds."""
    until = time.monotonic() + seconds
    while (job := job_folder.find_job(job_id)).is_alive and time.monotonic() < until:
        time.sleep(0.05)
    _reap()
    return job


def _check_number() -> None:
    """Raise `InputError` if no further job may wait or run."""
    if sum(job.is_alive for job in job_folder.jobs()) >= MOST_ALIVE:
        raise InputError("jobs_many", bound=MOST_ALIVE)


def _free_of_jobs(name: str) -> str:
    """Return ``name`` unless a job that waits or runs will bring a model of it."""
    for job in job_folder.jobs():
        if job.is_alive and job.name.casefold() == name.casefold():
            raise InputError("job_name", name=name, job=job.job_id)
    return name


def _launch(folder: Path) -> None:
    """Start the job's process: its own session, the lock handed on, nothing shared with this window."""
    _reap()
    with (
        (folder / job_folder.ALIVE).open("ab") as lock,
        (folder / job_folder.LOG).open("ab") as log,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)  # one who looks whether it is free holds it for a moment
        before = [job.job_id for job in job_folder.jobs() if job.is_alive and job.folder != folder]
        package = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
        settings = {"KLYUCH_HOME": str(home().resolve()), "PYTHONPATH": path}
        child = subprocess.Popen(
            [sys.executable, "-m", "embeddings.jobs.runner", str(folder), *reversed(before)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=[lock.fileno()],
            env={**os.environ, **settings, "PYTHONUNBUFFERED": "1"},
        )
        job_folder.mark(folder / job_folder.TURN, group=child.pid, before=before)
    _children.append(child)


def _reap() -> None:
    """Let go of started processes that have ended."""
    _children[:] = [child for child in _children if child.poll() is None]

"""``klyuch jobs``: training in a process of its own."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from embeddings.cli.nouns import CARD_LANGUAGE, verb
from embeddings.cli.output import emit, grid
from embeddings.configuration import from_json, to_json
from embeddings.corpora.text_files import text_files
from embeddings.corpora.text_preview import preview
from embeddings.jobs import control, job_folder, recipes
from embeddings.jobs.estimate import estimate
from embeddings.jobs.job_answers import Job
from embeddings.jobs.job_folder import GRACE, find_job, jobs
from embeddings.method_registry import DEFAULT_METHOD, call_text
from embeddings.training.settings import Settings, defaults


@verb("jobs", "list")
def list_command() -> None:
    """List all jobs, the newest first."""
    listed = jobs()
    rows = [(job.job_id, job.state, _share(job), job.title) for job in listed]
    nothing = "There are no jobs. Start one: klyuch jobs start novels.txt --name novels"
    drawn = grid("job", "state", "done", "title", rows=rows) if rows else nothing
    emit([_described(job) for job in listed], drawn)


@verb("jobs", "show")
def show_command(job_id: str, *, lines: int = 10) -> None:
    """Show how far a job is, its last lines and, if it failed, why and what to do."""
    job = find_job(job_id)
    described = _described(job) | {"log": job_folder.log_tail(job, lines)}
    shown = {key: value for key, value in described.items() if key not in ("log", "call")}
    if job.function:
        shown["function"] = call_text(job.function, job.call)
    table = grid("", "", rows=[(key, str(value)) for key, value in shown.items()])
    emit(described, table, *([described["log"]] if lines else []))


@verb("jobs", "start")
def start_command(
    sources: list[Path],
    *,
    method: str = DEFAULT_METHOD,
    name: str,
    language: str = CARD_LANGUAGE,
    changes: list[str],
) -> None:
    """Train in a process of its own: it waits for its turn, and keeps running when this window is closed."""
    text = recipes.Text(text_files(sources), name, language)
    settings = _suited(method, preview(text.files).words, changes)
    _print_job(control.start(recipes.plan(text, method, settings, name)))


@verb("jobs", "estimate")
def estimate_command(
    sources: list[Path], *, method: str = DEFAULT_METHOD, changes: list[str]
) -> None:
    """Print how long a training would take and how much memory and disk, by rates measured on another machine."""
    text = preview(text_files(sources))
    emit(estimate(method, _suited(method, text.words, changes), text))


def _suited(method: str, words: int, changes: list[str]) -> Settings:
    """Return the settings that suit a text of so many words, with those of ``--set``."""
    suited = defaults(method, words)
    return from_json(type(suited), to_json(suited) | dict(map(_setting, changes)), "--set")


def _setting(change: str) -> tuple[str, object]:
    """Return the name and the value of ``NAME=VALUE``."""
    name, _, value = change.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


@verb("jobs", "resume")
def resume_command(job_id: str) -> None:
    """Resume a job that was cancelled, killed or failed, from its last checkpoint."""
    _print_job(control.resume(job_id))


@verb("jobs", "cancel")
def cancel_command(job_id: str, *, kill: bool = False) -> None:
    """Stop a job; what it has saved stays, and `klyuch jobs resume` continues it."""
    job = control.wait(control.cancel(job_id, kill=kill).job_id, GRACE + 5)
    if job.is_alive:
        control.cancel(job.job_id, kill=True)
        job = control.wait(job.job_id, 5)
    _print_job(job)


@verb("jobs", "remove")
def remove_command(job_id: str) -> None:
    """Delete a job that has ended, with its checkpoints; a model on the shelf stays."""
    job = find_job(job_id)
    control.remove(job.job_id)
    emit({"removed": job.job_id}, f"{job.job_id} is removed.")


def _print_job(job: Job) -> None:
    """Print a job."""
    emit(_described(job), f"{job.job_id}: {job.state}")


def _described(job: Job) -> dict[str, Any]:
    """Return a job, its progress and its trouble by name."""
    values = {field.name: getattr(job, field.name) for field in dataclasses.fields(job)}
    trouble = job_folder.trouble(job)
    return {
        "job": values.pop("job_id"),
        **values,
        "progress": job_folder.progress(job),
        "trouble": str(trouble) if trouble else None,
    }


def _share(job: Job) -> str:
    """Return how much of the phase under way is done."""
    at = job_folder.progress(job)
    return f"{100 * at.share:.0f} %" if at and job.state != "done" else ""

"""The folder of a job, and its state derived from facts.

- ``job.json``: what is to be done; written once. ``log.txt``: what the commands printed.
- ``alive``: held by an exclusive lock (flock) from the start until the last process of the job has ended, however
  that happens.
- ``turn.json``: process group, the jobs waited for. ``running``: its turn has come. ``finished.json``: commands that
  ended well.
- ``cancel``: somebody asked to stop. ``ended.json``: how it ended. ``error.json``: the refusal of its command.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embeddings.errors import InputError, KlyuchError
from embeddings.files import read_json
from embeddings.library.places import home
from embeddings.results.jobs import Job

JOB, LOG, ALIVE, TURN, RUNNING = "job.json", "log.txt", "alive", "turn.json", "running"
FINISHED, CANCEL, ENDED, ERROR = "finished.json", "cancel", "ended.json", "error.json"
PROGRESS = "progress-{step}.jsonl"
GRACE = 15.0  # seconds between asking a command to stop and killing it


def jobs_folder() -> Path:
    """Return where jobs lie."""
    return home() / "jobs"


def jobs() -> tuple[Job, ...]:
    """Return all jobs, the newest first; a folder that is none is left out."""
    found = []
    for path in sorted(jobs_folder().glob(f"[!.]*/{JOB}"), reverse=True):
        try:
            found.append(read_job(path.parent))
        except KlyuchError:  # removed or damaged in this moment
            continue
    return tuple(found)


def find_job(job_id: str) -> Job:
    """Return a job by its id, or by the beginning of it that no other has.

    Raises
    ------
    InputError
        If there is none, or several.
    """
    known = [path.parent.name for path in jobs_folder().glob(f"[!.]*/{JOB}")]
    near = [name for name in known if job_id and name.startswith(job_id)]
    if job_id in known or len(near) == 1:
        return read_job(jobs_folder() / (job_id if job_id in known else near[0]))
    raise InputError("job_unknown", job=job_id)


def read_job(folder: Path) -> Job:
    """Read a job's folder; the state is that of this moment."""
    about = read_json(folder / JOB)
    lives = is_locked(folder / ALIVE)
    ended = _facts(folder / ENDED)
    code = ended.get("code")
    steps, watched = about.get("steps"), about.get("watched")
    state = _state(folder, lives, code if isinstance(code, int) else None)
    text = {key: str(about.get(key) or "") for key in ("title", "method", "language", "corpus")}
    return Job(
        folder.name,
        **text,
        name=str(ended.get("name") or about.get("name") or ""),
        created=str(about.get("created") or ""),
        steps=tuple(tuple(map(str, step)) for step in steps) if isinstance(steps, list) else (),
        passes=int(str(about.get("passes") or 0)),
        folder=folder,
        state=state,
        finished=finished(folder),
        ahead=_ahead(folder) if state == "queued" else 0,
        is_stopping=lives and (folder / CANCEL).exists(),
        exit_code=code if isinstance(code, int) else None,
        watched=tuple(map(str, watched)) if isinstance(watched, list) else (),
    )


def _ahead(folder: Path) -> int:
    """Count the jobs that a queued one waits for."""
    before = _facts(folder / TURN).get("before")
    waited = before if isinstance(before, list) else []
    return sum(is_locked(folder.parent / str(other) / ALIVE) for other in waited)


def finished(folder: Path) -> int:
    """Return how many of a job's commands have ended well."""
    return int(str(_facts(folder / FINISHED).get("steps") or 0))


def _state(folder: Path, lives: bool, code: int | None) -> str:
    """Tell the state from what is there."""
    if lives:
        return "running" if (folder / RUNNING).exists() else "queued"
    if code == 0:
        return "done"
    if (folder / CANCEL).exists():
        return "cancelled"
    return "failed" if code is not None and code > 0 else "interrupted"


def _facts(path: Path) -> dict[str, object]:
    """Read a small JSON file; nothing where it is not there or not whole."""
    try:
        return read_json(path)
    except KlyuchError:
        return {}


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock of ``path``."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


@contextmanager
def queue() -> Iterator[None]:
    """Be the only one who starts, resumes or removes jobs."""
    folder = jobs_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".queue").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def mark(path: Path, **facts: object) -> None:
    """Write a small JSON file, whole or not at all; cheaper than `whole_file`, for it may be lost with the power."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")
    temporary.replace(path)


def note_refusal(path: Path, error: KlyuchError) -> None:
    """Write a refusal down by code and fields, so that a page can say it in its language."""
    mark(path, code=error.code, fields={key: str(value) for key, value in error.fields.items()})

"""The folder of a job, and its state derived from facts.

- ``job.json``: what is to be done; written once. ``log.txt``: what its process printed.
- ``alive``: held by an exclusive lock (flock) from the start until the job's process has ended, however that happens.
- ``turn.json``: process group, the jobs waited for. ``running``: its turn has come. ``finished.json``: its function has
  ended well.
- ``room``: some kilobytes, given up where the disk is full and a file of these must be written.
- ``cancel``: somebody asked to stop. ``ended.json``: how it ended. ``error.json``: the error message.

Read from it: how far a job is, its loss curve, its log, why it ended.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from embeddings.corpora.text_files import text_files
from embeddings.errors import Clause, InputError, KlyuchError, messages
from embeddings.files import read_if_whole, read_json, stamp
from embeddings.jobs import progress_log
from embeddings.jobs.job_answers import Job, JobProgress, LossCurve
from embeddings.shelf.locations import home

JOB, LOG, ALIVE, TURN, RUNNING = "job.json", "log.txt", "alive", "turn.json", "running"
FINISHED, CANCEL, ENDED, ERROR = "finished.json", "cancel", "ended.json", "error.json"
PROGRESS = "progress-0.jsonl"  # an earlier version numbered the commands of a job
ROOM, ROOM_BYTES = "room", 1 << 16
GRACE = 15  # seconds between asking a job to stop and killing it


def jobs_folder() -> Path:
    """Return where jobs lie."""
    return home() / "jobs"


def jobs() -> tuple[Job, ...]:
    """Return all jobs, the newest first; folders that are not jobs are left out."""
    listed = []
    for path in sorted(jobs_folder().glob(f"[!.]*/{JOB}"), reverse=True):
        try:
            listed.append(read_job(path.parent))
        except KlyuchError:  # removed or damaged in this moment
            continue
    return tuple(listed)


def find_job(job_id: str) -> Job:
    """Return a job by its id, or by the beginning of it that no other has.

    Raises
    ------
    InputError
        If there is none, or several.
    """
    job_ids = [path.parent.name for path in jobs_folder().glob(f"[!.]*/{JOB}")]
    matching = [name for name in job_ids if job_id and name.startswith(job_id)]
    if job_id in job_ids or len(matching) == 1:
        return read_job(jobs_folder() / (job_id if job_id in job_ids else matching[0]))
    raise InputError("job_unknown", job=job_id)


def read_job(folder: Path) -> Job:
    """Read a job's folder; the state is that of this moment."""
    about = read_json(folder / JOB)
    lives = is_locked(folder / ALIVE)
    ended = read_if_whole(folder / ENDED)
    code = ended.get("code")
    watched, passes = about.get("watched"), about.get("passes")
    state = _state(folder, lives, code if isinstance(code, int) else None)
    text = {key: str(about.get(key) or "") for key in ("title", "method", "language", "corpus")}
    return Job(
        folder.name,
        **text,
        name=str(ended.get("name") or about.get("name") or ""),
        created=str(about.get("created") or ""),
        passes=passes if isinstance(passes, int) else 0,
        folder=folder,
        state=state,
        ahead=_ahead(folder) if state == "queued" else 0,
        is_stopping=lives and (folder / CANCEL).exists(),
        exit_code=code if isinstance(code, int) else None,
        watched=tuple(map(str, watched)) if isinstance(watched, list) else (),
        function="" if about.get("steps") else str(about.get("function") or "train"),
        call=call if isinstance(call := about.get("call"), dict) else {},
    )


def seconds_taken(job: Job) -> float | None:
    """Return how long a job has run by now; None before its turn has come."""
    try:
        return time.time() - (job.folder / RUNNING).stat().st_mtime
    except OSError:
        return None


def _ahead(folder: Path) -> int:
    """Count the jobs that a queued one waits for."""
    before = read_if_whole(folder / TURN).get("before")
    waited = before if isinstance(before, list) else []
    return sum(is_locked(folder.parent / str(other) / ALIVE) for other in waited)


def _state(folder: Path, lives: bool, code: int | None) -> str:
    """Tell the state from what is there."""
    if lives:
        return "running" if (folder / RUNNING).exists() else "queued"
    if code == 0:
        return "done"
    if (folder / CANCEL).exists():
        return "cancelled"
    return "failed" if code is not None and code > 0 else "interrupted"


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock of ``path``."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (OSError, ValueError):  # not there, or no file that a job can have
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
    """Write a small JSON file, whole or not at all; cheaper than `atomic_file`, for it may be lost with the power."""
    text = json.dumps(facts, ensure_ascii=False)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
    except OSError:
        if not (path.parent / ROOM).exists():
            raise
        (path.parent / ROOM).unlink()  # the disk is full, and this must be said
        temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def keep_room(folder: Path) -> None:
    """Keep some room in a job's folder, so that how the job ended can be written when the disk is full."""
    with suppress(OSError):
        (folder / ROOM).write_bytes(bytes(ROOM_BYTES))


TAIL = 1 << 16  # bytes of a log that are looked at


def progress(job: Job) -> JobProgress | None:
    """Return how far the job is; None before its first report."""
    lines = _progress_lines(job)
    if not lines:
        return None
    last, epoch, passes = lines[-1], int(lines[-1].epoch), job.passes
    share = last.share
    if progress_log.TRAINING.get(last.phase) in ("epoch", "iteration") and passes:
        share = (epoch - 1 + share) / passes
    elif last.phase == "pretrain":
        epoch, passes = int(last.done), int(last.total)
    losses = [line.loss for line in progress_log.lines_without_repeats(lines)]
    loss = losses[-1] if losses else math.nan
    rest = last.per_second, last.seconds_left
    return JobProgress(last.phase, epoch, passes, min(max(share, 0.0), 1.0), loss, *rest)


def curve(job: Job) -> LossCurve:
    """Return the loss of the job's training, whole passes included; empty as long as there is none."""
    return progress_log.curve_of(_progress_lines(job), *pass_means(job))


def pass_means(job: Job) -> tuple[list[float], list[float]]:
    """Return the losses by whole pass that a static training has recorded in its checkpoint: its own, and held-out."""
    from embeddings.run_folder import CHECKPOINT
    from embeddings.static.static_checkpoint import DAMAGES, read_state

    try:
        state = read_state(job.run / CHECKPOINT)
        own, heldout = ([*map(float, state.get(key, []))] for key in ("losses", "heldout_losses"))
    except DAMAGES:
        return [], []
    return own, heldout


def log_tail(job: Job, lines: int = 20) -> str:
    """Return the last lines of what the job printed."""
    path = job.folder / LOG
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        text = file.read().decode("utf-8", "replace")
    return "\n".join(text.rstrip().split("\n")[-lines:])


def error_json(error: KlyuchError | Clause) -> dict[str, object]:
    """Return an error as JSON holds it: its code and its fields, a clause or an error as an object, all else as text."""
    fields = {
        name: error_json(value) if isinstance(value, Clause | KlyuchError) else str(value)
        for name, value in error.fields.items()
    }
    return {"code": error.code, "fields": fields}


def _read_error(value: Mapping[str, Any]) -> KlyuchError | Clause:
    """Return what `error_json` wrote."""
    code, fields = value["code"], value["fields"]
    read = {n: _read_error(item) if isinstance(item, dict) else item for n, item in fields.items()}
    return InputError(code, **read) if code in messages() else Clause(code, read)


def trouble(job: Job) -> KlyuchError | None:
    """Return why a job failed or was interrupted, and what to do; None for any other."""
    if job.state not in ("failed", "interrupted"):
        return None
    if (job.folder / ERROR).exists():
        with suppress(KeyError, IndexError, TypeError, ValueError, AttributeError):
            error = _read_error(read_if_whole(job.folder / ERROR))
            if isinstance(error, KlyuchError):
                return error  # unless a field of the sentence is not there
    if job.exit_code is None:
        return InputError("job_cut")
    if job.exit_code < 0:
        return InputError("job_killed", signal=-job.exit_code)
    return InputError("job_crashed", number=job.exit_code)


def _progress_lines(job: Job) -> list[progress_log.ProgressLine]:
    """Return the reports of the job, or of the last of its commands that reported."""
    files = sorted(job.folder.glob(PROGRESS.replace("0", "*")), reverse=True)
    return next(filter(None, map(progress_log.read_lines, files)), [])


def source_stamp(source: Path) -> str:
    """Return a digest of the files of a text: another one once a file is rewritten, replaced, added or gone."""
    try:
        files = text_files([source])
    except KlyuchError:  # not there, or without text
        files = ()
    return hashlib.blake2b("".join(map(stamp, files)).encode(), digest_size=16).hexdigest()


def check_sources(folder: Path) -> None:
    """Raise `InputError` if a text that the job in ``folder`` was started on is another one now."""
    recorded = read_json(folder / JOB).get("sources")
    for path, state in recorded.items() if isinstance(recorded, dict) else ():
        if source_stamp(Path(path)) != state:
            raise InputError("job_source_changed", path=path)

"""The process of a job: waits for its turn, runs its training or its commands one after another, puts the model on the shelf.

``python -m embeddings.jobs.runner FOLDER LOCK BEFORE...``: LOCK is the open file whose lock says that the job lives;
the commands inherit it, so that a command which outlives this process still counts. BEFORE are the jobs whose end is
waited for. SIGTERM stops: the command is asked to, and killed after `GRACE` seconds. Killing is safe at any moment:
each step leaves whole files or none, and is repeated.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from embeddings.errors import KlyuchError, refusal
from embeddings.files import read_json
from embeddings.jobs.job_folder import (
    ALIVE,
    ENDED,
    ERROR,
    FINISHED,
    GRACE,
    JOB,
    PROGRESS,
    ROOM,
    RUNNING,
    check_sources,
    finished,
    keep_room,
    mark,
    note_refusal,
    read_job,
)
from embeddings.methods import call_text

PLACING = "placing.json"  # under which name the model is being put on the shelf
TEMPORARY = (
    ".temporary"  # what commands write for a while: gone with the job, even where they are killed
)
RESUMABLE = (("word2vec", "train"), ("glove", "train"), ("fasttext", "train"))
GENTLE = 5  # lower priority, so that pages answer while a job runs


class Stopped(BaseException):
    """SIGTERM came."""


def main() -> None:
    """Run a job to its end."""
    signal.signal(signal.SIGTERM, _stop)
    folder, lock = Path(sys.argv[1]), int(sys.argv[2])
    name, code = "", -int(signal.SIGTERM)
    keep_room(folder)
    try:
        # Every job holds a lock on its file `alive`, which its commands inherit as an open file. The lock ends with the last process that
        # has the file, however that ends: there is no stale lock to clear, and a job whose runner was killed lives until its command ends.
        for other in sys.argv[3:]:
            _await(folder.parent / other / ALIVE)
        (folder / RUNNING).touch()
        os.setpriority(os.PRIO_PROCESS, 0, max(GENTLE, os.getpriority(os.PRIO_PROCESS, 0)))
        _clear(folder)
        if not finished(folder):
            check_sources(folder)
        code = _run_all(folder, lock)
        if code == 0:
            name = shelve_model(folder)
    except KlyuchError as error:
        _note(folder, error)
        code = 2
    except OSError as error:
        _note(folder, refusal(error))
        code = 2
    except Stopped:
        code = -int(signal.SIGTERM)
    shutil.rmtree(folder / TEMPORARY, ignore_errors=True)
    mark(folder / ENDED, code=code, name=name)
    (folder / ROOM).unlink(missing_ok=True)


def _note(folder: Path, error: KlyuchError) -> None:
    """Say a refusal in the job's log and, if there is room for it, in its folder."""
    with suppress(OSError):
        note_refusal(folder / ERROR, error)
    with suppress(OSError):
        sys.stderr.write(f"{error}\n")


def _stop(*_: object) -> NoReturn:
    """Stop, once."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped


def _await(lock: Path) -> None:
    """Wait until no process holds a lock."""
    with suppress(FileNotFoundError), lock.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)


def _clear(folder: Path) -> None:
    """Delete half-written files that a killed command left."""
    for path in [*folder.rglob(".*")]:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _run_all(folder: Path, lock: int) -> int:
    """Run the training, or the commands that have not ended well yet; return the first exit code that is not 0."""
    job = read_job(folder)
    for number in range(finished(folder), job.stages):
        progress = folder / PROGRESS.format(step=number)
        if job.steps:
            words = resumed_command(list(job.steps[number]), progress.exists())
            shown, process = shlex.join(["klyuch", *words]), ["embeddings.cli", *words]
        else:
            shown, process = call_text(job.call), ["embeddings.jobs.recipes", str(folder)]
        sys.stderr.write(f"$ {shown}\n")
        code = _run(process, progress, lock)
        if code:
            return code
        mark(folder / FINISHED, steps=number + 1)
    return 0


def _run(process: list[str], progress: Path, lock: int) -> int:
    """Run a module with its arguments; a stop is passed on to it."""
    progress.touch()
    temporary = progress.with_name(TEMPORARY)
    temporary.mkdir(exist_ok=True)
    paths = {"KLYUCH_PROGRESS": str(progress), "KLYUCH_ERROR": str(progress.with_name(ERROR))}
    child = subprocess.Popen(
        [sys.executable, "-m", *process],
        stdin=subprocess.DEVNULL,
        pass_fds=[lock],
        env={**os.environ, **paths, "TMPDIR": str(temporary)},
    )
    try:
        return child.wait()
    except Stopped:
        child.terminate()
        try:
            child.wait(GRACE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        raise


def resumed_command(words: list[str], begun: bool) -> list[str]:
    """Return a command so that it takes up what an earlier attempt left.

    Examples
    --------
    >>> resumed_command(["glove", "train", "a.ids", "--restart"], True)
    ['glove', 'train', 'a.ids', '--resume']
    """
    if tuple(words[:2]) not in RESUMABLE or (not begun and "--restart" in words):
        return words
    return [word for word in words if word not in ("--resume", "--restart")] + ["--resume"]


def shelve_model(folder: Path) -> str:
    """Put the job's model on the shelf; return the name it got, "" if the job has none.

    Taken in the meantime, the name gets a number behind it. What was placed before this process was killed is not placed twice.
    """
    about = read_json(folder / JOB)
    if not about.get("model"):
        return ""
    from embeddings.files import CARD
    from embeddings.shelf import add_model, find, free_name, home
    from embeddings.shelf.entries import read_card

    model, name = folder / str(about["model"]), str(about["name"])
    if (folder / PLACING).exists():
        name = str(read_json(folder / PLACING)["name"])
        # This process was killed while it placed the model. It is there if the job's folder has lost its card (moved), or a model of that
        # name has the very files (copied, the original not yet deleted); else it is placed now.
        target = home() / "models" / name
        if not (model / CARD).exists() or (
            (target / CARD).exists()
            and read_json(model / CARD).get("files") == read_card(find(target)).get("files")
        ):
            return name
    while True:
        mark(folder / PLACING, name=name)
        try:
            return add_model(model, name, move=True).name
        except KlyuchError as error:
            if error.code != "model_taken":
                raise
            name = free_name(name)


if __name__ == "__main__":
    main()

"""The process of a job: waits for its turn, calls its function, puts the model on the shelf.

``python -m embeddings.jobs.runner FOLDER BEFORE...``: BEFORE are the jobs whose end is waited for. SIGTERM stops it; what does not end
within `GRACE` seconds of it is killed. Killing is safe at any moment: each step leaves whole files or none, and is repeated.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path

from embeddings.errors import KlyuchError, refusals
from embeddings.files import read_json
from embeddings.jobs import job_folder
from embeddings.jobs.progress_log import ProgressLog
from embeddings.method_registry import call_text
from embeddings.optional import optional

PLACING = "placing.json"  # under which name the model is being put on the shelf
TEMPORARY = ".temporary"  # what is written for a while: gone with the job, even where it was killed
GENTLE = 5  # lower priority, so that pages answer while a job runs


def main() -> None:
    """Run a job to its end."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _stop)
    folder = Path(sys.argv[1])
    name, code = "", -int(signal.SIGTERM)
    job_folder.keep_room(folder)
    try:
        # Every job holds a lock on its file `alive`, which its process inherits as an open file. The lock ends with the process,
        # however that ends: there is no stale lock to clear.
        for other in sys.argv[2:]:
            _await(folder.parent / other / job_folder.ALIVE)
        (folder / job_folder.RUNNING).touch()
        os.setpriority(os.PRIO_PROCESS, 0, max(GENTLE, os.getpriority(os.PRIO_PROCESS, 0)))
        _clear(folder)
        with optional(), refusals():
            _run(folder)
            name = shelve_model(folder)
        code = 0
    except KlyuchError as error:
        with suppress(OSError):  # the disk may be full
            # a page says it in its language
            job_folder.mark(folder / job_folder.ERROR, **job_folder.error_json(error))
            sys.stderr.write(f"{error}\n")
        code = 2
    except KeyboardInterrupt:  # SIGTERM came
        pass
    except Exception:  # the log has it, and the job's page says so
        traceback.print_exc()
        code = 1
    shutil.rmtree(folder / TEMPORARY, ignore_errors=True)
    job_folder.mark(folder / job_folder.ENDED, code=code, name=name)
    (folder / job_folder.ROOM).unlink(missing_ok=True)


def _run(folder: Path) -> None:
    """Call the job's function, unless it has ended well already."""
    if (folder / job_folder.FINISHED).exists():
        return
    from embeddings.jobs.recipes import run_job

    job_folder.check_sources(folder)
    (folder / TEMPORARY).mkdir(exist_ok=True)
    tempfile.tempdir = str(folder / TEMPORARY)
    job = job_folder.read_job(folder)
    sys.stderr.write(f"{call_text(job.function, job.call)}\n")
    run_job(job, ProgressLog(folder / job_folder.PROGRESS).add)
    job_folder.mark(folder / job_folder.FINISHED)


def _stop(*_: object) -> None:
    """Stop, once, as by Ctrl+C, which a training answers by saving; what has not ended after some seconds is killed by the alarm."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.alarm(job_folder.GRACE)
    signal.raise_signal(signal.SIGINT)


def _await(lock: Path) -> None:
    """Wait until no process holds a lock."""
    with suppress(FileNotFoundError), lock.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)


def _clear(folder: Path) -> None:
    """Delete half-written files that a killed job left."""
    for path in [*folder.rglob(".*")]:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def shelve_model(folder: Path) -> str:
    """Put the job's model on the shelf; return the name it got, "" if the job has none.

    Taken in the meantime, the name gets a number behind it. What was placed before this process was killed is not placed twice.
    """
    about = read_json(folder / job_folder.JOB)
    if not about.get("model"):
        return ""
    from embeddings.model_card import CARD
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
        job_folder.mark(folder / PLACING, name=name)
        try:
            return add_model(model, name, move=True).name
        except KlyuchError as error:
            if error.code != "model_taken":
                raise
            name = free_name(name)


if __name__ == "__main__":
    main()

"""Watching a job from its folder: how far it is, its curve, its log, why it ended."""

from __future__ import annotations

import json
import math
from pathlib import Path

from embeddings.errors import SENTENCES, InputError, KlyuchError
from embeddings.files import read_json
from embeddings.jobs.folder import ERROR, LOG, PROGRESS
from embeddings.jobs.progress import TRAINING, Line, curve_of, kept_lines, read_lines
from embeddings.results.jobs import Job, JobProgress, LossCurve

TAIL = 1 << 16  # bytes of a log that are looked at


def progress(job: Job) -> JobProgress | None:
    """Return how far the command under way is (of a job that ended: the last one); None before its first report."""
    step = min(job.finished, len(job.steps) - 1)
    while step >= 0:
        if lines := read_lines(_progress_file(job, step)):
            return _where(job, step, lines)
        if job.is_alive:
            return None
        step -= 1
    return None


def curve(job: Job) -> LossCurve:
    """Return the loss of the job's training, whole passes included; empty as long as there is none."""
    for step in range(len(job.steps) - 1, -1, -1):
        lines = read_lines(_progress_file(job, step))
        if any(line.get("phase") in TRAINING for line in lines):
            return curve_of(lines, pass_means(job))
    return curve_of([])


def pass_means(job: Job) -> list[float]:
    """Return the mean loss of each whole pass that a static training has recorded in its checkpoint."""
    from safetensors import SafetensorError, safe_open

    checkpoint = run_folder(job) / "checkpoint.safetensors"
    if not checkpoint.exists():
        return []
    try:
        with safe_open(checkpoint, framework="numpy") as file:
            state = json.loads((file.metadata() or {})["state"])
    except (SafetensorError, OSError, KeyError, ValueError):
        return []
    return [float(loss) for loss in state.get("losses", [])]


def run_folder(job: Job) -> Path:
    """Return the folder of the job's training: what its last command says, else ``run`` in the job's folder."""
    words = job.steps[-1] if job.steps else ()
    for flag, suffix in (("--run", ""), ("--output", ".run")):
        if flag in words[:-1]:
            return Path(words[words.index(flag) + 1] + suffix)
    return job.folder / "run"


def log_tail(job: Job, lines: int = 20) -> str:
    """Return the last lines of what the commands printed."""
    path = job.folder / LOG
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        text = file.read().decode("utf-8", "replace")
    return "\n".join(text.rstrip().split("\n")[-lines:])


def trouble(job: Job) -> KlyuchError | None:
    """Return why a job failed or was interrupted, and what to do; None for any other."""
    if job.state not in ("failed", "interrupted"):
        return None
    if (job.folder / ERROR).exists():
        said = read_json(job.folder / ERROR)
        fields = said.get("fields")
        if said.get("code") in SENTENCES and isinstance(fields, dict):
            return InputError(str(said["code"]), **fields)
    if job.exit_code is None:
        return InputError("job_cut")
    if job.exit_code < 0:
        return InputError("job_killed", signal=-job.exit_code)
    return InputError("job_crashed", number=job.exit_code)


def _progress_file(job: Job, step: int) -> Path:
    """Where the reports of a command stand."""
    return job.folder / PROGRESS.format(step=step)


def _where(job: Job, step: int, lines: list[Line]) -> JobProgress:
    """Tell from the last line how far a command is."""
    last = lines[-1]
    phase, epoch = str(last["phase"]), int(last["epoch"])
    share = float(last["done"]) / max(float(last["total"]), 1.0)
    passes = job.passes
    if TRAINING.get(phase) in ("epoch", "iteration") and passes:
        share = (epoch - 1 + share) / passes
    elif phase == "pretrain":
        epoch, passes = int(last["done"]), int(last["total"])
    losses = [float(line["loss"]) for line in kept_lines(lines)]
    return JobProgress(
        step,
        phase,
        epoch,
        passes,
        min(max(share, 0.0), 1.0),
        losses[-1] if losses else math.nan,
        float(last["per_second"]),
        float(last["seconds_left"]),
    )

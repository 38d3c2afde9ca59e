"""Warm-up: after its start the server opens the models of its first page, so that the first visitors do not wait for them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import embeddings
from app import access, events
from app.wording import TEXT_LANGUAGES
from embeddings.machine_memory import free_memory

WARM = "KLYUCH_WARM"  # "0" in the environment switches it off
LOWEST_PRIORITY = 19
MIN_FREE_BYTES = 2 << 30  # below this the models wait until somebody asks for them
PACKAGE = Path(embeddings.__file__).parents[1]


def start() -> threading.Thread:
    """Warm up in a thread of its own, which ends with the server."""
    thread = threading.Thread(target=warm_up, name="warm-up", daemon=True)
    thread.start()
    return thread


def warm_up() -> None:
    """Open the models of the first page, those of the machine's language first; the log says what succeeded and what failed."""
    own = os.environ.get("LANG", "")[:2]
    for language in sorted(TEXT_LANGUAGES, key=lambda name: name != own):
        begun, free = time.monotonic(), free_memory()
        if free is not None and free < MIN_FREE_BYTES:
            events.note("warm_up_ended", free=free)
            return
        try:
            open_models(language)
        except Exception as error:  # a damaged model is reported on its page
            events.note("warm_up_failed", language=language, error=type(error).__name__)
        events.note("warmed", language=language, seconds=round(time.monotonic() - begun, 1))
    if not access.is_public():
        compile_kernels()


def open_models(language: str) -> None:
    """Open the models that answer in a language until a person chooses others."""
    from app.loaders import shelf_models
    from app.widgets import frame

    models = frame.offered(language)
    chosen = frame.default_models(models)
    for entry in models:
        if entry.name in chosen:
            shelf_models.vectors(entry)


def compile_kernels() -> None:
    """Compile the loops that train static models in a process of the lowest priority; Numba keeps them on disk."""
    path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH", "")]))
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "embeddings.jobs.kernel_compilation"],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:  # no memory or no process is left
        events.note("compilation_failed", error=type(error).__name__)
        return
    if hasattr(os, "setpriority"):
        with suppress(OSError):  # a sandbox may refuse it
            os.setpriority(os.PRIO_PROCESS, child.pid, LOWEST_PRIORITY)
    if child.wait():
        events.note("compilation_failed", exit_code=child.returncode)

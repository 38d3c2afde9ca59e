"""Warm-up: after its start the server opens the models of its first page, so that the first visitors do not wait for them."""

from __future__ import annotations

import importlib
import os
import threading
import time
from contextlib import suppress
from functools import cache
from importlib.util import find_spec

import numpy as np

from app import events
from app.wording import TEXT_LANGUAGES
from embeddings.errors import KlyuchError
from embeddings.machine_memory import free_memory

WARM = "KLYUCH_WARM"  # "0" in the environment switches it off
MIN_FREE_BYTES = 2 << 30  # below this the models wait until somebody asks for them


@cache
def start_once() -> None:
    """Warm up in a thread of its own, which ends with the server, unless the environment switches it off."""
    if os.environ.get(WARM, "1") == "1":
        threading.Thread(target=warm_up, name="warm-up", daemon=True).start()


def warm_up() -> None:
    """Open the models of the first page, those of the machine's language first, and what Contexts asks in that one.

    The log says what succeeded and what failed.
    """
    own = os.environ.get("LANG", "")[:2]
    languages = sorted(TEXT_LANGUAGES, key=lambda name: name != own)
    for language in languages:
        begun, free = time.monotonic(), free_memory()
        if free is not None and free < MIN_FREE_BYTES:
            events.note("warm_up_ended", free=free)
            return
        try:
            open_models(language)
            if language == languages[0] and find_spec("torch"):
                open_contexts(language)
        except Exception as error:  # a damaged model is reported on its page
            events.note("warm_up_failed", language=language, error=type(error).__name__)
        events.note("warmed", language=language, seconds=round(time.monotonic() - begun, 1))
    compile_umap()


def open_models(language: str) -> None:
    """Open the models that answer in a language until a person chooses others."""
    from app import shelf_models
    from app.widgets import frame

    models = frame.offered(language)
    chosen = frame.default_models(models)
    for entry in models:
        if entry.name in chosen:
            shelf_models.vectors(entry)


def open_contexts(language: str) -> None:
    """Open the network that Contexts asks in a language at first, with its companion, and import what finds senses."""
    from app import shelf_models
    from app.views.contexts.word_in_contexts import Question, reader
    from app.widgets.network_inputs import by_language

    for name in ("scipy.cluster.hierarchy", "sklearn.metrics"):
        importlib.import_module(name)
    for network in by_language(shelf_models.networks(), language)[:1]:
        static = shelf_models.companion(language)
        reader(Question(network, language, (), "word", static))


def compile_umap() -> None:
    """Lay out a few random points in the process of UMAP: what it compiles would keep the first map waiting for half a minute."""
    from embeddings.analysis.umap_process import umap_apart

    matrix = np.random.default_rng(1).normal(size=(40, 16)).astype(np.float32)
    with suppress(KlyuchError):  # umap-learn is not installed: the page says so when somebody asks
        umap_apart(matrix, 2, 1)

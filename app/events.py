"""Log lines of the server: one JSON object an event, without anything that people typed, named or uploaded.

A fact is a number, or a word that this program itself brings: the code of a refusal, a page, a kind, a method, the name of a built-in
error. Anything else is written as "other", so that no mistake of a caller can put a person's text into a log.
"""

from __future__ import annotations

import builtins
import json
import logging
import sys
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from app.wording import TEXT_LANGUAGES
from embeddings.errors import messages
from embeddings.method_registry import METHODS
from embeddings.shelf.entries import MODEL_KINDS

log = logging.getLogger("klyuch.events")
SLOW = 5.0  # seconds from which a run of a page is an event


def start() -> None:
    """Write events to standard error from now on."""
    if not log.handlers:
        log.addHandler(logging.StreamHandler(sys.stderr))
    log.setLevel(logging.INFO)
    log.propagate = False


def note(event: str, **facts: float | str) -> None:
    """Write one event.

    Parameters
    ----------
    event : str
        What happened.
    facts : float or str
        Numbers, and words of `words`; any other text is written as "other".
    """
    if not log.isEnabledFor(logging.INFO):
        return
    shown = {
        name: value if not isinstance(value, str) or value in words() else "other"
        for name, value in facts.items()
    }
    moment = datetime.now(UTC).isoformat(timespec="milliseconds")
    log.info(json.dumps({"time": moment, "event": event, **shown}))


@cache
def words() -> frozenset[str]:
    """Return the texts that a log line may hold."""
    pages = (path.name for path in (Path(__file__).parent / "views").iterdir() if path.is_dir())
    errors = (name for name, value in vars(builtins).items() if _is_error(value))
    return frozenset((*errors, *messages(), *MODEL_KINDS, *METHODS, *TEXT_LANGUAGES, *pages, ""))


def _is_error(value: object) -> bool:
    """Whether a value is a kind of error."""
    return isinstance(value, type) and issubclass(value, BaseException)

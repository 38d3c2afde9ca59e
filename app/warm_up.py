"""Warm-up: after its start the server opens every page once itself, so that no visitor waits for what a first opening computes.

Each page is run as for a visitor, in a session of the server's own that is closed at once: libraries are imported, models opened, and
the examples answered under the very keys that a visitor's page asks with. The language of the first visitor goes first. Loops that
Numba has not yet compiled on this machine are compiled in a process of low priority.

Visitors go first: one page is opened at a time, none within `QUIET` of a visitor's message, nor within `ARRIVING` of a browser's
request for a page, whose messages follow. Either ends the page that is being opened, which is opened again later; what it computes in one
piece is computed to its end first. Where little memory is free it ends. A page that fails, or takes longer than `LONGEST`, is opened
once more at its turn and then left, which the log says.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import SessionClient

import embeddings
from app import access, events
from app.wording import TEXT_LANGUAGES
from embeddings.machine_memory import free_memory
from embeddings.shelf import home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

WARM = "KLYUCH_WARM"  # "0" in the environment leaves it
FIRST = ""  # the page that an address without a path opens
QUIET = 1.0  # seconds since the last message from or to a visitor before a page is opened
ARRIVING = 5.0  # seconds from a browser's request for a page to its first message, while it fetches scripts
LONGEST = 120.0  # seconds for a page
TRIES = 2  # openings of a page that fails
NICE = 19  # the lowest priority
LOOKING = 0.5  # seconds between two looks whether compiling, or a page, has ended
# How names of threads begin that run pages (Streamlit's) or compute answers (`app.loaders.answer_queue`).
BUSY = ("ScriptRunner", "answers computing")
LEAST_MEMORY = 2 << 30  # bytes that must be free
PACKAGE = Path(embeddings.__file__).parents[1]


class Visitors:
    """When the last message went from or to a visitor, and which languages visitors read.

    Attributes
    ----------
    languages : list of str
        Of the texts in the order in which they are made ready: those of visitors, as they came, before the machine's own.
    """

    def __init__(self) -> None:
        self.languages: list[str] = []
        self._quiet_from = 0.0
        self._arrived = asyncio.Event()

    def note_language(self, accepted: str) -> None:
        """Note the languages that a browser asks for, by its header."""
        language = accepted[:2].lower()
        if language in TEXT_LANGUAGES and language not in self.languages:
            self.languages.append(language)

    def note_message(self) -> None:
        """Note that a visitor is served now."""
        self._note(QUIET)

    def note_arrival(self) -> None:
        """Note that a browser asks for a page, whose messages follow."""
        self._note(ARRIVING)

    def _note(self, seconds: float) -> None:
        """Note that somebody is to be left in peace for some seconds."""
        self._quiet_from = max(self._quiet_from, time.monotonic() + seconds)
        self._arrived.set()

    async def gone(self) -> None:
        """Wait until nothing is drawn or computed for anybody, nobody arrives, and no visitor had a message for `QUIET` seconds."""
        while (left := self._quiet_from - time.monotonic()) > 0 or is_busy():
            await asyncio.sleep(max(left, LOOKING))
        self._arrived = asyncio.Event()

    async def arrive(self) -> None:
        """Wait until a visitor is served."""
        await self._arrived.wait()


def is_busy() -> bool:
    """Whether a page is run or an answer computed now, which may send no message for long."""
    return any(thread.name.startswith(BUSY) for thread in threading.enumerate())


class NoteVisitors:
    """Tells `Visitors` of each message over a websocket, of browsers that ask for a page, and of their languages."""

    def __init__(self, app: ASGIApp, visitors: Visitors) -> None:
        self.app, self.visitors = app, visitors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] in ("http", "websocket"):
            headers = dict(scope["headers"])
            self.visitors.note_language(headers.get(b"accept-language", b"").decode("latin-1"))
            if b"text/html" in headers.get(b"accept", b""):
                self.visitors.note_arrival()
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return

        async def received() -> Message:
            message = await receive()
            self.visitors.note_message()
            return message

        async def sent(message: Message) -> None:
            self.visitors.note_message()
            await send(message)

        await self.app(scope, received, sent)


class _Page(SessionClient):
    """A session's other end: it keeps the names of the pages and that the run has ended, and drops what is drawn."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.finished = asyncio.Event()

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        """Take a message of the server."""
        kind = msg.WhichOneof("type")
        if kind == "navigation":
            self.names = tuple(page.url_pathname for page in msg.navigation.app_pages)
        elif kind == "script_finished":
            self.finished.set()


async def warm_up(visitors: Visitors) -> None:
    """Open each page in each language of the texts, one at a time, while nobody is served; what goes wrong is an event of the log.

    Parameters
    ----------
    visitors : Visitors
        Who goes first.
    """
    try:
        await _open_pages(visitors)
    except Exception as error:
        events.note("warm_up_failed", error=type(error).__name__)


async def _open_pages(visitors: Visitors) -> None:
    """Open the pages; the loops that train static models are compiled before the page Train, unless nobody trains here."""
    begun, opened, has_kernels = time.monotonic(), 0, access.is_public()
    waiting = {language: [FIRST] for language in TEXT_LANGUAGES}
    failures: Counter[tuple[str, str]] = Counter()
    while waiting:
        await visitors.gone()
        free = free_memory()
        if free is not None and free < LEAST_MEMORY:
            events.note("warm_up_ended", pages=opened, free=free)
            return
        language = next(name for name in _order(visitors) if name in waiting)
        page, *others = waiting[language]
        if page == "train" and not has_kernels:
            has_kernels = True
            await compile_kernels()
        names = await _try_page(visitors, page, language, failures)
        if names is None:
            continue
        opened += bool(names)
        waiting[language] = others or [name for name in names if name and page == FIRST]
        if not waiting[language]:
            del waiting[language]
            if page != FIRST:
                seconds = round(time.monotonic() - begun, 1)
                events.note("warmed", language=language, pages=opened, seconds=seconds)


async def _try_page(
    visitors: Visitors, page: str, language: str, failures: Counter[tuple[str, str]]
) -> tuple[str, ...] | None:
    """Return the names of all pages, none if this one is left out, or None if it is to be opened again; count and log a failure."""
    if page == "train" and not _has_training_text(language):
        return ()
    try:
        return await open_page(visitors, page, language)
    except Exception as error:
        fact = type(error).__name__
        events.note("warm_up_failed", page=page, language=language, error=fact)
        failures[language, page] += 1
        return None if failures[language, page] < TRIES else ()


def _has_training_text(language: str) -> bool:
    """Whether the text is stored that Train opens with; to open the page would store it."""
    return access.is_public() or (home() / "corpora" / f"demonstration-{language}").exists()


async def compile_kernels() -> None:
    """Compile what trains static models, in a process of the lowest priority from its first instruction on, unless it is kept already."""
    path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH", "")]))
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "embeddings.jobs.kernel_compilation"],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:  # no memory or no process is left: pages are opened all the same
        events.note("compilation_failed", error=type(error).__name__)
        return
    try:
        if hasattr(os, "setpriority"):
            with suppress(OSError):  # a sandbox may refuse it
                os.setpriority(os.PRIO_PROCESS, child.pid, NICE)
        while child.poll() is None:
            await asyncio.sleep(LOOKING)
        if child.returncode:
            events.note("compilation_failed", exit_code=child.returncode)
    finally:
        child.kill()  # does nothing to one that has ended
        child.wait()


def _order(visitors: Visitors) -> Sequence[str]:
    """Return the languages of the texts: those of visitors, the machine's, the others."""
    return (*visitors.languages, os.environ.get("LANG", "")[:2], *TEXT_LANGUAGES)


async def open_page(visitors: Visitors, page: str, language: str) -> tuple[str, ...] | None:
    """Open a page; return the names of all pages, or None if a visitor ended it.

    Raises
    ------
    TimeoutError
        If it takes longer than `LONGEST`.
    """
    server, client = runtime.get_instance(), _Page()
    session = server.connect_session(client, {"is_logged_in": True})
    message = BackMsg()
    message.rerun_script.query_string = f"lang={language}&text={language}"
    message.rerun_script.page_name = page
    finished, arrived = (asyncio.ensure_future(wait()) for wait in (client.finished.wait, visitors.arrive))  # fmt: skip
    try:
        server.handle_backmsg(session, message)
        await asyncio.wait((finished, arrived), timeout=LONGEST, return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
        if finished.done():
            return client.names
        if arrived.done():
            return None
        raise TimeoutError(page)
    finally:
        finished.cancel()
        arrived.cancel()
        server.close_session(session)  # ends a run that goes on

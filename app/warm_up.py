"""Warm-up: after its start the server opens every page once itself, so that no visitor waits for what a first opening computes.

Each page is run as for a visitor, in a session of the server's own that is closed at once: libraries are imported, models opened, and
the examples answered under the very keys that a visitor's page asks with. The language of the first visitor goes first. Loops that
Numba has not yet compiled on this machine are compiled in a process of low priority.

Visitors go first: one page is opened at a time, none within `QUIET` of a visitor's message, and a message ends the page that is
being opened, which is opened again later. Where little memory is free it ends.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
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
LONGEST = 120.0  # seconds for a page
LOOKING = 0.5  # seconds between two looks whether compiling, or a page, has ended
DRAWING = "ScriptRunner"  # how the names of Streamlit's threads begin that run pages
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
        self._last = -QUIET
        self._arrived = asyncio.Event()

    def note_language(self, accepted: str) -> None:
        """Note the languages that a browser asks for, by its header."""
        language = accepted[:2].lower()
        if language in TEXT_LANGUAGES and language not in self.languages:
            self.languages.append(language)

    def note_message(self) -> None:
        """Note that a visitor is served now."""
        self._last = time.monotonic()
        self._arrived.set()

    async def gone(self) -> None:
        """Wait until no page is drawn for anybody, and no message went to or from a visitor for `QUIET` seconds."""
        while (left := self._last + QUIET - time.monotonic()) > 0 or is_drawing():
            await asyncio.sleep(max(left, LOOKING))
        self._arrived = asyncio.Event()

    async def arrive(self) -> None:
        """Wait until a visitor is served."""
        await self._arrived.wait()


def is_drawing() -> bool:
    """Whether Streamlit runs a page now: one that computes for long sends no message meanwhile."""
    return any(thread.name.startswith(DRAWING) for thread in threading.enumerate())


class NoteVisitors:
    """Tells `Visitors` of each message over a websocket, and of the languages of browsers."""

    def __init__(self, app: ASGIApp, visitors: Visitors) -> None:
        self.app, self.visitors = app, visitors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] in ("http", "websocket"):
            accepted = dict(scope["headers"]).get(b"accept-language", b"")
            self.visitors.note_language(accepted.decode("latin-1"))
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
    """Open each page in each language of the texts, one at a time, while nobody is served.

    The loops that train static models are compiled before the page Train, unless nobody trains here.

    Parameters
    ----------
    visitors : Visitors
        Who goes first.
    """
    begun, opened, has_kernels = time.monotonic(), 0, access.is_public()
    waiting = {language: [FIRST] for language in TEXT_LANGUAGES}
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
        if page != "train" or _has_training_text(language):
            names = await open_page(visitors, page, language)
            if names is None:
                continue
            opened += 1
            others = others or [name for name in names if name and page == FIRST]
        waiting[language] = others
        if not others:
            del waiting[language]
            seconds = round(time.monotonic() - begun, 1)
            events.note("warmed", language=language, pages=opened, seconds=seconds)


def _has_training_text(language: str) -> bool:
    """Whether the text is stored that Train opens with; to open the page would store it."""
    return access.is_public() or (home() / "corpora" / f"demonstration-{language}").exists()


async def compile_kernels() -> None:
    """Compile what trains static models, in a process of the lowest priority, unless it is kept already."""
    path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH", "")]))
    child = subprocess.Popen(
        [sys.executable, "-m", "embeddings.jobs.kernel_compilation"],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while child.poll() is None:
            await asyncio.sleep(LOOKING)
    finally:
        child.kill()  # does nothing to one that has ended
        child.wait()


def _order(visitors: Visitors) -> Sequence[str]:
    """Return the languages of the texts: those of visitors, the machine's, the others."""
    return (*visitors.languages, os.environ.get("LANG", "")[:2], *TEXT_LANGUAGES)


async def open_page(visitors: Visitors, page: str, language: str) -> tuple[str, ...] | None:
    """Open a page; return the names of all pages, or None if a visitor's message ended it."""
    server, client = runtime.get_instance(), _Page()
    session = server.connect_session(client, {"is_logged_in": True})
    message = BackMsg()
    message.rerun_script.query_string = f"lang={language}&text={language}"
    message.rerun_script.page_name = page
    finished, arrived = (asyncio.ensure_future(wait()) for wait in (client.finished.wait, visitors.arrive))  # fmt: skip
    try:
        server.handle_backmsg(session, message)
        await asyncio.wait((finished, arrived), timeout=LONGEST, return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
        return None if arrived.done() and not finished.done() else client.names
    finally:
        finished.cancel()
        arrived.cancel()
        server.close_session(session)  # ends a run that goes on

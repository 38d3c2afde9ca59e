"""The pages as a server sends them: with a content-security policy, so that nothing on them loads from elsewhere.

``streamlit run app/server.py``; ``main.py`` alone gives the same pages without the policy, without the bounds of
`app.server_limits`, and has Explore at ``/`` alone.
"""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse
from threadpoolctl import threadpool_limits

from app import access, events, streamlit_private, warm_up
from app.server_limits import LOCAL_ALONE, ThisMachineAlone, UploadBounds, is_loopback
from embeddings.optional import require

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",  # of Streamlit's own pages, Plotly
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data: blob:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "frame-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    )
)
FIRST_PAGE = "explore"  # the default of `app.main`
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class SecurityHeaders:
    """Adds `HEADERS` to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back with the headers; a websocket has none after its first."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, answer)


class FirstPageByName:
    """Sends the address ``/explore`` on to ``/``, where Streamlit has its first page, with all that the address asks for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer with the first page's address, which a proxy's prefix stays before."""
        path = scope["path"] if scope["type"] == "http" else ""
        base = str(st.get_option("server.baseUrlPath") or "").strip("/")
        folder, _, name = path.strip("/").rpartition("/")
        if (folder, name.lower()) != (base, FIRST_PAGE):  # some type /Explore
            await self.app(scope, receive, send)
            return
        root, query = "../" if path.endswith("/") else "./", scope["query_string"].decode("latin-1")
        await RedirectResponse(f"{root}?{query}" if query else root)(scope, receive, send)


@asynccontextmanager
async def say_who_may_come(_: st.App) -> AsyncIterator[None]:
    """Begin the log of events and the warm-up; say that a server which listens to others answers this machine alone, and what opens it."""
    multiply_on_one_core()
    events.start()
    streamlit_private.check()
    events.note("started", public=access.is_public(), sign_in=access.has_sign_in())
    if not access.is_shared() and not is_loopback(st.get_option("server.address") or ""):
        sys.stderr.write(f"{LOCAL_ALONE}\n")
    if access.has_sign_in() and not access.is_public():
        require("authlib", "httpx")
        if not access.editors():
            sys.stderr.write(
                "Nobody may change anything: KLYUCH_EDITORS lists no e-mail address.\n"
            )
    warm_up.start_once()
    yield


def multiply_on_one_core() -> None:
    """Let numpy use one core a product: its threads wait for each other with the core held, which doubles what a search costs."""
    threadpool_limits(1, user_api="blas")


layers = [Middleware(SecurityHeaders), Middleware(UploadBounds, is_public=access.is_public())]
if not access.is_shared():
    layers.insert(1, Middleware(ThisMachineAlone))
layers.append(Middleware(FirstPageByName))
app = st.App("main.py", middleware=layers, lifespan=say_who_may_come)

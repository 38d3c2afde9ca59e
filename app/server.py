"""The pages as a server sends them: with a content-security policy, so that nothing on them loads from elsewhere.

``streamlit run app/server.py``; ``main.py`` alone gives the same pages without the policy, without the bounds of
`app.server_requests`, and has Explore at ``/`` alone.
"""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.responses import RedirectResponse
from threadpoolctl import threadpool_limits

from app import access, events, streamlit_private, warm_up
from app.server_requests import ThisMachineAlone, UploadBounds, is_loopback
from app.wording import wording
from embeddings.optional import require

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.middleware.base import RequestResponseEndpoint
    from starlette.requests import Request
    from starlette.responses import Response

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


async def add_security_headers(request: Request, call_next: RequestResponseEndpoint) -> Response:
    """Add `HEADERS` to every answer; a websocket has none after its first."""
    response = await call_next(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


async def open_first_page_by_name(request: Request, call_next: RequestResponseEndpoint) -> Response:
    """Send the address ``/explore`` on to ``/``, where Streamlit has its first page, with all that the address asks for.

    The new address is relative: a proxy's prefix stays before it.
    """
    path = request.scope["path"]
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    folder, _, name = path.strip("/").rpartition("/")
    if (folder, name.lower()) != (base, FIRST_PAGE):  # some type /Explore
        return await call_next(request)
    root, query = "../" if path.endswith("/") else "./", request.url.query
    return RedirectResponse(f"{root}?{query}" if query else root)


@asynccontextmanager
async def say_who_may_come(_: st.App) -> AsyncIterator[None]:
    """Begin the log of events and the warm-up; say that a server which listens to others answers this machine alone, and what opens it."""
    multiply_on_one_core()
    events.start()
    streamlit_private.check()
    events.note("started", public=access.is_public(), sign_in=access.has_sign_in())
    if not access.is_shared() and not is_loopback(st.get_option("server.address") or ""):
        sys.stderr.write(wording("en")("server.local_alone") + "\n")
    if access.has_sign_in() and not access.is_public():
        require("authlib", "httpx")
    warm_up.start_once()
    yield


def multiply_on_one_core() -> None:
    """Let numpy use one core a product: its threads wait for each other with the core held, which doubles what a search costs."""
    threadpool_limits(1, user_api="blas")


layers = [
    Middleware(BaseHTTPMiddleware, add_security_headers),
    Middleware(UploadBounds, is_public=access.is_public()),
    Middleware(BaseHTTPMiddleware, open_first_page_by_name),
]
if not access.is_shared():
    layers.insert(1, Middleware(ThisMachineAlone))
app = st.App("main.py", middleware=layers, lifespan=say_who_may_come)

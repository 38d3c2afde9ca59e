"""The pages as a server sends them: with a content-security policy, so that nothing on them loads from elsewhere.

``streamlit run app/server.py``; ``main.py`` alone gives the same pages without the policy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from starlette.middleware import Middleware

if TYPE_CHECKING:
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
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


class SecurityHeaders:
    """Adds `HEADERS` to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back with the headers."""

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message["headers"]}
                added = [header for header in HEADERS if header[0] not in known]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self.app(scope, receive, answer)


app = st.App("main.py", middleware=[Middleware(SecurityHeaders)])

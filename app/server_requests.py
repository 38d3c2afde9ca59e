"""What the server lets in: this machine alone unless it is public or has sign-in; uploads bounded in number and sum."""

from __future__ import annotations

import ipaddress
import re
import threading
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.responses import PlainTextResponse
from starlette.websockets import WebSocketClose

from app import events, streamlit_private
from app.wording import LANGUAGES, wording

if TYPE_CHECKING:
    from starlette.middleware.base import RequestResponseEndpoint
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

SESSION_FILES, SESSION_BYTES = 200, 512 << 20  # of one session at this machine
PUBLIC_FILES, PUBLIC_BYTES = 4, 8 << 20  # of one session of a public server
ALL_BYTES = 256 << 20  # of all sessions of a public server
_UPLOAD = re.compile(streamlit_private.UPLOAD_PATH)
SENDING = ("PUT", "POST", "PATCH")  # methods with a body; the pages use them for uploads alone
_FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-real-ip")


class ThisMachineAlone:
    """Refuses requests from elsewhere, also through a proxy on this machine."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request of this machine on; refuse any other."""
        if scope["type"] == "lifespan" or is_local(scope):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            events.note("turned_away", status=403)
            await receive()
            await WebSocketClose(1008, sentence(scope, "server.local_alone")[:60])(
                scope, receive, send
            )
        else:
            await refusal(scope, 403, "server.local_alone")(scope, receive, send)


class UploadBounds(BaseHTTPMiddleware):
    """Refuses an upload that would make a session, or all of them, hold too much."""

    def __init__(self, app: ASGIApp, *, is_public: bool) -> None:
        super().__init__(app)
        self.files = PUBLIC_FILES if is_public else SESSION_FILES
        self.size = PUBLIC_BYTES if is_public else SESSION_BYTES
        self.all = ALL_BYTES if is_public else 2 * SESSION_BYTES
        self._arriving: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        """Pass a request on unless it is an upload past the bounds, or sends something where no upload is known to go."""
        if request.method not in SENDING:
            return await call_next(request)
        match = _UPLOAD.search(request.scope["path"])
        if match is None or request.method != "PUT":
            return refusal(request.scope, 503, "server.no_uploads")
        length = request.headers.get("content-length", "")
        if not length.isdecimal():  # sent in pieces of unknown sum
            return refusal(request.scope, 411, "server.upload_length")
        session, file = match.groups()
        uploaded = streamlit_private.uploaded_bytes()
        if uploaded is None:
            return refusal(request.scope, 503, "server.no_uploads")
        with self._lock:
            held = uploaded | self._arriving | {(session, file): int(length)}
            mine = [size for (owner, _), size in held.items() if owner == session]
            if len(mine) > self.files or sum(mine) > self.size or sum(held.values()) > self.all:
                return refusal(request.scope, 413, "server.uploads_full")
            self._arriving[session, file] = int(length)
        try:
            return await call_next(request)
        finally:
            with self._lock:
                self._arriving.pop((session, file), None)


def is_local(scope: Scope) -> bool:
    """Whether a request comes from this machine, and no proxy names another one."""
    sources = [(scope.get("client") or ("",))[0]]
    for name, value in scope["headers"]:
        if name in _FORWARDED:
            sources += re.split(r"[,;]", value.decode("latin-1"))
    return all(is_loopback(source) for source in sources)


def is_loopback(source: str) -> bool:
    """Whether an address, as sockets and proxies write it, is this machine's own.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback('for="[::1]:4711"'), is_loopback("10.0.0.7")
    (True, True, False)
    """
    text = re.sub(r'^(?i:for=)|"', "", source.strip())
    text = re.sub(r"^\[(.*)\](:\d+)?$", r"\1", text)
    try:
        address = ipaddress.ip_address(text)
    except ValueError:  # a name, or a part of Forwarded that names no client
        return text == "localhost" or text.lower().startswith(("proto=", "host=", "by="))
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def sentence(scope: Scope, key: str) -> str:
    """Return a sentence of the wording in the first language that the browser accepts and the pages have; else in English."""
    accepted = Headers(scope=scope).get("accept-language", "")
    codes = (part.strip()[:2].lower() for part in accepted.split(","))
    return wording(next((code for code in codes if code in LANGUAGES), "en"))(key)


def refusal(scope: Scope, status: int, key: str) -> Response:
    """Return a sentence as the answer, and log that a request was turned away."""
    events.note("turned_away", status=status)
    return PlainTextResponse(sentence(scope, key), status)

"""Opening http and https addresses, and nothing else: no file:, ftp: or data:, not behind a redirect either."""

from __future__ import annotations

import http.client
import urllib.request
from typing import IO, cast
from urllib.parse import urlsplit

from embeddings.errors import InputError

SCHEMES = ("http", "https")
TIMEOUT = 30.0  # seconds without a byte


def check_address(address: str) -> None:
    """Raise `InputError` unless ``address`` is http or https, names a host and holds no password."""
    try:
        parts = urlsplit(address)
        fine = parts.scheme in SCHEMES and bool(parts.hostname) and "@" not in parts.netloc
        fine = fine and address.isprintable() and " " not in address and parts.port != 0
    except ValueError:  # a port that is no number, a bracket that is not closed
        fine = False
    if not fine:
        raise InputError("download_scheme", address=address)


def open_address(address: str, headers: dict[str, str]) -> http.client.HTTPResponse:
    """Ask for an address, following redirects.

    Raises
    ------
    InputError
        If a redirect leads to another scheme.
    OSError or http.client.HTTPException
        As `urllib.request` raises them.
    """
    opener = urllib.request.OpenerDirector()
    for handler in HANDLERS:
        opener.add_handler(handler())
    request = urllib.request.Request(address, headers=headers)
    return cast("http.client.HTTPResponse", opener.open(request, timeout=TIMEOUT))


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows only to http and https, and from https not back to http."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        check_address(newurl)
        if urlsplit(req.full_url).scheme == "https" and urlsplit(newurl).scheme != "https":
            raise InputError("download_downgrade", address=req.full_url, target=newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


HANDLERS: tuple[type[urllib.request.BaseHandler], ...] = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPDefaultErrorHandler,
    urllib.request.HTTPErrorProcessor,
    _Redirects,
)

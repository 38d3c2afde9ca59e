"""Downloading one file over http and https: bounded, resumed where it broke off, nothing under its final name.

What has come lies in ``.NAME.part``, what it is part of in ``.NAME.part.json``. A part is resumed only if the server can say that
the file is still the same (``If-Range`` with its ETag or date, RFC 9110 section 13.1.5) or if a checksum tells in the end.
No file:, ftp: or data: address is opened, not behind a redirect either.
"""

from __future__ import annotations

import http.client
import re
import shutil
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import IO, Any, NamedTuple, cast
from urllib.parse import urlsplit

from embeddings.errors import FormatError, InputError, KlyuchError
from embeddings.files import read_json, write_json
from embeddings.results import Progress, Report

SCHEMES = ("http", "https")
TIMEOUT = 30.0  # seconds without a byte
MAX_DOWNLOAD_BYTES = (
    64 * 2**30
)  # bytes of one download; the largest dump of the catalogue has some 25 GB
RECEIVED_BYTES = 1 << 16  # bytes
RETRIES = 3  # without a byte more than before
AUTHORIZATION = "Authorization"
AGAIN_LATER = {408, 425, 429, 500, 502, 503, 504}


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


def open_address(
    address: str, headers: dict[str, str], token: str = ""
) -> http.client.HTTPResponse:
    """Ask for an address, following redirects; ``token`` goes to its own server alone.

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
    if token:
        request.add_unredirected_header(AUTHORIZATION, f"Bearer {token}")
    try:
        return cast("http.client.HTTPResponse", opener.open(request, timeout=TIMEOUT))
    except KlyuchError:  # some of them are ValueErrors too
        raise
    except (
        ValueError
    ) as error:  # a redirect to what is no address, or to a host that no name can be
        raise urllib.error.URLError(str(error)) from error


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows only to http and https, and from https not back to http."""

    def http_error_302(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
    ) -> Any:
        try:
            return super().http_error_302(req, fp, code, msg, headers)
        except ValueError:  # refused here, or no address at all
            fp.close()
            raise

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302

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
        new = super().redirect_request(req, fp, code, msg, headers, newurl)
        secret = req.unredirected_hdrs.get(AUTHORIZATION)
        if new is not None and secret and _server(newurl) == _server(req.full_url):
            new.add_unredirected_header(AUTHORIZATION, secret)
        return new


def _server(address: str) -> tuple[str, str]:
    """Return scheme and host with port."""
    parts = urlsplit(address)
    return parts.scheme, parts.netloc


HANDLERS: tuple[type[urllib.request.BaseHandler], ...] = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPDefaultErrorHandler,
    urllib.request.HTTPErrorProcessor,
    _Redirects,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to download, and how to call it while it comes; ``size`` and ``largest`` in bytes, 0 where the size is not known.

    ``is_known``: a checksum tells in the end, so that a part may be gone on with whatever the server says of it.
    ``token`` authorises at the address's own server, and is never written or shown.
    """

    address: str
    label: str = ""
    size: int = 0
    is_known: bool = False
    largest: int = MAX_DOWNLOAD_BYTES
    pause: float = 1.0  # seconds before the first retry; each further one waits twice as long
    token: str = field(default="", repr=False)


class _Broken(Exception):  # noqa: N818 - never leaves this file
    """A download that ended too early, and may be tried again."""

    def __init__(self, refusal: KlyuchError) -> None:
        self.refusal = refusal


def part_of(target: Path) -> Path:
    """Where the download of ``target`` grows."""
    return target.with_name(f".{target.name}.part")


def discard(part: Path) -> None:
    """Remove a part and what was noted of it."""
    part.unlink(missing_ok=True)
    _note_of(part).unlink(missing_ok=True)


def download(wanted: Wanted, part: Path, report: Report | None = None) -> None:
    """Download to ``part``, going on where an earlier attempt ended; a break is tried again while bytes come.

    An answer that says no length and has no checksum cannot be distinguished from one that is cut short.

    Raises
    ------
    InputError
        If the address cannot be reached or answers with an error, if the file has another size than is expected or
        is too large, or if the download breaks off again and again: then ``part`` keeps what came.
    """
    check_address(wanted.address)
    best, fruitless = _size(part), 0
    while True:
        try:
            return _attempt(wanted, part, report)
        except _Broken as broken:
            fruitless = 0 if _size(part) > best else fruitless + 1
            best = max(best, _size(part))
            if fruitless >= RETRIES:
                raise broken.refusal from broken
            time.sleep(wanted.pause * 2**fruitless)


def _attempt(wanted: Wanted, part: Path, report: Report | None) -> None:
    """Make one request and write what comes."""
    begun = _begun(wanted, part)
    if begun.is_whole:
        return
    offset = begun.offset
    with _open(wanted, part, begun) as answer:
        if answer.status != 206:
            offset = 0
        total = _announced(wanted, answer, offset, part)
        _check_room(wanted, part, offset, total)
        if not offset:
            discard(part)
            write_json(_note_of(part), {"address": wanted.address, "validator": _validator(answer)})
        _copy(wanted, answer, part, total, report)
    done = _size(part)
    expected = wanted.size or total
    if done < expected:
        raise _Broken(_broken_off(wanted, part, expected))
    if report and not expected:  # only now the size is known
        report(Progress(wanted.label, 0, done, done, 0.0, 0.0, 0.0))
    # Said, so that unpacking which is stopped does not cost the download.
    write_json(_note_of(part), {"address": wanted.address, "size": done})


def _open(wanted: Wanted, part: Path, begun: _Begun) -> http.client.HTTPResponse:
    """Ask for the bytes that are missing."""
    headers = {"User-Agent": "klyuch", "Accept-Encoding": "identity"}
    if begun.offset:
        headers["Range"] = f"bytes={begun.offset}-"
        if begun.validator:
            headers["If-Range"] = begun.validator
    try:
        return open_address(wanted.address, headers, wanted.token)
    except urllib.error.HTTPError as error:
        error.close()
        refusal = InputError("download_status", address=wanted.address, status=error.code)
        is_behind = (
            error.code == 416 and begun.offset > 0
        )  # nothing is left: from the beginning, then
        if is_behind:
            discard(part)
        raise (_Broken(refusal) if is_behind or error.code in AGAIN_LATER else refusal) from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        refusal = InputError("download_unreachable", address=wanted.address, reason=reason)
        is_lost = isinstance(reason, ConnectionError | TimeoutError | http.client.HTTPException)
        raise (_Broken(refusal) if is_lost else refusal) from error


def _announced(wanted: Wanted, answer: http.client.HTTPResponse, offset: int, part: Path) -> int:
    """Size of the whole file as the answer has it, 0 where it does not say; another than expected is refused."""
    length = answer.headers.get("Content-Length") or ""
    total = offset + int(length) if re.fullmatch(r"[0-9]{1,18}", length) else 0
    if offset:
        content_range = re.fullmatch(
            r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)", answer.headers.get("Content-Range") or ""
        )
        if content_range is None or int(content_range[1]) != offset:
            discard(part)  # other bytes than were asked for: from the beginning, then
            raise _Broken(_broken_off(wanted, part, wanted.size))
        total = int(content_range[2]) if content_range[2] != "*" else total
    if wanted.size and total and total != wanted.size:
        discard(part)
        raise InputError("download_size", address=wanted.address, found=total, expected=wanted.size)
    return total


def _copy(
    wanted: Wanted,
    answer: http.client.HTTPResponse,
    part: Path,
    total: int,
    report: Report | None,
) -> None:
    """Append what comes to the part, and say how far it is."""
    begun, most = time.monotonic(), wanted.size or wanted.largest
    done = start = _size(part)
    with part.open("ab", buffering=0) as file:
        while piece := _read(wanted, answer, part, total):
            done += len(piece)
            if done > most:
                file.close()
                discard(part)
                raise InputError("download_large", address=wanted.address, bound=most)
            file.write(piece)
            if report:
                rate = (done - start) / max(time.monotonic() - begun, 1e-9)
                end = wanted.size or total
                left = max(end - done, 0) / rate if rate else 0.0
                report(Progress(wanted.label, 0, done, end, 0.0, rate, left))


def _read(wanted: Wanted, answer: http.client.HTTPResponse, part: Path, total: int) -> bytes:
    """Read the next bytes; a connection that is lost is a `_Broken`, with what came before kept."""
    try:
        return answer.read1(RECEIVED_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise _Broken(_broken_off(wanted, part, wanted.size or total)) from error


class _Begun(NamedTuple):
    """What an earlier attempt left: bytes to resume from, the server's mark for that version, and whether all is there."""

    offset: int = 0
    validator: str = ""
    is_whole: bool = False


def _begun(wanted: Wanted, part: Path) -> _Begun:
    """Return what can be resumed; nothing where the download has to begin again."""
    if not part.is_file() or not _note_of(part).is_file():
        return _Begun()
    try:
        note = read_json(_note_of(part))
    except FormatError:
        return _Begun()
    validator, size = str(note.get("validator") or ""), _size(part)
    is_whole = size in (wanted.size, note.get("size")) and size > 0
    is_same = note.get("address") == wanted.address
    is_same = is_same and (is_whole or bool(validator) or wanted.is_known)
    is_short = size <= (wanted.size or wanted.largest)
    return _Begun(size, validator, is_whole) if is_same and is_short else _Begun()


def _validator(answer: http.client.HTTPResponse) -> str:
    """Strong ETag of a version, else its date, else ""."""
    headers: Message = answer.headers
    tag = headers.get("ETag") or ""
    return tag if tag.startswith('"') else headers.get("Last-Modified") or ""


def _check_room(wanted: Wanted, part: Path, offset: int, total: int) -> None:
    """Raise `InputError` if the file is larger than may be, or than the disk has room for."""
    if total > wanted.largest:
        raise InputError("download_large", address=wanted.address, bound=wanted.largest)
    free = shutil.disk_usage(part.parent).free
    if total - offset > free:
        raise InputError("download_room", path=part.parent, needed=total - offset, free=free)


def _broken_off(wanted: Wanted, part: Path, total: int) -> InputError:
    """Refusal of a download that ended too early."""
    return InputError(
        "download_broken", address=wanted.address, done=_size(part), total=total or "?"
    )


def _note_of(part: Path) -> Path:
    """File that says what a part is part of."""
    return part.with_name(part.name + ".json")


def _size(path: Path) -> int:
    """Bytes of a file, 0 where there is none."""
    return path.stat().st_size if path.is_file() else 0

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
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import urlsplit

from embeddings.errors import InputError, KlyuchError
from embeddings.files import read_if_whole, write_json
from embeddings.results import Progress, Report, progress_of

SCHEMES = ("http", "https")
TIMEOUT = 30.0  # seconds without a byte
# bytes of one download; the largest dump of the catalogue has some 25 GB
MAX_DOWNLOAD_BYTES = 64 * 2**30
RECEIVED_BYTES = 1 << 16  # bytes
RETRIES = 3  # without a byte more than before
FIRST_PAUSE = 1.0  # seconds before the first retry; each further one waits twice as long
AGAIN_LATER = {408, 425, 429, 500, 502, 503, 504}


def is_address(text: str) -> bool:
    """Whether a text is meant as an http or https address.

    Examples
    --------
    >>> is_address("https://example.org/vectors.vec"), is_address("/data/vectors.vec")
    (True, False)
    """
    return text.lower().startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


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
        if req.type == "https" and urlsplit(newurl).scheme != "https":
            raise InputError("download_downgrade", address=req.full_url, target=newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to download, and how to call it while it comes; ``size`` in bytes, 0 where it is not known.

    ``is_known``: a checksum decides in the end, so that a part may be resumed whatever the server says of it.
    """

    address: str
    label: str = ""
    size: int = 0
    is_known: bool = False


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
            time.sleep(FIRST_PAUSE * 2**fruitless)


def _attempt(wanted: Wanted, part: Path, report: Report | None) -> None:
    """Make one request and write what comes."""
    note = _resumable(wanted, part)
    offset = _size(part) if note else 0
    if offset and offset in (wanted.size, note.get("size")):
        return
    with _open(wanted, part, offset, str(note.get("validator") or "")) as answer:
        offset = offset if answer.status == 206 else 0
        length = answer.headers.get("Content-Length") or ""
        total = offset + int(length) if re.fullmatch(r"[0-9]{1,18}", length) else 0
        _check_answer(wanted, answer, part, offset, total)
        if not offset:
            discard(part)
            write_json(_note_of(part), {"address": wanted.address, "validator": _validator(answer)})
        _copy(wanted, answer, part, total, report)
    done, expected = _size(part), wanted.size or total
    if done < expected:
        raise _broken_off(wanted, part, expected)
    if report and not expected:  # only now the size is known
        report(Progress(wanted.label, 0, done, done, 0.0, 0.0, 0.0))
    # noted, so that a stop while unpacking does not cost the download
    write_json(_note_of(part), {"address": wanted.address, "size": done})


def _resumable(wanted: Wanted, part: Path) -> dict[str, Any]:
    """Return the note of an earlier attempt whose part can be resumed, else {}."""
    note = read_if_whole(_note_of(part))
    is_sure = wanted.is_known or note.get("validator") or note.get("size") == _size(part)
    return note if is_sure and note.get("address") == wanted.address else {}


def _open(wanted: Wanted, part: Path, offset: int, validator: str) -> http.client.HTTPResponse:
    """Ask for the bytes that are missing."""
    headers = {"User-Agent": "klyuch", "Accept-Encoding": "identity"}
    if offset:
        headers |= {"Range": f"bytes={offset}-"} | ({"If-Range": validator} if validator else {})
    request = urllib.request.Request(wanted.address, headers=headers)
    try:
        opener = urllib.request.build_opener(_Redirects)
        return cast("http.client.HTTPResponse", opener.open(request, timeout=TIMEOUT))
    except KlyuchError:  # some of them are ValueErrors too
        raise
    except urllib.error.HTTPError as error:
        error.close()
        refusal = InputError("download_status", address=wanted.address, status=error.code)
        is_behind = error.code == 416 and offset > 0  # nothing is left: from the beginning, then
        if is_behind:
            discard(part)
        raise (_Broken(refusal) if is_behind or error.code in AGAIN_LATER else refusal) from error
    except (OSError, http.client.HTTPException, ValueError) as error:  # or a redirect to no address
        reason = getattr(error, "reason", None) or error
        refusal = InputError("download_unreachable", address=wanted.address, reason=reason)
        is_lost = isinstance(reason, ConnectionError | TimeoutError | http.client.HTTPException)
        raise (_Broken(refusal) if is_lost else refusal) from error


def _check_answer(
    wanted: Wanted, answer: http.client.HTTPResponse, part: Path, offset: int, total: int
) -> None:
    """Refuse other bytes than were asked for, another size than is expected, and more than the bound or the disk allows."""
    content_range = answer.headers.get("Content-Range") or ""
    if offset and not content_range.startswith(f"bytes {offset}-"):
        discard(part)  # from the beginning, then
        raise _broken_off(wanted, part, wanted.size)
    if wanted.size and total and total != wanted.size:
        discard(part)
        raise InputError("download_size", address=wanted.address, found=total, expected=wanted.size)
    if total > MAX_DOWNLOAD_BYTES:
        raise InputError("download_large", address=wanted.address, bound=MAX_DOWNLOAD_BYTES)
    free = shutil.disk_usage(part.parent).free
    if total - offset > free:
        raise InputError("download_room", path=part.parent, needed=total - offset, free=free)


def _copy(
    wanted: Wanted,
    answer: http.client.HTTPResponse,
    part: Path,
    total: int,
    report: Report | None,
) -> None:
    """Append what comes to the part, and report how far it is."""
    done, bound, end = _size(part), wanted.size or MAX_DOWNLOAD_BYTES, wanted.size or total
    advance = progress_of(report, wanted.label, end, done)
    with part.open("ab", buffering=0) as file:
        while True:
            try:
                piece = answer.read1(RECEIVED_BYTES)
            except (OSError, http.client.HTTPException) as error:
                raise _broken_off(wanted, part, end) from error
            if not piece:
                return
            done += len(piece)
            if done > bound:
                discard(part)
                raise InputError("download_large", address=wanted.address, bound=bound)
            file.write(piece)
            advance(done)


def _validator(answer: http.client.HTTPResponse) -> str:
    """Strong ETag of a version, else its date, else ""."""
    tag = answer.headers.get("ETag") or ""
    return tag if tag.startswith('"') else answer.headers.get("Last-Modified") or ""


def _broken_off(wanted: Wanted, part: Path, total: int) -> _Broken:
    """Return the error of a download that ended too early."""
    places = {"address": wanted.address, "done": _size(part), "total": total or "?"}
    return _Broken(InputError("download_broken", **places))


def _note_of(part: Path) -> Path:
    """File that says what a part is part of."""
    return part.with_name(part.name + ".json")


def _size(path: Path) -> int:
    """Bytes of a file, 0 where there is none."""
    return path.stat().st_size if path.is_file() else 0

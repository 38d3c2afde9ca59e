"""Bringing an entry of the catalogue to the disk: from a mirror if one is named, else from its public address.

Every file is checked before it has its name. Where no checksum is known beforehand, that of the download is recorded in
``source.json`` next to the files.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import quote, urlsplit

from embeddings.archives import PackedReader, open_zip, unpacked, unpacked_bound
from embeddings.errors import InputError, KlyuchError, refusals
from embeddings.files import CHUNK_BYTES, atomic_file, read_json, sha256, write_json
from embeddings.results import Report, Value, progress_of
from embeddings.sources.catalogue import RECORD, CatalogueEntry, CatalogueFile
from embeddings.sources.downloads import Wanted, discard, download, is_address, part_of
from embeddings.sources.wikipedia import ENDING, extract

Record = dict[str, dict[str, object]]  # name of a file -> from, size, sha256, checked_by


class FetchedFile(Value):
    """A file that was brought: ``size`` in bytes, ``origin`` the address or path it came from.

    ``checked_by``: "catalogue" where its sha256 was known beforehand, "record" where that of the download was recorded.
    ``was_here``: it was there already, and sound.
    """

    name: str
    path: Path
    size: int
    sha256: str
    origin: str
    checked_by: str
    was_here: bool


def fetch(
    entry: CatalogueEntry, folder: Path, *, mirror: str = "", report: Report | None = None
) -> tuple[FetchedFile, ...]:
    """Bring the files of an entry to ``folder/NAME``; what is there already and sound stays as it is.

    Parameters
    ----------
    entry : CatalogueEntry
        From `find_entry`.
    folder : Path
        Folder of all corpora, as ``KLYUCH_HOME/corpora``.
    mirror : str
        A folder or an http(s) address that holds the ``mirror`` paths of the catalogue; "" and what it lacks come
        from the public addresses.

    Raises
    ------
    InputError
        If it cannot be had, comes wrong, or cannot be written; nothing wrong has its final name then.
    """
    own, names = folder / entry.name, ("name", "title", "kind", "licence", "source", "commit")
    about = {name: getattr(entry, name) for name in names}
    with refusals(), alone(own):
        record, fetched = _read_record(entry, own), []
        for file in entry.files:
            recorded = str(record.get(file.name, {}).get("sha256", ""))
            result = _bring(entry, file, own / file.name, recorded, mirror, report)
            if not result.was_here:
                record[file.name] = {
                    "from": result.origin,
                    "size": result.size,
                    "sha256": result.sha256,
                    "checked_by": result.checked_by,
                }
                write_json(own / RECORD, about | {"files": record})
            fetched.append(result)
        return tuple(fetched)


def _bring(
    entry: CatalogueEntry,
    file: CatalogueFile,
    target: Path,
    recorded: str,
    mirror: str,
    report: Report | None,
) -> FetchedFile:
    """Bring one file, unless it is there and sound."""
    expected, origin = file.content_sha256 or recorded, str(target)
    was_here = bool(expected) and target.is_file() and sha256(target) == expected
    if not was_here:
        target.parent.mkdir(parents=True, exist_ok=True)
        origin = _take_mirrored(file, target, mirror, report) if mirror and file.mirror else ""
        if not origin:
            if not file.address:
                code = "fetch_mirror_lacks" if mirror else "fetch_mirror_only"
                raise InputError(code, name=entry.name, file=file.mirror, mirror=mirror)
            origin = file.address
            _download(file, target, report)
    checked_by = "catalogue" if file.content_sha256 else "record"
    size, digest = target.stat().st_size, sha256(target)
    return FetchedFile(file.name, target, size, digest, origin, checked_by, was_here)


def _take_mirrored(file: CatalogueFile, target: Path, mirror: str, report: Report | None) -> str:
    """Take a file from the mirror, which holds it unpacked; return where it lay, "" if it is not there."""
    if is_address(mirror):
        address = f"{mirror.rstrip('/')}/{quote(file.mirror)}"
        size = file.size if file.unpacked_sha256 is None else 0
        expected = file.content_sha256
        plain = replace(file, address=address, size=size, sha256=expected, unpacked_sha256=None)
        try:
            _download(plain, target, report)
        except InputError as error:
            if error.code == "download_status" and error.fields["status"] in (404, 410):
                return ""
            raise
        return address
    path = Path(mirror).expanduser() / file.mirror
    if not path.is_file():
        return ""
    advance = progress_of(report, file.name, path.stat().st_size)
    with atomic_file(target) as temporary:
        shutil.copyfile(path, temporary)
        advance(temporary.stat().st_size)
        _check(temporary, file.content_sha256, path)
    return str(path)


def _download(file: CatalogueFile, target: Path, report: Report | None) -> None:
    """Download, check, unpack and check a file; one that was resumed and comes wrong is downloaded once more."""
    part = part_of(target)
    wanted = Wanted(file.address, file.name, file.size, bool(file.sha256))
    for is_last in (not part.exists(), True):
        download(wanted, part, report)
        try:
            _install(file, part, target, report)
        except KlyuchError:
            discard(part)
            if is_last:
                raise
        else:
            discard(part)
            break


def _install(file: CatalogueFile, part: Path, target: Path, report: Report | None) -> None:
    """Check what came, unpack it if it is packed, check that, and give it its name."""
    _check(part, file.sha256, file.address)
    with atomic_file(target) as temporary:
        if file.unpacked_sha256 is None:
            part.replace(temporary)
            return
        path = urlsplit(file.address).path
        advance = progress_of(report, f"unpack {file.name}", part.stat().st_size)
        if path.endswith(ENDING):
            extract(part, temporary, advance)
        else:
            unpack_download(part, temporary, PurePosixPath(path).suffix.lower(), advance)
        _check(temporary, file.unpacked_sha256, file.address)


def _check(path: Path, expected: str, origin: object) -> None:
    """Raise `InputError` unless a file has the sha256 that is expected, if one is."""
    if expected and (actual := sha256(path)) != expected:
        raise InputError("download_checksum", address=origin, found=actual, expected=expected)


def _read_record(entry: CatalogueEntry, folder: Path) -> Record:
    """Return what is recorded of an entry's files; a folder that holds another text is refused."""
    path = folder / RECORD
    if not path.is_file():
        return {}
    content = read_json(path)
    files = content.get("files")
    source = content.get("source") or content.get("title")
    if entry.kind == "url" and source != entry.source:
        raise InputError("catalogue_name_taken", name=entry.name, source=source)
    if entry.kind != "url" and content.get("kind") in ("own", "url"):  # brought by hand
        raise InputError("catalogue_taken", name=entry.name, source=source)
    return (
        {k: v for k, v in files.items() if isinstance(v, dict)} if isinstance(files, dict) else {}
    )


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder that is fetched; a second process that gets the same one is refused."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("ab") as handle:
        try:
            import fcntl
        except ImportError:  # Windows: two at once end in a wrong checksum at worst
            yield
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError("fetch_busy", name=folder.name) from error
        yield


def unpack_download(
    packed: Path, target: Path, kind: str, advance: Callable[[int], None] | None = None
) -> None:
    """Write what ``packed`` holds to ``target``.

    Parameters
    ----------
    kind : str
        ".gz", ".bz2" or ".zip", as the ending of its address says.
    advance : callable, optional
        Called with the number of packed bytes read so far.

    Raises
    ------
    FormatError
        If the data is damaged or cut short.
    InputError
        If it unpacks to over `embeddings.archives.unpacked_bound`, or a zip holds other than one file.
    """
    with (
        packed.open("rb") as raw,
        _open_download(raw, packed, kind) as source,
        target.open("wb") as file,
    ):
        while piece := source.read(CHUNK_BYTES):
            file.write(piece)
            if advance:
                advance(raw.tell())


@contextmanager
def _open_download(raw: IO[bytes], packed: Path, kind: str) -> Iterator[PackedReader]:
    """Open the one stream of bytes that a packed file holds."""
    bound = unpacked_bound(packed.stat().st_size)
    if kind != ".zip":
        with unpacked(raw, kind, packed.name, bound) as stream:
            yield stream
        return
    with open_zip(raw, packed.name) as archive:
        if len(archive.members) != 1:
            raise InputError("unpack_members", path=packed.name, found=len(archive.members))
        with archive.open(archive.members[0], bound) as stream:
            yield stream

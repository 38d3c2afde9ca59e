"""Bringing an entry of the catalogue to the disk: from a mirror if one is named, from an installed gensim, else from its public address.

Every file is checked before it has its name. Where no checksum is known beforehand, that of the first download is recorded in
``source.json`` next to the files, and later ones must agree with it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import quote, urlsplit

from embeddings.archives import PackedReader, archive_refusals, open_zip, unpacked, unpacked_bound
from embeddings.errors import InputError, KlyuchError
from embeddings.files import CHUNK_BYTES, atomic_file, read_json, sha256, write_json
from embeddings.results import Progress, Value
from embeddings.sources.catalogue import RECORD, CatalogueEntry, CatalogueFile
from embeddings.sources.downloads import Wanted, discard, download, part_of, progress_of
from embeddings.sources.wikipedia import ENDING, extract

Record = dict[str, dict[str, object]]  # name of a file -> from, size, sha256, checked_by


class FetchedFile(Value):
    """A file that was brought: ``size`` in bytes, ``origin`` the address or path it came from.

    ``checked_by``: "catalogue" where its sha256 was known beforehand, "record" where the first download recorded it, "nothing yet" where
    it is recorded now. ``was_here``: it was there already, and sound.
    """

    name: str
    path: Path
    size: int
    sha256: str
    origin: str
    checked_by: str
    was_here: bool


@dataclass(frozen=True, slots=True)
class _Errand:
    """What holds for every file of one `fetch`."""

    folder: Path
    mirror: str
    renew: bool
    report: Callable[[Progress], None] | None


def fetch(
    entry: CatalogueEntry,
    folder: Path,
    *,
    mirror: str = "",
    renew: bool = False,
    report: Callable[[Progress], None] | None = None,
) -> tuple[FetchedFile, ...]:
    """Bring the files of an entry to ``folder/NAME``; what is there already and sound stays as it is.

    Parameters
    ----------
    entry : CatalogueEntry
        From `find_entry`.
    folder : Path
        Folder of all corpora, as ``KLYUCH_HOME/corpora``.
    mirror : str
        A folder or an http(s) address that holds the ``mirror`` paths of the catalogue; "" and what it
        lacks come from the public addresses.
    renew : bool
        Get again, and record again, what has no checksum beforehand.

    Raises
    ------
    InputError
        If it cannot be had, comes wrong, or cannot be written; nothing wrong has its final name then.
    """
    errand = _Errand(folder / entry.name, mirror, renew, report)
    try:
        with alone(errand.folder):
            record, fetched = _read_record(entry, errand.folder), []
            for file in entry.files:
                result = _bring(
                    errand, entry, file, str(record.get(file.name, {}).get("sha256", ""))
                )
                if not result.was_here:
                    record[file.name] = {
                        "from": result.origin,
                        "size": result.size,
                        "sha256": result.sha256,
                        "checked_by": result.checked_by,
                    }
                    _write_record(entry, errand.folder, record)
                fetched.append(result)
            return tuple(fetched)
    except KlyuchError:  # some of them are OSErrors too
        raise
    except OSError as error:
        path, reason = error.filename or errand.folder, error.strerror or error
        raise InputError("fetch_write", path=path, reason=reason) from error


def _bring(
    errand: _Errand, entry: CatalogueEntry, file: CatalogueFile, recorded: str
) -> FetchedFile:
    """Bring one file, unless it is there and sound."""
    target, known = errand.folder / file.name, file.content_sha256
    expected = known or ("" if errand.renew else recorded)
    checked_by = "catalogue" if known else "record" if expected else "nothing yet"
    if expected and target.is_file() and sha256(target) == expected:
        size = target.stat().st_size
        return FetchedFile(
            file.name, target, size, expected, str(target), checked_by, was_here=True
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    origin = ""
    if errand.mirror and file.mirror:
        origin = _from_mirror(errand, file, target, expected)
    if not origin and file.gensim:
        origin = _from_gensim(file, target)
    if not origin:
        if not file.address:
            code = "fetch_mirror_lacks" if errand.mirror else "fetch_mirror_only"
            raise InputError(code, name=entry.name, file=file.mirror, mirror=errand.mirror)
        origin = file.address
        _from_address(errand, file, target, expected)
    size = target.stat().st_size
    return FetchedFile(file.name, target, size, sha256(target), origin, checked_by, was_here=False)


def _from_mirror(errand: _Errand, file: CatalogueFile, target: Path, expected: str) -> str:
    """Take a file from the mirror, which holds it unpacked; return where it lay, "" if it is not there."""
    if ":/" in errand.mirror and len(urlsplit(errand.mirror).scheme) > 1:  # not C:/ of Windows
        address = f"{errand.mirror.rstrip('/')}/{quote(file.mirror)}"
        size = file.size if file.unpacked_sha256 is None else 0
        plain = replace(file, address=address, size=size, sha256=expected, unpacked_sha256=None)
        try:
            _from_address(errand, plain, target, expected)
        except InputError as error:
            if error.code == "download_status" and error.fields["status"] in (404, 410):
                return ""
            raise
        return address
    path = Path(errand.mirror).expanduser() / file.mirror
    if not path.is_file():
        return ""
    advance = progress_of(errand.report, file.name, path.stat().st_size)
    with atomic_file(target) as temporary:
        shutil.copyfile(path, temporary)
        advance(temporary.stat().st_size)
        _check(temporary, expected, path, is_known=bool(file.content_sha256))
    return str(path)


def _from_gensim(file: CatalogueFile, target: Path) -> str:
    """Take a file from gensim's wheel, by the path that gensim documents; return where it lay.

    "" where gensim is not installed, or has other bytes under that name.
    """
    try:
        from gensim.test.utils import datapath
    except ImportError:
        return ""
    path = Path(datapath(file.gensim))
    if not path.is_file() or sha256(path) != file.sha256:
        return ""
    with atomic_file(target) as temporary:
        shutil.copyfile(path, temporary)
    return str(path)


def _from_address(errand: _Errand, file: CatalogueFile, target: Path, expected: str) -> None:
    """Download, check, unpack and check a file; one that was gone on with and comes wrong is got once more."""
    part = part_of(target)
    is_known = bool(file.sha256 or expected)
    wanted = Wanted(file.address, file.name, file.size, is_known)
    for is_last in (not part.exists(), True):
        download(wanted, part, errand.report)
        try:
            _install(errand, file, target, expected)
        except KlyuchError:
            discard(part)
            if is_last:
                raise
        else:
            discard(part)
            break


def _install(errand: _Errand, file: CatalogueFile, target: Path, expected: str) -> None:
    """Check what came, unpack it if it is packed, check that, and give it its name."""
    part = part_of(target)
    if file.sha256:
        _check(part, file.sha256, file.address, is_known=True)
    with atomic_file(target) as temporary:
        if file.unpacked_sha256 is None:
            part.replace(temporary)
        else:
            _unpack(errand, file, part, temporary)
        _check(temporary, expected, file.address, is_known=bool(file.content_sha256))


def _unpack(errand: _Errand, file: CatalogueFile, part: Path, target: Path) -> None:
    """Unpack what came; a dump of Wikipedia is turned into text."""
    path = urlsplit(file.address).path
    advance = progress_of(errand.report, f"unpack {file.name}", part.stat().st_size)
    if path.endswith(ENDING):
        extract(part, target, advance)
    else:
        unpack_download(part, target, PurePosixPath(path).suffix.lower(), advance)


def _check(path: Path, expected: str, origin: object, *, is_known: bool) -> None:
    """Raise `InputError` unless a file has the sha256 that is expected, if one is."""
    if not expected or (actual := sha256(path)) == expected:
        return
    code = "download_checksum" if is_known else "download_changed"
    raise InputError(code, address=origin, found=actual, expected=expected)


def _read_record(entry: CatalogueEntry, folder: Path) -> Record:
    """Return what is recorded of an entry's files; a folder that holds something else is refused."""
    path = folder / RECORD
    if not path.is_file():
        return {}
    content = read_json(path)
    files = content.get("files")
    if "url" in (entry.kind, content.get("kind")) and content.get("source") != entry.source:
        raise InputError("catalogue_taken", name=entry.name, source=content.get("source"))
    return (
        {k: v for k, v in files.items() if isinstance(v, dict)} if isinstance(files, dict) else {}
    )


def _write_record(entry: CatalogueEntry, folder: Path, record: Record) -> None:
    """Write where the files came from, their licence and checksums."""
    about = {
        key: getattr(entry, key) for key in ("name", "title", "kind", "licence", "source", "commit")
    }
    write_json(folder / RECORD, {**about, "files": record})


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
        archive_refusals(packed.name, kind),
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
        with unpacked(raw, kind, bound) as stream:
            yield stream
        return
    with open_zip(raw) as archive:
        if len(archive.members) != 1:
            raise InputError("unpack_members", path=packed.name, found=len(archive.members))
        with archive.open(archive.members[0], bound) as stream:
            yield stream

"""The catalogue of texts and test sets by name (``data/catalogue.toml``), and a plain address as an entry of its own.

A file lies on the user's disk under ``FOLDER/NAME/``, with the path that it has below the folder common to the files
of its entry: ``senses-ru`` keeps ``wiki-wiki/train.csv`` apart from ``active-dict/train.csv``.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from embeddings.errors import FormatError, InputError, MissingFileError, clause
from embeddings.files import stamp
from embeddings.sources.downloads import check_address
from embeddings.sources.wikipedia import ENDING

RECORD = "source.json"  # beside the files: where they came from, their checksums
# endings that unpacking takes away, and what it puts there
PACKED = {".gz": "", ".zip": ".txt", ".bz2": ""}


@dataclass(frozen=True, slots=True)
class CatalogueFile:
    """One file of an entry: ``name`` is its path below the entry's folder; "" and 0 where something is not known.

    ``unpacked_sha256`` is None for a file that is kept as it comes, "" where it is unpacked to a content not known yet.
    """

    name: str
    address: str
    mirror: str = ""
    size: int = 0
    sha256: str = ""
    unpacked_sha256: str | None = None

    @property
    def content_sha256(self) -> str:
        """Checksum of the file as it lies on the disk in the end."""
        return self.sha256 if self.unpacked_sha256 is None else self.unpacked_sha256


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A text or test set by name; ``kind`` is "url" for one that a person gave by its address."""

    name: str
    title: str
    kind: str
    language: tuple[str, ...]
    licence: str
    source: str
    commit: str
    files: tuple[CatalogueFile, ...]
    note: str = ""

    @property
    def size(self) -> int | None:
        """Bytes of the downloads together, None where one is not known."""
        sizes = [file.size for file in self.files]
        return sum(sizes) if all(sizes) else None

    def is_downloaded(self, folder: Path) -> bool:
        """Whether every file lies under ``folder/name``; sizes are looked at, checksums are not."""
        return all(_has(folder / self.name / file.name, file) for file in self.files)


def read_catalogue(path: Path) -> tuple[CatalogueEntry, ...]:
    """Read the catalogue, in its own order."""
    if not path.is_file():
        raise MissingFileError("file_missing", path=path, way_out=clause("is_data_set"))
    try:
        return _read_catalogue(path, stamp(path))
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError("file_unreadable", path=path, reason=error) from error


@lru_cache(maxsize=4)
def _read_catalogue(path: Path, _: str) -> tuple[CatalogueEntry, ...]:
    """Read a catalogue once a state of its file."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(_entry(**entry) for entry in table["entry"])


def find_entry(entries: Sequence[CatalogueEntry], name: str, folder: str = "") -> CatalogueEntry:
    """Return the entry of that name, or one made of an http(s) address; ``folder`` names the latter.

    Raises
    ------
    InputError
        If there is no such name (the sentence brings close ones), if the address cannot be used, or if the
        folder for it has the name of an entry.
    """
    names = [entry.name for entry in entries]
    if name in names:
        return entries[names.index(name)]
    if ":" in name or "/" in name:
        entry = _address_entry(name, folder)
        if entry.name in names:
            source = entries[names.index(entry.name)].source
            raise InputError("catalogue_name_taken", name=entry.name, source=source)
        return entry
    close = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    code = "catalogue_close" if close else "catalogue_unknown"
    raise InputError(code, name=name, choices=", ".join(close or names))


def _address_entry(address: str, folder: str) -> CatalogueEntry:
    """Make an entry of a plain address: ``folder``, else its file's name without the ending, is its name."""
    check_address(address)
    origin = unquote(PurePosixPath(urlsplit(address).path).name)
    origin = re.sub(r"[^\w.-]+", "_", origin).lstrip("_.-")[-100:].lstrip("_.-")
    if not origin:
        raise InputError("catalogue_no_file", address=address)
    is_dump, is_zip = origin.endswith(ENDING), origin.lower().endswith(".zip")
    name = folder or re.sub(r"(\.(txt|gz|xz|zip))+$", "", origin.removesuffix(ENDING).lower())
    if not re.fullmatch(r"\w[\w.-]{0,99}", name):
        raise InputError("catalogue_name", name=name)
    kept = PurePosixPath(origin).with_suffix(PACKED[".zip"]).name if is_zip else origin
    kept = f"{name}.txt.gz" if is_dump else kept
    file = CatalogueFile(kept, address, unpacked_sha256="" if is_zip or is_dump else None)
    return CatalogueEntry(name, origin, "url", (), "", address, "", (file,))


def _has(path: Path, file: CatalogueFile) -> bool:
    """Whether a file is there, of its size where that is known."""
    known = file.size and file.unpacked_sha256 is None
    return path.is_file() and (not known or path.stat().st_size == file.size)


def _entry(*, files: list[dict[str, object]], language: list[str], **fields: str) -> CatalogueEntry:
    """One entry from its table; a field that is missing or not known is a `TypeError`."""
    downloads = _files(files)
    if fields["kind"] == "wikipedia":  # its dump becomes text
        text = f"{fields['name']}.txt.gz"
        downloads = tuple(replace(file, name=text, unpacked_sha256="") for file in downloads)
    return CatalogueEntry(language=tuple(language), files=downloads, **fields)


def _files(tables: list[dict[str, object]]) -> tuple[CatalogueFile, ...]:
    """Files from their tables, each named by its path below their common folder."""
    paths = [_path(table) for table in tables]
    common = os.path.commonpath([path.parent for path in paths])
    return tuple(
        CatalogueFile(name=path.relative_to(common).as_posix(), **table)  # type: ignore[arg-type]
        for path, table in zip(paths, tables, strict=True)
    )


def _path(table: dict[str, object]) -> PurePosixPath:
    """Path of a file at its origin, with the name that it has unpacked."""
    mirror = str(table.get("mirror") or "")
    if mirror:  # it holds everything unpacked
        return PurePosixPath(mirror)
    path = PurePosixPath(unquote(urlsplit(str(table["address"])).path).lstrip("/"))
    if table.get("unpacked_sha256") is not None:
        path = path.with_suffix(PACKED[path.suffix.lower()])
    if ".." in path.parts:
        raise ValueError(clause("path_outside", name=path))
    return path

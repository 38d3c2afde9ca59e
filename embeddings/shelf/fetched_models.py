"""A model brought to the shelf from an http or https address: downloaded to a temporary folder, then imported as any file."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from embeddings.errors import InputError, refusals
from embeddings.results import Report
from embeddings.shelf.entries import Entry
from embeddings.shelf.importing import About, import_model, renamed_in_refusals
from embeddings.sources.downloads import SCHEMES, Wanted, download

LARGEST = 16 << 30  # bytes


def is_address(text: str) -> bool:
    """Whether a text is meant as an address.

    Examples
    --------
    >>> is_address("https://example.org/vectors.vec"), is_address("/data/vectors.vec")
    (True, False)
    """
    return urlsplit(text).scheme in SCHEMES


def import_from_address(
    address: str, name: str = "", about: About | None = None, report: Report | None = None
) -> Entry:
    """Download a model file or a zip of a model's folder and put it on the shelf.

    Parameters
    ----------
    address : str
        http or https; its last part names the file, by whose suffix the format is recognised.
    name, about
        As `import_model` takes them.
    report : callable, optional
        Called with the bytes done of all.

    Raises
    ------
    InputError
        If the address is not an address, names no file, cannot be reached, or answers with more than 16 GiB.
    KlyuchError
        If the file cannot be imported.
    """
    file = PurePosixPath(unquote(urlsplit(address).path)).name
    if not file or file in (".", "..") or "\0" in file:
        raise InputError("download_scheme", address=address)
    with refusals(), tempfile.TemporaryDirectory(prefix="klyuch-download-") as folder:
        target = Path(folder) / file
        download(Wanted(address, file, largest=LARGEST), target, report)
        with renamed_in_refusals(Path(folder), ""):
            return import_model(target, name, about or About())

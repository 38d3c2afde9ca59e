"""The texts that a job was started on: one that was replaced under its name while the job waited is not read in their place."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from embeddings.corpora.text_files import text_files
from embeddings.errors import InputError, KlyuchError
from embeddings.files import read_json, stamp
from embeddings.jobs.job_folder import JOB

SOURCES = "sources"  # of a job's file


def source_stamps(sources: Sequence[Path]) -> dict[str, str]:
    """Return by path what tells each text from another one at its place (`source_stamp`)."""
    return {str(source): source_stamp(source) for source in sources}


def source_stamp(source: Path) -> str:
    """Return a digest of the files of a text: another one once a file is rewritten, replaced, added or gone."""
    try:
        files = text_files([source])
    except KlyuchError:  # not there, or without text
        files = ()
    return hashlib.blake2b("".join(map(stamp, files)).encode(), digest_size=16).hexdigest()


def check_sources(folder: Path) -> None:
    """Raise `InputError` if a text that the job in ``folder`` was started on is another one now."""
    recorded = read_json(folder / JOB).get(SOURCES)
    for path, state in recorded.items() if isinstance(recorded, dict) else ():
        if source_stamp(Path(path)) != state:
            raise InputError("job_source_changed", path=path)

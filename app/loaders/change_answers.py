"""Reports of change, read once per state of their files."""

from __future__ import annotations

from pathlib import Path

from app.loaders.caching import cached
from embeddings.results.word_changes import ChangeReport
from embeddings.shelf.change_reports import read_report


@cached(8)
def report(path: Path) -> tuple[ChangeReport, int]:
    """Return a report and how many words were measured."""
    return read_report(path)

"""Senses that a person arranged by hand, kept in ``KLYUCH_HOME/senses``: a JSON file of contexts for each set of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from embeddings.corpora.sense_contexts import Context
from embeddings.corpora.sense_files import grouping_of, read_senses, with_senses, write_senses
from embeddings.errors import KlyuchError, refusals
from embeddings.results.induced_senses import SenseGrouping
from embeddings.shelf.locations import home


def save(key: str, contexts: Sequence[Context], grouping: SenseGrouping) -> None:
    """Keep how contexts are arranged, under a ``key`` that stands for them.

    Raises
    ------
    KlyuchError
        If nothing can be written there.
    """
    with refusals():
        write_senses(_path(key), with_senses(contexts, grouping))


def load(key: str, contexts: Sequence[Context]) -> SenseGrouping | None:
    """Return how contexts were arranged; None where nothing is kept, or what is kept is of others or damaged."""
    path = _path(key)
    if not path.is_file():
        return None
    try:
        kept = read_senses(path)
    except KlyuchError:
        return None
    same = [context.text for context in kept] == [context.text for context in contexts]
    return grouping_of(kept) if same else None


def forget(key: str) -> None:
    """Drop what is kept under ``key``."""
    _path(key).unlink(missing_ok=True)


def _path(key: str) -> Path:
    """Return the file of an arrangement."""
    return home() / "senses" / f"{key}.json"

"""What is kept and under which key: the decorator of every cached loader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from embeddings.files import stamp
from embeddings.shelf import Entry

P = ParamSpec("P")
R = TypeVar("R")
Keys = Mapping[str | type[Any], Callable[[Any], Any]]


def file_key(path: Path) -> tuple[str, str]:
    """Return a path and the state of what lies there."""
    return str(path), stamp(path)


def model_key(entry: Entry | None) -> str:
    """Return the stamp of a model; "" where there is none."""
    return entry.stamp if entry else ""


KEYS: Keys = {Entry: model_key, type(Path()): file_key}


def cached(
    max_entries: int, keys: Keys | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep the values of a function under its arguments, models and files under their state.

    Parameters
    ----------
    max_entries : int
        Values kept; the one that was not asked for longest goes first.
    keys : mapping of type to function, optional
        What arguments of further types count as.
    """
    return st.cache_resource(
        max_entries=max_entries, show_spinner=False, hash_funcs={**KEYS, **(keys or {})}
    )

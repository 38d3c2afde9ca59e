"""Functions that take a model also take its name on the shelf, or a path."""

from __future__ import annotations

from functools import lru_cache, wraps
from inspect import isfunction, signature
from os import PathLike
from pathlib import Path
from typing import Any

from embeddings.errors import InputError
from embeddings.vectors.table import Vectors

REFUSALS = {"Vectors": "model_not_static", "Network": "model_not_network"}


def by_name(function: Any) -> Any:
    """Let a function whose first argument is `Vectors` or a `Network` take a name or a path in its place.

    Anything else is returned as it is.
    """
    first = (
        next(iter(signature(function).parameters.values()), None) if isfunction(function) else None
    )
    if first is None or first.annotation not in REFUSALS:
        return function

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if arguments:
            arguments = (_opened(arguments[0], first.annotation), *arguments[1:])
        elif first.name in named:
            named[first.name] = _opened(named[first.name], first.annotation)
        return function(*arguments, **named)

    call.__module__, call.__qualname__ = "embeddings", function.__name__  # where pickle finds it
    return call


def _opened(model: Any, kind: str) -> Any:
    """Return a model, opened if it is a name or a path.

    Raises
    ------
    InputError
        If it is of another kind, or there is none of that name.
    """
    if isinstance(model, str | PathLike):
        from embeddings.shelf import find

        path = find(str(model)).path
        return _read(str(model), kind, path, path.stat().st_mtime_ns)
    if isinstance(model, Vectors) != (kind == "Vectors"):
        name = getattr(model, "name", "") or "?"
        raise InputError(REFUSALS[kind], name=name, kind=type(model).__name__)
    return model


@lru_cache(maxsize=2)
def _read(name: str, kind: str, path: Path, changed: int) -> Any:  # noqa: ARG001 - the key of the cache
    """Open a model of the shelf; the last two stay open."""
    from embeddings.shelf import find, load_vectors, open_model

    if kind == "Vectors":
        return load_vectors(name)
    entry = find(name)
    if entry.kind != "network":
        raise InputError(REFUSALS[kind], name=entry.name, kind=entry.kind)
    return open_model(entry)

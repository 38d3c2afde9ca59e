"""Command-line flags generated from a dataclass of settings, so that a setting is declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import wraps
from typing import Any, get_type_hints

import typer


def with_flags(
    kind: type[Any], skip: tuple[str, ...] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command one option per field of ``kind``; the command receives the built object as ``config``.

    Help texts are the fields' ``metadata["help"]``, defaults are theirs, ``vector_size`` becomes ``--vector-size`` and a bool
    ``--name/--no-name`` (or what ``metadata["flag"]`` says, as ``--sg/--cbow``). ``skip`` names fields that the command sets itself.
    """
    hints = get_type_hints(kind)
    chosen = [field for field in fields(kind) if field.name not in skip]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**values: Any) -> None:
            settings = {field.name: values.pop(field.name) for field in chosen}
            command(config=kind(**settings), **values)

        own = inspect.signature(command, eval_str=True).parameters
        kept = [parameter for name, parameter in own.items() if name != "config"]
        made = [_parameter(field, hints[field.name]) for field in chosen]
        merged = sorted(kept + made, key=lambda parameter: parameter.kind)
        run.__signature__ = inspect.Signature(merged)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in merged}
        del run.__wrapped__
        return run

    return decorate


def _parameter(field: Field[Any], hint: Any) -> inspect.Parameter:
    """Turn one field into a keyword-only typer option."""
    default = field.default
    if default is MISSING and field.default_factory is not MISSING:
        default = field.default_factory()
    flag = field.metadata.get("flag", "--" + field.name.replace("_", "-"))
    if hint in (bool, bool | None) and "/" not in flag:
        flag += "/--no-" + field.name.replace("_", "-")
    option = typer.Option(
        ... if default is MISSING else default, flag, help=field.metadata.get("help")
    )
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=hint
    )

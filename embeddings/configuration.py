"""Settings as flat frozen dataclasses: read from JSON, written to JSON, refused in a sentence.

A config class is ``@dataclass(frozen=True, slots=True)``; each field carries ``metadata={"help": ...}``, from which the command line makes
its flags; ``__post_init__`` calls `check_range` and `check_choice`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from embeddings.errors import FormatError, InputError

if TYPE_CHECKING:
    from dataclasses import Field


C = TypeVar("C", bound="Config")
_CODE = "[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*"  # as BCP 47 writes them
_LANGUAGE = re.compile(rf"{_CODE}(?:\+{_CODE})*")


class Config(Protocol):
    """Any dataclass of settings."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Raise `InputError` unless ``low <= value <= high`` (NaN is refused); ``high`` may be infinite."""
    if high == math.inf and not value >= low:
        raise InputError("argument_least", name=name, value=value, low=low)
    if not low <= value <= high:
        raise InputError("argument_range", name=name, value=value, low=low, high=high)


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise `InputError` unless ``value`` is one of ``choices``; the empty one is written ""."""
    if value not in choices:
        listed = ", ".join(choice or '""' for choice in choices)
        raise InputError("argument_choice", name=name, value=value, choices=listed)


def check_language(value: str) -> None:
    """Raise `InputError` unless ``value`` has the form of a language's code, or of several with + between."""
    if not _LANGUAGE.fullmatch(value):
        raise InputError("argument_language", value=value)


def to_json(config: Config) -> dict[str, object]:
    """Settings as a JSON object, in the order of the fields."""
    return asdict(config)


def from_json(kind: type[C], values: Mapping[str, object], path: object = "") -> C:
    """Settings from a JSON object; a key that ``kind`` does not have is an error that names it."""
    known = [field.name for field in fields(kind)]
    for key in values:
        if key not in known:
            raise FormatError("config_unknown_key", path=path, key=key, choices=", ".join(known))
    return kind(**values)

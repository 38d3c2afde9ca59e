"""Settings as flat frozen dataclasses: read from JSON, written to JSON, refused in a sentence.

A config class is below `CheckedConfig`, and its fields are made by `setting`: default, help, bounds or choices, all in one place. The
command line makes its flags from them, and a page its sliders.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, is_dataclass
from typing import (
    Any,
    ClassVar,
    NamedTuple,
    Protocol,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from embeddings.errors import FormatError, InputError

C = TypeVar("C", bound="Config")
T = TypeVar("T")
_CODE = "[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*"  # as BCP 47 writes them
_OPEN = 10**6  # a bound that nobody reaches is not printed
_LANGUAGE = re.compile(rf"{_CODE}(?:\+{_CODE})*")


class Config(Protocol):
    """Any dataclass of settings."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


@dataclass_transform(frozen_default=True)
class CheckedConfig:
    """Settings that are checked when they are made: every class below it is a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls) -> None:
        """Make the class a dataclass."""
        dataclass(frozen=True)(cls)

    def __post_init__(self) -> None:
        check_fields(self)


class Reach(NamedTuple):
    """What a slider offers of a setting: from ``low`` to ``high``, each mark worth ``unit``."""

    low: int
    high: int
    unit: int = 1


def setting(  # noqa: PLR0913 - what a setting is
    default: Any,
    help_text: str,
    low: float | None = None,
    high: float = math.inf,
    *,
    choices: Sequence[str] = (),
    flag: str = "",
    former: str = "",
    reach: Reach | None = None,
) -> Any:
    """Return a field of a config.

    Parameters
    ----------
    low, high : float
        Bounds of a number, both allowed; without ``low`` there are none.
    choices : sequence of str
        All values that a name may have.
    flag : str
        The option of the command line where it is not ``--name``, as ``--sg/--cbow``.
    former : str
        The option's name in the version before, which still works and warns.
    reach : Reach, optional
        What a page's slider offers; by default nothing.
    """
    bounds = {} if low is None else {"low": low, "high": high}
    further = {"choices": tuple(choices), "flag": flag, "former": former, "reach": reach}
    given = {name: value for name, value in further.items() if value}
    return field(default=default, metadata={"help": help_text, **bounds, **given})


def setting_like(
    kind: type[Config], name: str, default: Any = None, reach: Reach | None = None
) -> Any:
    """Return a field with help and bounds of the setting ``name`` of another config, and its default if none is given."""
    model = kind.__dataclass_fields__[name]
    metadata = {**model.metadata, **({"reach": reach} if reach else {})}
    return field(default=model.default if default is None else default, metadata=metadata)


def reach_of(kind: type[Config], name: str) -> Reach:
    """Return what a slider offers of a setting."""
    reach = kind.__dataclass_fields__[name].metadata["reach"]
    assert isinstance(reach, Reach)
    return reach


def check_fields(config: Config, skip: Sequence[str] = ()) -> None:
    """Raise `InputError` at the first setting out of its bounds or not among its choices.

    Parameters
    ----------
    skip : sequence of str
        Settings that may have any value.
    """
    for known in fields(config):
        if known.name in skip:
            continue
        value = getattr(config, known.name)
        if "low" in known.metadata:
            check_range(known.name, value, known.metadata["low"], known.metadata["high"])
        if "choices" in known.metadata:
            check_choice(known.name, value, known.metadata["choices"])


def describe(known: Field[Any]) -> str | None:
    """Return the help of a setting with its bounds, as the command line prints it.

    Examples
    --------
    >>> describe(setting(5, "Largest distance.", 1, 100))
    'Largest distance; 1 to 100.'
    """
    text: str | None = known.metadata.get("help")
    if text is None or "low" not in known.metadata:
        return text
    low, high = known.metadata["low"], known.metadata["high"]
    bounds = f"{low:g} to {high:g}" if high < _OPEN else f"at least {low:g}"
    return f"{text.removesuffix('.')}; {bounds}."


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
    """Settings from a JSON object; an error names a key that ``kind`` does not have, or whose value is of another type or is missing."""
    known = [field.name for field in fields(kind)]
    if unknown := [key for key in values if key not in known]:
        raise FormatError("config_unknown_key", path=path, key=unknown[0], choices=", ".join(known))
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in values.items()}
    try:
        return decode(kind, plain)
    except ShapeError as error:
        key = str(error).partition("[")[0]
        value = str(values.get(key, "none"))[:60]
        raise FormatError("config_type", path=path, key=key, value=value) from error


class ShapeError(Exception):
    """A value of another kind than its place asks for; the message is the place."""


def decode(kind: type[T], value: object, path: str = "") -> T:
    """Return a JSON value as ``kind``: a dataclass, a tuple, a dict, a text, a finite number, a truth value, or a union of them.

    Keys for which a dataclass has no field are skipped; pairs of a name and a value are read from an object.

    Raises
    ------
    ShapeError
        Where it is of another kind; the error names the place.

    Examples
    --------
    >>> decode(tuple[float, ...], [1, 0.5])
    (1, 0.5)
    """
    return _decode(kind, value, path)


def _decode(kind: Any, value: object, path: str) -> Any:
    """As `decode`, of any type."""
    inner, origin = get_args(kind), get_origin(kind)
    if origin in (Union, types.UnionType):
        for member in inner:
            try:
                return _decode(member, value, path)
            except ShapeError:
                continue
    elif is_dataclass(kind) and isinstance(value, dict):
        return _decode_dataclass(kind, value, path)
    elif are_pairs(kind) and isinstance(value, dict):
        item = get_args(inner[0])[1]
        return tuple((key, _decode(item, v, f"{path}.{key}")) for key, v in value.items())
    elif origin is tuple and isinstance(value, list | tuple):
        return _decode_tuple(inner, value, path)
    elif _is_plain(origin or kind, value):
        return value
    raise ShapeError(path or "{}")


def _is_plain(kind: Any, value: object) -> bool:
    """Whether a value is of a type, a whole number serving for a fraction; no number is infinite."""
    is_of_kind = type(value) is kind or (kind is float and type(value) is int)
    return is_of_kind and not (isinstance(value, float) and not math.isfinite(value))


def _decode_tuple(kinds: Sequence[Any], value: Sequence[object], path: str) -> tuple[Any, ...]:
    """A tuple from a list."""
    if kinds[-1] is Ellipsis:
        kinds = [kinds[0]] * len(value)
    if len(kinds) != len(value):
        raise ShapeError(path or "{}")
    parts = enumerate(zip(kinds, value, strict=True))
    return tuple(_decode(kind, item, f"{path}[{number}]") for number, (kind, item) in parts)


def _decode_dataclass(kind: Any, value: dict[str, object], path: str) -> Any:
    """A dataclass from an object."""
    hints = get_type_hints(kind)
    start = f"{path}." if path else ""
    given = {
        field.name: _decode(hints[field.name], value[field.name], f"{start}{field.name}")
        for field in fields(kind)
        if field.name in value
    }
    lacking = [f.name for f in fields(kind) if f.name not in given and f.default is MISSING]
    if lacking:
        raise ShapeError(f"{start}{lacking[0]}")
    return kind(**given)


def are_pairs(kind: Any) -> bool:
    """Whether a type is a tuple of pairs of a name and a value."""
    inner = get_args(kind)[0] if get_origin(kind) is tuple else None
    return get_origin(inner) is tuple and len(get_args(inner)) == 2 and get_args(inner)[0] is str

"""The settings of a run held to those it was begun with: the first that differs, by its dotted name, in short."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from embeddings.errors import InputError

_SHA256 = re.compile(r"[0-9a-f]{64}")
_LONGEST = 60  # letters of a value in a sentence


def check_settings(path: Path, before: Mapping[str, object], now: Mapping[str, object]) -> None:
    """Refuse to go on with a run under other settings.

    Raises
    ------
    InputError
        Naming the setting, as ``training.steps``, and both values; or the file that is another one.
    """
    found = difference(before, now)
    if found is None:
        return
    key, first, second = found
    is_file = all(_SHA256.fullmatch(str(value)) for value in (first, second))
    code = "run_file" if is_file else "run_settings"
    key = re.sub(r"[._]sha256$", "", key)
    raise InputError(code, path=path, key=key, before=_short(first), now=_short(second))


def difference(before: object, now: object, key: str = "") -> tuple[str, object, object] | None:
    """Return name and both values of the first setting that differs; None if all are equal.

    Examples
    --------
    >>> difference({"training": {"steps": 12, "seed": 1}}, {"training": {"steps": 13, "seed": 1}})
    ('training.steps', 12, 13)
    """
    if before == now:
        return None
    first, second = _entries(before), _entries(now)
    if isinstance(before, list) and isinstance(now, list):
        ours, theirs = list(first or before), list(second or now)
        if ours != theirs:
            return key, ours, theirs
    inner, given = first or {}, second or {}
    for name in {**inner, **given}:
        found = difference(inner.get(name), given.get(name), f"{key}.{name}" if key else name)
        if found:
            return found
    if first is None or second is None:
        return key, before, now
    return None  # an entry that is not there is as good as null


def _entries(value: object) -> dict[str, object] | None:
    """Return the entries of an object, or of a list of named ones by their names; None of anything else."""
    if isinstance(value, Mapping):
        return {str(name): one for name, one in value.items()}
    if not isinstance(value, list):
        return None
    found: dict[str, object] = {
        str(one["name"]): one for one in value if isinstance(one, Mapping) and "name" in one
    }
    return found if found and len(found) == len(value) else None


def _short(value: object) -> str:
    """Say a value in few letters."""
    if value is None:
        return "none"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    if _SHA256.fullmatch(text):
        return f"{text[:12]}…"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

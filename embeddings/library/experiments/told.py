"""A value of a result file together with the way to it, so that a damaged file is refused by its very place."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from embeddings.errors import FormatError, MissingFileError
from embeddings.library.places import data


@dataclass(frozen=True, slots=True)
class Told:
    """What a result file says at a place; each reading checks its kind.

    Raises
    ------
    FormatError
        From every method but `get`, where the value is of another kind or not there.
    """

    value: object
    file: str
    command: str
    place: str = ""

    def __getitem__(self, key: str | int) -> Told:
        """The value under a key or at a number of a list."""
        found = self.get(key)
        if found is None:
            raise self._step(key, None).damaged()
        return found

    def get(self, key: str | int) -> Told | None:
        """The value under a key, None where there is none or it is null."""
        if isinstance(self.value, dict) and isinstance(key, str):
            value = self.value.get(key)
        elif isinstance(self.value, list) and isinstance(key, int):
            value = self.value[key] if -len(self.value) <= key < len(self.value) else None
        else:
            raise self.damaged()
        return None if value is None else self._step(key, value)

    def each(self) -> list[Told]:
        """The members of a list that has some."""
        if not isinstance(self.value, list) or not self.value:
            raise self.damaged()
        return [self._step(place, value) for place, value in enumerate(self.value)]

    def items(self) -> Iterator[tuple[str, Told]]:
        """Keys and values of an object."""
        if not isinstance(self.value, dict):
            raise self.damaged()
        return ((key, self._step(key, value)) for key, value in self.value.items())

    def number(self) -> float:
        """A finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.damaged()
        try:
            found = float(self.value)
        except OverflowError as error:  # JSON knows no largest integer
            raise self.damaged() from error
        if not math.isfinite(found):
            raise self.damaged()
        return found

    def positive(self) -> float:
        """A number above 0."""
        if (found := self.number()) <= 0:
            raise self.damaged()
        return found

    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            raise self.damaged()
        return self.value

    def number_at(self, key: str) -> float | None:
        """The number under a key, None where there is none."""
        found = self.get(key)
        return None if found is None else found.number()

    def text_at(self, key: str) -> str:
        """The text under a key, "" where there is none."""
        found = self.get(key)
        return "" if found is None else found.text()

    def damaged(self) -> FormatError:
        """The refusal that names this place."""
        place = self.place or "{}"
        return FormatError("experiment_damaged", path=self.file, place=place, command=self.command)

    def _step(self, key: str | int, value: object) -> Told:
        """One step further in."""
        step = f"[{key}]" if isinstance(key, int) else f".{key}" if self.place else key
        return Told(value, self.file, self.command, self.place + step)


def folder() -> Path:
    """Where results lie: within what ships with a wheel, else beside the package in a clone."""
    inside = data() / "experiments"
    return inside if inside.is_dir() else data().parent / "benchmarks" / "results"


def read_told(name: str, command: str) -> Told:
    """Return what a file of results says.

    Parameters
    ----------
    name : str
        The file's name without its ending.
    command : str
        What makes it.

    Raises
    ------
    MissingFileError
        Where there is none: the sentence says which command makes it.
    FormatError
        Where it is not JSON.
    """
    path = folder() / f"{name}.json"
    shown = f"benchmarks/results/{name}.json"
    if not path.is_file():
        raise MissingFileError("experiment_missing", path=shown, command=command)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(
            "experiment_damaged", path=shown, place="JSON", command=command
        ) from error
    return Told(value, shown, command)


def machine_of(told: Told) -> str:
    """Return the machine in a line, however a file tells it; "" where it does not."""
    found = told.get("machine")
    if found is None:
        return ""
    if isinstance(found.value, str):
        return found.value
    cores = found.number_at("cores")
    parts = [found.text_at("cpu"), f"{cores:.0f} cores" if cores else ""]
    return ", ".join(filter(None, parts))


def frame_of(told: Told) -> dict[str, object]:
    """Return what the head of a file of results says: commit, machine, date, seconds, whether it was a short run."""
    short = told.get("short")
    if short is not None and not isinstance(short.value, bool):
        raise short.damaged()
    return {
        "files": (told.file,),
        "commit": told.text_at("commit"),
        "machine": machine_of(told),
        "created": told.text_at("created")[:10],
        "seconds": told.number_at("seconds"),
        "short": bool(short and short.value),
    }

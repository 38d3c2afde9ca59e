"""What `klyuch doctor` finds out about an installation. Sizes are bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from embeddings.results.shelf_states import Damage


@dataclass(frozen=True, slots=True)
class Library:
    """A library: its version, "" where it is not installed; ``extra`` is "" for one of the base install."""

    name: str
    version: str
    extra: str


@dataclass(frozen=True, slots=True)
class Device:
    """What can be computed on: ``kind`` is "cpu", "cuda" or "mps"; ``memory`` is 0 where it is not known."""

    kind: str
    name: str
    memory: int


@dataclass(frozen=True, slots=True)
class Room:
    """A folder that is written to: ``free`` is what is left on its disk; ``is_writable`` was tried with a small file."""

    purpose: str
    path: Path
    free: int
    is_writable: bool


@dataclass(frozen=True, slots=True)
class Leftover:
    """What a killed process left; ``is_old``: the next writer there removes it."""

    path: Path
    size: int
    is_old: bool


@dataclass(frozen=True, slots=True)
class BadFile:
    """A file of a model that is not what its card says: ``state`` as in `FileState`."""

    model: str
    name: str
    state: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All of it; ``problems`` says in plain English what is wrong and what to do."""

    version: str
    python: str
    system: str
    libraries: tuple[Library, ...]
    devices: tuple[Device, ...]
    rooms: tuple[Room, ...]
    shipped_models: int
    own_models: int
    damaged: tuple[Damage, ...]
    bad_files: tuple[BadFile, ...]
    jobs: dict[str, int]
    leftovers: tuple[Leftover, ...]
    problems: tuple[str, ...]

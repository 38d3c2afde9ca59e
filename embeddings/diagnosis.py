"""What an installation is like and what is wrong with it: libraries, devices, room on disks, models, jobs."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from embeddings._version import __version__
from embeddings.errors import KlyuchError
from embeddings.optional import DISTRIBUTIONS, EXTRAS
from embeddings.results import Value
from embeddings.shelf import damaged, data, home, is_own, list_models, verify_model
from embeddings.shelf.card_checks import Damage

BASE = ("numba", "numpy", "rich", "safetensors", "scipy", "threadpoolctl", "typer")
LEAST_ROOM = 1_000_000_000  # bytes; a training of a large text needs more


class Library(Value):
    """A library: its version, "" where it is not installed; ``extra`` is "" for one of the base install."""

    name: str
    version: str
    extra: str


class Device(Value):
    """What can be computed on: ``kind`` is "cpu", "cuda" or "mps"; ``memory`` is 0 where it is not known."""

    kind: str
    name: str
    memory: int


class Room(Value):
    """A folder that is written to: ``free`` is what is left on its disk; ``is_writable`` was tried with a small file."""

    purpose: str
    path: Path
    free: int
    is_writable: bool


class BadFile(Value):
    """A file of a model that is not what its card says: ``state`` as in `FileState`."""

    model: str
    name: str
    state: str


class Diagnosis(Value):
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
    problems: tuple[str, ...]


def diagnose(*, hash_files: bool = True) -> Diagnosis:
    """Look at everything; nothing is changed but for a small file that is written and removed where something is written.

    Parameters
    ----------
    hash_files : bool, default True
        Hash every file of every model (some seconds a GB) and compare it with its card.
    """
    rooms = (
        _room("models, corpora, jobs", home()),
        _room("temporary files", Path(tempfile.gettempdir())),
    )
    entries = list_models()
    broken = damaged()
    bad_files = tuple(_bad_files()) if hash_files else ()
    job_states = _job_states()
    own = sum(is_own(entry) for entry in entries)
    problems = [
        *_room_problems(rooms),
        *([] if entries else [f"There are no models in {data() / 'models'}. Does KLYUCH_DATA name the folder of what ships?"]),
        *(_damage_problem(damage) for damage in broken),
        *(_file_problem(file) for file in bad_files if file.state != "unrecorded"),
        *_job_problems(job_states),
    ]  # fmt: skip
    return Diagnosis(
        version=__version__,
        python=platform.python_version(),
        system=platform.platform(terse=True),
        libraries=libraries(),
        devices=devices(),
        rooms=rooms,
        shipped_models=len(entries) - own,
        own_models=own,
        damaged=broken,
        bad_files=bad_files,
        jobs=job_states,
        problems=tuple(problems),
    )


def libraries() -> tuple[Library, ...]:
    """Return the libraries of the base install and of the extras, with the versions that are installed."""
    extras = {**dict.fromkeys(BASE, ""), **EXTRAS}
    found = {DISTRIBUTIONS.get(name, name): extra for name, extra in extras.items()}
    return tuple(Library(name, _version(name), extra) for name, extra in sorted(found.items()))


def _version(distribution: str) -> str:
    """Return the version of a distribution that is installed, else ""."""
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(distribution)
    return ""


def devices() -> tuple[Device, ...]:
    """Return the processor, and the GPUs that torch can use if it is installed."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    cpu = Device("cpu", f"{platform.machine()}, {usable} cores", _memory())
    return (cpu, *(_gpus() if find_spec("torch") else ()))


def _gpus() -> Iterator[Device]:
    """Yield what torch can compute on next to the processor."""
    import torch

    for number in range(torch.cuda.device_count()):
        about = torch.cuda.get_device_properties(number)
        yield Device("cuda", about.name, about.total_memory)
    if torch.backends.mps.is_available():
        yield Device("mps", "Apple GPU", 0)


def _memory() -> int:
    """Return the memory of the machine; 0 where the system does not say."""
    with suppress(ValueError, OSError, AttributeError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 0


def _room(purpose: str, path: Path) -> Room:
    """Try to write into a folder, or where it would be made, and look how much room its disk has."""
    standing = next(parent for parent in (path, *path.parents) if parent.is_dir())
    is_writable = False
    with suppress(OSError), tempfile.NamedTemporaryFile(dir=standing) as file:
        file.write(b"klyuch")
        file.flush()
        is_writable = True
    return Room(purpose, path, shutil.disk_usage(standing).free, is_writable)


def _bad_files() -> Iterator[BadFile]:
    """Hash all models, and yield the files that are not as their cards say."""
    for entry in list_models():
        try:
            states = verify_model(entry)
        except KlyuchError:  # gone, or unreadable: `damaged` says so
            continue
        for state in states:
            if state.state != "sound":
                yield BadFile(entry.name, state.name, state.state)


def _job_states() -> dict[str, int]:
    """Return how many jobs are in each state; none where the system has no jobs."""
    try:
        from embeddings.jobs.job_folder import jobs
    except ModuleNotFoundError:  # of POSIX: `embeddings.optional.POSIX_ALONE`
        return {}
    return dict(Counter(job.state for job in jobs()))


def _room_problems(rooms: tuple[Room, ...]) -> Iterator[str]:
    """Say which folder cannot be written to and which disk is nearly full."""
    for room in rooms:
        if not room.is_writable:
            yield f"{room.path} cannot be written to ({room.purpose}). Give the right to, or set KLYUCH_HOME to another folder."
        elif room.free < LEAST_ROOM:
            yield f"The disk of {room.path} has {room.free / 1e6:.0f} MB left ({room.purpose}). Make room before you train or import."


def _damage_problem(damage: Damage) -> str:
    """Say what to do with a folder that is no model."""
    way_out = f"klyuch models delete {damage.name}" if damage.is_own else "install Klyuch again"
    return f"The model {damage.name} cannot be used: {damage.reason}. To be rid of that: {way_out}"


def _file_problem(file: BadFile) -> str:
    """Say what is wrong with a file of a model."""
    states = {"changed": "is not what its card says", "missing": "is missing"}
    said = states.get(file.state, "cannot be opened")
    return (
        f"The file {file.name} of the model {file.model} {said}. Import or train that model again."
    )


def _job_problems(states: dict[str, int]) -> Iterator[str]:
    """Say how many jobs ended without a result."""
    for state in ("failed", "interrupted"):
        if number := states.get(state, 0):
            ended = "failed" if state == "failed" else "been interrupted"
            noun = "job has" if number == 1 else "jobs have"
            yield f"{number} {noun} {ended}. See why: klyuch jobs list, klyuch jobs show JOB"

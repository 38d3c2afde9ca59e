"""``klyuch doctor``: what this installation is like, and what is wrong with it."""

from __future__ import annotations

import typer
from rich.table import Table

from embeddings.cli.nouns import verb
from embeddings.cli.output import bytes_in_words, emit, grid
from embeddings.diagnosis import diagnose
from embeddings.results.shelf_states import Diagnosis


@verb("doctor")
def doctor(*, checksums: bool = True, as_json: bool = False) -> None:
    """Check versions, devices, disks, models, jobs and leftovers; exit code 1 if something is wrong."""
    diagnosis = diagnose(hash_files=checksums)
    emit(diagnosis, as_json, lambda: _table(diagnosis))
    if not as_json:
        for problem in diagnosis.problems or ("Nothing is wrong.",):
            print(problem)
    if diagnosis.problems:
        raise typer.Exit(1)


def _table(diagnosis: Diagnosis) -> Table:
    """Draw it."""
    missing: dict[str, list[str]] = {}
    for library in diagnosis.libraries:
        if not library.version:
            missing.setdefault(library.extra or "base", []).append(library.name)
    installed = [f"{lib.name} {lib.version}" for lib in diagnosis.libraries if lib.version]
    rows: list[tuple[object, ...]] = [
        ("klyuch", diagnosis.version),
        ("Python", f"{diagnosis.python}, {diagnosis.system}"),
        ("libraries", ", ".join(installed)),
        *((f"missing ({extra})", ", ".join(names)) for extra, names in missing.items()),
    ]
    for device in diagnosis.devices:
        rows.append((device.kind, f"{device.name}, {bytes_in_words(device.memory)} of memory"))
    for room in diagnosis.rooms:
        state = "" if room.is_writable else ", cannot be written to"
        rows.append((room.purpose, f"{room.path}: {bytes_in_words(room.free)} free{state}"))
    models = f"{diagnosis.shipped_models} shipped, {diagnosis.own_models} of yours"
    rows.append(("models", f"{models}, {len(diagnosis.damaged)} damaged"))
    states = ", ".join(f"{number} {state}" for state, number in diagnosis.jobs.items())
    rows.append(("jobs", states or "none"))
    left = sum(leftover.size for leftover in diagnosis.leftovers)
    rows.append(("leftovers", f"{len(diagnosis.leftovers)}, {bytes_in_words(left)}"))
    return grid("", "", rows=rows)

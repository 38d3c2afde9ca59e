"""Files of experiments: the one shape in which ``benchmarks/`` writes what it measured.

A file is a JSON object with the fields of `embeddings.lab.experiment.Experiment` and ``measurements``: whatever else was measured.
Pairs of a name and a value (`Claim.numbers`, `Claim.fields`) are objects; what is as ever is left out.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from embeddings.configuration import ShapeError, decode
from embeddings.errors import FormatError, MissingFileError
from embeddings.files import stamp
from embeddings.lab.experiment import Experiment
from embeddings.shelf.locations import experiments

MEASUREMENTS = "measurements"


def read_file(name: str, command: str) -> tuple[Experiment, dict[str, Any]]:
    """Return what a file of `embeddings.shelf.locations.experiments` holds: the experiment, and its further measurements.

    Parameters
    ----------
    name : str
        The file's name without its suffix.
    command : str
        What makes it.

    Raises
    ------
    MissingFileError
        If there is none; the sentence says which command makes it.
    FormatError
        If it is not such a file or holds another experiment; the message says where.
    """
    path = experiments() / f"{name}.json"
    shown = f"benchmarks/results/{name}.json"
    if not path.is_file():
        raise MissingFileError("experiment_missing", path=shown, command=command)
    try:
        experiment, measurements = _read(path, stamp(path))
        if experiment.name != name:
            raise ShapeError("name")
    except ShapeError as error:
        raise FormatError(
            "experiment_damaged", path=shown, place=str(error), command=command
        ) from error
    return experiment, measurements


@lru_cache(maxsize=64)
def _read(path: Path, _: str) -> tuple[Experiment, dict[str, Any]]:
    """Return what a file holds, checked once a state of it."""
    try:
        return parse(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as error:
        raise ShapeError("JSON") from error


def parse(value: object) -> tuple[Experiment, dict[str, Any]]:
    """Return the experiment and the measurements of a JSON object."""
    if not isinstance(value, dict):
        raise ShapeError("{}")
    measurements = value.get(MEASUREMENTS, {})
    if not isinstance(measurements, dict):
        raise ShapeError(MEASUREMENTS)
    return decode(Experiment, value), measurements

"""The laboratory: what ``benchmarks/`` measured, read from its files of results, and held beside what the sources found.

`read_experiment` is all that a page, a command or a notebook needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from embeddings.configuration import check_choice
from embeddings.lab.albert_comparison import albert
from embeddings.lab.depth import depth
from embeddings.lab.pretraining_curves import pretraining
from embeddings.lab.sense_scores import senses
from embeddings.lab.speed import speed
from embeddings.lab.sst2 import sst2
from embeddings.lab.static_quality import static
from embeddings.lab.translation_scores import translation
from embeddings.lab.warm_start_curves import warm_start
from embeddings.results.experiment import Experiment

READERS: dict[str, Callable[[], Experiment]] = {
    "warm_start": warm_start,
    "pretraining": pretraining,
    "depth": depth,
    "albert": albert,
    "sst2": sst2,
    "translation": translation,
    "senses": senses,
    "static": static,
    "speed": speed,
}
NAMES = tuple(READERS)

__all__ = ["NAMES", "read_experiment"]


def read_experiment(name: str) -> Experiment:
    """Return an experiment as it was run last; a short run leaves every claim open.

    Parameters
    ----------
    name : str
        One of `NAMES`.

    Raises
    ------
    InputError
        If there is no such experiment.
    MissingFileError
        If its file of results is not here; the sentence says which command makes it.
    FormatError
        If its file is damaged; the sentence says where.
    """
    check_choice("experiment", name, NAMES)
    found = READERS[name]()
    if not found.short:
        return found
    open_ones = tuple(replace(verdict, outcome="open") for verdict in found.verdicts)
    return replace(found, verdicts=open_ones)

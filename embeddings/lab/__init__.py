"""The Lab: experiments that test a claim of the literature, read from the files of results of ``benchmarks/``.

`read_experiment` and `grammar_sets` are all that a page, a command or a notebook needs.
"""

from __future__ import annotations

from dataclasses import replace

from embeddings.configuration import check_choice
from embeddings.errors import MissingFileError
from embeddings.lab.experiment import Experiment, Table
from embeddings.lab.experiment_files import read_file

MIRRORED = "KLYUCH_MIRROR=FOLDER python -m benchmarks"
COMMANDS = {  # what makes the file of each experiment; scripts that do not run any more are in the history
    "warm_start": "klyuch bert pretrain prepared --run RUN --warm-start vectors",
    "pretraining": "python -m benchmarks.network_curves",
    "depth": f"git checkout e77f252d377d; {MIRRORED}.depth --work WORK",
    "albert": f"git checkout e77f252d377d; {MIRRORED}.albert --work WORK",
    "sst2": f"{MIRRORED}.research.sst2 --work WORK",
    "translation": f"{MIRRORED}.translation RUNS",
    "pruning": f"{MIRRORED}.research.pruning",
    "senses": f"git checkout cc9604d6d734; {MIRRORED}.senses",
    "knowledge": f"{MIRRORED}.research.knowledge --work WORK --prepared PREPARED",
    "static": "python -m benchmarks.quality",
    "stability": "python -m benchmarks.research.stability CORPORA/ru_newsru.txt.xz",
    "influence": "OMP_NUM_THREADS=1 python -m benchmarks.research.influence CORPORA/ru_newsru.txt.xz",
}
NAMES = tuple(COMMANDS)
GRAMMAR = f"{MIRRORED}.research.knowledge --work WORK"  # makes the scores of `grammar_sets`
GRAMMAR_SETS = {"en": ("blimp_en",), "ru": ("rublimp_ru", "clams_ru"), "de": ("clams_de",)}

__all__ = ["GRAMMAR_SETS", "NAMES", "grammar_sets", "read_experiment"]


def read_experiment(name: str) -> Experiment:
    """Return an experiment as it was run last, with its claims of the literature; a short run leaves every claim open.

    Claims without a source are questions of this project; docs/results/networks.md has the answers.

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
    experiment, _ = read_file(name, COMMANDS[name])
    claims = tuple(claim for claim in experiment.claims if claim.source)
    if experiment.short:
        claims = tuple(replace(claim, verdict="open") for claim in claims)
    return replace(experiment, claims=claims)


def grammar_sets(language: str) -> list[tuple[Table, int]]:
    """Return how networks score on a language's sets of minimal pairs, each set with its number of pairs; none where not measured.

    Raises
    ------
    InputError
        If there are no sets of the language.
    """
    check_choice("language", language, tuple(GRAMMAR_SETS))
    try:
        experiment, measured = read_file("grammar", GRAMMAR)
    except MissingFileError:
        return []
    tables = {table.name: table for table in experiment.tables}
    names = [name for name in GRAMMAR_SETS[language] if name in tables]
    return [(tables[name], measured["pairs"][name]) for name in names]

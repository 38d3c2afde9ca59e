"""Where models, corpora and concordances lie: the user's own under ``KLYUCH_HOME``, what ships under ``data``."""

from __future__ import annotations

import csv
import os
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from embeddings.files import home as home  # where checksums are remembered too


def data() -> Path:
    """Folder of what ships: ``KLYUCH_DATA``, else ``data`` in the package or next to it.

    A wheel carries it inside the package, a clone of the repository next to it.
    """
    chosen = os.environ.get("KLYUCH_DATA")
    return Path(chosen) if chosen else _shipped("data", "data")


def experiments() -> Path:
    """Folder of the results of ``benchmarks/``: among the chosen `data`, else in the package or next to it."""
    chosen = data() / "experiments"
    return chosen if chosen.is_dir() else _shipped("data/experiments", "benchmarks/results")


def _shipped(inside: str, beside: str) -> Path:
    """Return a folder inside the package, where a wheel carries it, else another one next to the package."""
    package = Path(__file__).parents[1]
    return package / inside if (package / inside).is_dir() else package.parent / beside


SUFFIX = ".sqlite"


def concordances() -> dict[str, Path]:
    """Return the user's concordances, by name."""
    return {path.stem: path for path in sorted((home() / "concordances").glob(f"*{SUFFIX}"))}


def sample_name(language: str) -> str:
    """Return the name of the concordance of this project's own sentences in a language."""
    return f"sample-{language}"


def sample_concordance(name: str) -> Path | None:
    """Return the file of a concordance that ships; None where none of that name does."""
    path = data() / "concordances" / f"{name}{SUFFIX}"
    return path if Path(name).name == name and path.is_file() else None


def concordances_of(language: str) -> dict[str, Path]:
    """Return the user's concordances and, behind them, the sentences that ship in a language."""
    own, name = concordances(), sample_name(language)
    sample = sample_concordance(name)
    return own if sample is None or name in own else {**own, name: sample}


def find_concordance(name_or_path: str) -> Path:
    """Return the path of a concordance that is to be read: the user's, or one of that name that ships."""
    path = concordance_path(name_or_path)
    if not path.exists() and (sample := sample_concordance(name_or_path)):
        return sample
    return path


def concordance_path(name_or_path: str) -> Path:
    """Return the path of a concordance: a mere name, as ``novels``, lies in the user's folder."""
    path = Path(name_or_path).expanduser()
    if path.name == name_or_path and not path.suffix and name_or_path:
        return home() / "concordances" / f"{name_or_path}{SUFFIX}"
    return path


@dataclass(frozen=True, slots=True)
class GrammarExample:
    """A minimal pair: ``good`` is grammatical, ``bad`` is not; ``phenomenon`` is the point in which they differ."""

    language: str
    phenomenon: str
    good: str
    bad: str


def grammar_examples(language: str) -> tuple[GrammarExample, ...]:
    """Return the minimal pairs of a language, one per phenomenon."""
    pairs = _grammar_examples(data() / "grammar" / "examples.tsv")
    return tuple(pair for pair in pairs if pair.language == language)


@lru_cache(maxsize=1)
def _grammar_examples(path: Path) -> tuple[GrammarExample, ...]:
    with path.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return tuple(GrammarExample(**row) for row in table)


def sentence_pairs() -> tuple[dict[str, str], ...]:
    """Return the example sentences of the pages on networks: language, first, second, blank."""
    return _sentence_pairs(data() / "contexts" / "examples.toml")


@lru_cache(maxsize=1)
def _sentence_pairs(path: Path) -> tuple[dict[str, str], ...]:
    pairs = tomllib.loads(path.read_text(encoding="utf-8"))["pair"]
    return tuple({name: str(value) for name, value in pair.items()} for pair in pairs)

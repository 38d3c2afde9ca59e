"""Example sentences that ship with the project: for the pages on networks, and minimal pairs of grammar."""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from embeddings.shelf.locations import data


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

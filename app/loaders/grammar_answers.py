"""Cached scores of two sentences by a network, and the example sentences of the page Grammar."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.answers import cached
from app.loaders import shelf_models
from embeddings import shelf
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.results.sentence_scores import SentenceScore


@dataclass(frozen=True, slots=True)
class GrammarExample:
    """A minimal pair: ``good`` is grammatical, ``bad`` is not; ``phenomenon`` is the point in which they differ."""

    language: str
    phenomenon: str
    good: str
    bad: str


def grammar_examples(language: str) -> tuple[GrammarExample, ...]:
    """Return the minimal pairs of a language that ship, one a phenomenon."""
    pairs = _grammar_examples(shelf.data() / "grammar" / "examples.tsv")
    return tuple(pair for pair in pairs if pair.language == language)


@cached(1)
def _grammar_examples(path: Path) -> tuple[GrammarExample, ...]:
    with path.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return tuple(GrammarExample(**row) for row in table)


@cached(256)
def sentence_scores(entry: Entry, texts: tuple[str, ...]) -> tuple[SentenceScore, ...]:
    """Return the pseudo-log-likelihood of sentences by a network, token by token and layer by layer."""
    from embeddings.probing.sentence_scoring import score_sentences

    return score_sentences(shelf_models.reader(entry), texts)

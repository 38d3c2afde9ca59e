"""Ranges of a model's answers over its several trainings, kept: of neighbours, of answers to a formula, of an association test."""

from __future__ import annotations

from app.answers import cached
from embeddings.analysis.stability import answer_spreads, effect_size_range, neighbour_spreads
from embeddings.results import Analogy
from embeddings.results.vector_answers import AssociationTest, NeighbourSpread, RunRange
from embeddings.vectors.run_spread import RunSpread


@cached(128)
def of_neighbours(
    spread: RunSpread, word: str, near: tuple[str, ...]
) -> tuple[NeighbourSpread, ...]:
    """Return the ranges of a word's neighbours."""
    return neighbour_spreads(spread, word, near)


@cached(64, keys={Analogy: repr})
def of_answers(spread: RunSpread, analogy: Analogy) -> tuple[NeighbourSpread, ...]:
    """Return the ranges of the answers to a formula."""
    return answer_spreads(spread, analogy)


@cached(64, keys={AssociationTest: repr})
def of_effect(spread: RunSpread, test: AssociationTest) -> RunRange | None:
    """Return the range of a test's effect size; None where the spread lacks a word of it."""
    return effect_size_range(spread, test)

"""``klyuch words evaluate``: a model's scores on analogies and judged pairs."""

from __future__ import annotations

from pathlib import Path

import typer

from embeddings.cli.output import emit, grid, plain
from embeddings.cli.words_arguments import JSON, MODEL
from embeddings.results import AnalogyScore


def evaluate_command(
    model: str = MODEL,
    analogies: list[Path] = typer.Option([], help="Analogy set in Google's format; repeatable."),
    pairs: list[Path] = typer.Option([], help="Word, word, score by line; repeatable."),
    restrict_vocab: int = typer.Option(30_000, help="Analogies: so many most frequent words."),
    as_json: bool = JSON,
) -> None:
    """Print accuracy on analogies and Spearman's correlation on pairs, with coverage."""
    from embeddings.analysis.evaluation import combine, evaluate_analogies, evaluate_pairs
    from embeddings.errors import InputError
    from embeddings.library import load_vectors

    if not analogies and not pairs:
        raise InputError("evaluation_nothing")
    vectors = load_vectors(model)
    score = combine([evaluate_analogies(vectors, path, restrict_vocab) for path in analogies])
    scores = [evaluate_pairs(vectors, path) for path in pairs]
    value = {"analogies": _with_accuracies(score), "pairs": scores}
    rows = _analogy_rows(score) if analogies else []
    rows += [(f"{p.file} (Spearman)", p.spearman, p.covered, p.total) for p in scores]
    emit(value, as_json, lambda: grid("set", "score", "covered", "total", rows=rows))


def _with_accuracies(score: AnalogyScore) -> dict[str, object]:
    """Return a score with each section's accuracy; null where nothing is covered."""
    sections = [
        {**plain(s), "accuracy": s.correct / s.covered if s.covered else None}
        for s in score.sections
    ]
    return {**plain(score), "sections": sections}


def _analogy_rows(score: AnalogyScore) -> list[tuple[object, ...]]:
    """Return a line a section and one for all."""
    lines: list[tuple[object, ...]] = [
        (s.name, s.correct / s.covered if s.covered else None, s.covered, s.total)
        for s in score.sections
    ]
    return [*lines, ("all analogies", score.accuracy, score.covered, score.total)]

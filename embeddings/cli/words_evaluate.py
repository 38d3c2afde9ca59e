"""``klyuch words evaluate``: a model's scores on analogies and word pairs, next to those of its trainings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from embeddings.cli.nouns import verb
from embeddings.cli.output import deviation_text, emit, grid
from embeddings.errors import InputError
from embeddings.results import AnalogyScore
from embeddings.results.display import plain
from embeddings.results.vector_answers import RunRange

RESTRICT_VOCAB = 30_000  # as `evaluate_analogies` has it, by which trainings are scored


@verb("words", "evaluate")
def evaluate_command(
    *,
    model: str,
    analogies: list[Path],
    pairs: list[Path],
    restrict_vocab: int = RESTRICT_VOCAB,
    as_json: bool = False,
) -> None:
    """Print accuracy on analogies and Spearman's correlation on pairs, with coverage."""
    from embeddings.analysis.evaluation import combine, evaluate_analogies, evaluate_pairs
    from embeddings.shelf import load_vectors

    if not analogies and not pairs:
        raise InputError("evaluation_nothing")
    vectors = load_vectors(model)
    answers = [evaluate_analogies(vectors, path, restrict_vocab) for path in analogies]
    score = combine(answers)
    scores = [evaluate_pairs(vectors, path) for path in pairs]
    sizes = {(p.file, "spearman"): p.total for p in scores}
    if restrict_vocab == RESTRICT_VOCAB:  # as the trainings were scored
        asked = zip(analogies, answers, strict=True)
        sizes |= {(path.name, "accuracy"): answer.total for path, answer in asked}
    trainings = _trainings(model, sizes)
    value = {"analogies": _with_accuracies(score), "pairs": scores, "trainings": trainings}
    rows = _analogy_rows(score) if analogies else []
    rows += [(f"{p.file} (Spearman)", p.spearman, p.covered, p.total) for p in scores]
    emit(value, as_json, lambda: grid("set", "score", "covered", "total", rows=rows))
    if trainings and not as_json:
        lines: list[tuple[object, ...]] = [
            (name, deviation_text(span), span.lowest, span.highest, span.runs)
            for name, span in trainings.items()
        ]
        columns = ("set, over trainings", "mean ± SD", "lowest", "highest", "trainings")
        emit(trainings, False, lambda: grid(*columns, rows=lines))


def _trainings(model: str, sizes: Mapping[tuple[str, str], int]) -> dict[str, RunRange]:
    """Return how several trainings of a model score on sets of these names, measures and sizes, where `klyuch words stability` says so."""
    from embeddings.shelf import find, find_spread, score_ranges

    folder = find_spread(find(model))
    ranges = {} if folder is None else score_ranges(folder)
    return {
        name: ranges[name].span
        for (name, measure), total in sizes.items()
        if name in ranges and (ranges[name].measure, ranges[name].total) == (measure, total)
    }


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

"""``klyuch words weat``: association tests."""

from __future__ import annotations

from embeddings.cli.nouns import verb
from embeddings.cli.output import counted, emit, grid
from embeddings.results.display import plain
from embeddings.results.vector_answers import AssociationTest, CoveredSet, PermutationP, RunRange


@verb("words", "weat")
def weat_command(
    test: str, *, model: str, draws: int = 100000, seed: int = 1, as_json: bool = False
) -> None:
    """Print whether one set of words is nearer than another to pleasant words, say: effect size and p values (WEAT).

    For a model with several trainings (klyuch words stability) the effect size has a range.
    """
    from embeddings.analysis.stability import effect_size_range
    from embeddings.shelf import find, load_vectors, open_spread

    entry = find(model)
    vectors = load_vectors(entry.path)
    answer = vectors.association(test, draws, seed)
    spread = open_spread(entry)
    span = effect_size_range(spread, answer) if spread is not None else None
    emit(_described(answer, span), as_json, lambda: grid("", "", rows=_rows(answer, span)))


def _described(answer: AssociationTest, span: RunRange | None) -> dict[str, object]:
    """Return a test as JSON has it."""
    sets = [{**plain(covered), "coverage": _coverage(covered)} for covered in answer.sets]
    runs = None if span is None else plain(span)
    return {**plain(answer), "effect_size_in_runs": runs, "sets": sets}


def _coverage(covered: CoveredSet) -> float:
    """Share of a set's words that have vectors."""
    return len(covered.words) / (len(covered.words) + len(covered.missing))


def _rows(answer: AssociationTest, span: RunRange | None) -> list[tuple[object, ...]]:
    """Return the lines of the table for people."""
    first, second, near = (covered.title for covered in answer.sets[:3])
    way = "all" if answer.is_exact else "random"
    rows: list[tuple[object, ...]] = [
        ("effect size d", f"{answer.effect_size:.3f}"),
        (f"p, one-sided ({first} nearer to {near} than {second})", _p(answer.one_sided)),
        ("p, two-sided", _p(answer.two_sided)),
        ("partitions", f"{answer.partitions} ({way})"),
    ]
    if span is not None and span.deviation is not None:
        ends = f"{span.lowest:.3f} to {span.highest:.3f}"
        deviation = f"mean {span.mean:.3f}, standard deviation {span.deviation:.3f}"
        rows.insert(1, (f"d in {span.runs} trainings", f"{ends}; {deviation}"))
    for covered in answer.sets:
        total = len(covered.words) + len(covered.missing)
        missing = f"; not there: {', '.join(covered.missing)}" if covered.missing else ""
        rows.append((covered.title, f"{len(covered.words)} of {counted(total, 'word')}{missing}"))
    sizes = len(answer.sets[0].words), len(answer.sets[1].words)
    if sizes[0] != sizes[1]:
        rows.append(("unequal sets", f"{sizes[0]} and {sizes[1]} targets: means are compared"))
    return rows


def _p(value: PermutationP) -> str:
    """Return a p value, with the standard error of a sampled one."""
    error = "" if value.standard_error is None else f" (standard error {value.standard_error:.1g})"
    return f"{value.p:.3g}{error}"

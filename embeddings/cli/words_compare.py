"""``klyuch words compare``: how far the neighbourhoods of two models agree, and how far words move from one to the other."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

from embeddings.cli.nouns import verb
from embeddings.cli.output import counted, emit, grid
from embeddings.cli.word_files import read_words
from embeddings.errors import InputError
from embeddings.results.vector_answers import Comparison

SHOWN = 20  # lines of the table for people


@verb("words", "compare")
def compare_command(
    models: list[str], *, words: Path | None = None, topn: int = 10, as_json: bool = False
) -> None:
    """Print how far neighbourhoods agree (Jaccard), and the shift of words after a rotation (1 - cosine)."""
    from embeddings.shelf import load_vectors

    if len(models) < 2:
        raise InputError("compare_models", models=len(models))
    chosen = read_words(words) if words else ()
    tables = [load_vectors(model) for model in models]
    comparisons = [one.compare(other, chosen, topn) for one, other in combinations(tables, 2)]
    for comparison in comparisons:
        if comparison.missing:
            lacking = ", ".join(comparison.missing)
            print(
                f"Not in both {comparison.first} and {comparison.second}: {lacking}",
                file=sys.stderr,
            )
    if as_json:
        described = [_described(comparison) for comparison in comparisons]
        several = [
            {"first": comparison.first, "second": comparison.second, **value}
            for comparison, value in zip(comparisons, described, strict=True)
        ]
        emit(several if len(comparisons) > 1 else described[0], True, lambda: "")
        return
    for comparison in comparisons:
        _print(comparison)


def _described(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as JSON has it."""
    words = [
        {"word": w.word, "overlap": w.overlap, "movement": w.movement} for w in comparison.words
    ]
    return {
        "overlap": comparison.overlap,
        "procrustes_error": comparison.procrustes_error,
        "words": words,
    }


def _print(comparison: Comparison) -> None:
    """Print a line for all, and the words that move most."""
    print(
        f"{comparison.first} and {comparison.second}: {counted(comparison.common, 'word')} in common, overlap {comparison.overlap:.4f}, "
        f"Procrustes error {comparison.procrustes_error:.4f}, Spearman {comparison.spearman:.4f}"
    )
    rows: list[tuple[object, ...]] = [
        (w.word, w.overlap, w.movement, ", ".join(w.shared[:5]))
        for w in sorted(comparison.words, key=lambda w: -w.movement)[:SHOWN]
    ]
    if len(comparison.words) > SHOWN:
        print(f"The {SHOWN} of {len(comparison.words)} words that move most; --json prints all:")
    emit(
        comparison,
        False,
        lambda: grid("word", "overlap", "movement", "shared neighbours", rows=rows),
    )

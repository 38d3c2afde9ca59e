"""``klyuch words compare``: how far two models, or more, agree on words."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import typer

from embeddings.cli.output import counted, emit, grid
from embeddings.errors import FormatError, InputError
from embeddings.files import check_file
from embeddings.results.compare import Comparison

COMMONEST = 1_000  # common words that are compared where no file names any
SHOWN = 20  # lines of the table for people


def compare_command(
    models: list[str] = typer.Argument(
        ..., help="Two models or more: names on the shelf, folders, or files of vectors."
    ),
    words: Path | None = typer.Option(
        None, help=f"A word a line; without it the {COMMONEST} commonest common words."
    ),
    topn: int = typer.Option(10, help="Size of a neighbourhood."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Print how far neighbourhoods agree (Jaccard) and words move after a rotation (1 - cosine)."""
    from embeddings.analysis.alignment import align
    from embeddings.analysis.comparison import compare
    from embeddings.library import load_vectors

    if len(models) < 2:
        raise InputError("compare_models", models=len(models))
    chosen = read_words(words) if words else None
    tables = [load_vectors(model) for model in models]
    found = []
    for first, second in combinations(tables, 2):
        alignment = align(first, second)
        found.append(compare(alignment, chosen or alignment.words[:COMMONEST], topn))
    for one in found:
        if one.missing:
            lacking = ", ".join(one.missing)
            print(f"Not in both {one.first} and {one.second}: {lacking}", file=sys.stderr)
    if as_json:
        told = [_told(one) for one in found]
        several = [
            {"first": one.first, "second": one.second, **value}
            for one, value in zip(found, told, strict=True)
        ]
        emit(several if len(found) > 1 else told[0], True, lambda: "")
        return
    for one in found:
        _print(one)


def read_words(path: Path) -> list[str]:
    """Words of a file, one a line; what follows a tab, and lines that start with #, are passed over."""
    check_file(path, "Name a file with a word a line.")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FormatError("file_unreadable", path=path, reason=f"not UTF-8 ({error})") from error
    words = [line.split("\t")[0].strip() for line in lines if not line.startswith("#")]
    found = [word for word in words if word]
    if not found:
        raise InputError("compare_words", words=path)
    return found


def _told(one: Comparison) -> dict[str, object]:
    """Return a comparison as JSON has it."""
    words = [{"word": w.word, "overlap": w.overlap, "movement": w.movement} for w in one.words]
    return {"overlap": one.overlap, "procrustes_error": one.procrustes_error, "words": words}


def _print(one: Comparison) -> None:
    """Print a line for all, and the words that move most."""
    print(
        f"{one.first} and {one.second}: {counted(one.common, 'word')} in common, overlap {one.overlap:.4f}, "
        f"Procrustes error {one.procrustes_error:.4f}, Spearman {one.spearman:.4f}"
    )
    rows: list[tuple[object, ...]] = [
        (w.word, w.overlap, w.movement, ", ".join(w.shared[:5]))
        for w in sorted(one.words, key=lambda w: -w.movement)[:SHOWN]
    ]
    if len(one.words) > SHOWN:
        print(f"The {SHOWN} of {len(one.words)} words that move most; --json prints all:")
    emit(one, False, lambda: grid("word", "overlap", "movement", "shared neighbours", rows=rows))

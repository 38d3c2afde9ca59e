"""``klyuch words``: ask trained vectors, put them on a map, convert their files."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from embeddings.cli import (  # noqa: F401
    words_change,
    words_compare,
    words_evaluate,
    words_stability,
    words_weat,
    words_why,
)
from embeddings.cli.nouns import FormulaCommand, verb, with_flags
from embeddings.cli.output import counted, emit, grid, progress_bar
from embeddings.errors import InputError
from embeddings.results import Neighbour
from embeddings.static.context_counting import ContextConfig

if TYPE_CHECKING:
    from embeddings.vectors.table import Vectors


@verb("words", "neighbours")
def neighbours_command(
    word: str,
    *,
    model: str,
    topn: int = 10,
    pattern: str = "",
    min_count: int = 0,
    only_letters: bool = False,
    fold: bool = False,
    approximate: bool = False,
    as_json: bool = False,
) -> None:
    """Print the nearest words by cosine; filters apply before the list is cut, and the search with one is exact.

    A fastText model answers for words outside its vocabulary too: a line on standard error says of which n-grams the vector is composed.
    """
    from embeddings.shelf import load_vectors

    vectors = load_vectors(model)
    filters = {
        "pattern": pattern,
        "min_count": min_count,
        "only_letters": only_letters,
        "fold": fold,
    }
    if approximate:
        approximate = _open_index(model, vectors, is_filtered=any(filters.values()))
    nearest = vectors.neighbours(word, topn, approximate=approximate, **filters)
    _note_reading(vectors, word)
    rows = _rows(nearest)
    if fold:
        for row, near in zip(rows, nearest, strict=True):
            row["forms"] = list(near.forms)
    saved = partial(vectors.explore, word, topn, **filters)
    emit(rows, as_json, lambda: _table(nearest, fold), lambda source: saved(source=source))


def _open_index(model: str, vectors: Vectors, *, is_filtered: bool = False) -> bool:
    """Open the index of a model and say its recall on standard error; where none answers, say why, and how to build one."""
    from embeddings.shelf import find, open_index
    from embeddings.shelf.neighbour_indexes import INDEXED_PAST

    entry = find(model)
    report = None if is_filtered else open_index(entry, vectors)
    if is_filtered:
        note = "Exact: with a filter every word is compared."
    elif report:
        share = f"{100 * report.recall:.1f} %"
        note = f"Approximate: of the exact neighbours of {report.sampled} words, the index finds {share}."
    elif len(vectors) <= INDEXED_PAST:
        note = f"Exact: a model of up to {INDEXED_PAST} words needs no index."
    else:
        note = (
            f"Exact: no index matches this model yet. Build one: klyuch models index {entry.name}"
        )
    print(note, file=sys.stderr)
    return report is not None


@verb("words", "parts")
def parts_command(word: str, *, model: str, as_json: bool = False) -> None:
    """Print the n-grams that a word's vector is composed of, and each one's share of it; for fastText models."""
    from embeddings.shelf import load_vectors

    vectors = load_vectors(model)
    parts = vectors.parts(word)
    rows: list[tuple[object, ...]] = [
        (ngram.text, ngram.share, "yes" if ngram.is_known else "no") for ngram in parts.ngrams
    ]
    if not parts.is_composed:
        rows.insert(0, (f"{parts.word} (the word's own row)", parts.word_share, "yes"))
    emit(parts, as_json, lambda: grid("part", "share", "in the model", rows=rows))
    _note_reading(vectors, word)


def _note_reading(vectors: Vectors, *words: str) -> None:
    """Mark the words that are read in another spelling, and those whose vectors are composed, a line each on standard error."""
    for word in words:
        if spelled := vectors.read_as(word):
            print(f"«{word}» is read as «{spelled}» ({vectors.spelling})", file=sys.stderr)
        if vectors.is_composed(word):
            known = [ngram.text for ngram in vectors.parts(word).ngrams if ngram.is_known]
            print(
                f"«{word}» is not in the vocabulary: its vector is composed of "
                f"{counted(len(known), 'n-gram')}: {', '.join(known)}",
                file=sys.stderr,
            )


@verb("words", "analogy", cls=FormulaCommand)
def analogy_command(
    formula: str,
    *,
    model: str,
    method: str = "add",
    topn: int = 10,
    include_inputs: bool = False,
    fold: bool | None = None,
    as_json: bool = False,
) -> None:
    """Print the words nearest to a formula, and below the table each step's."""
    from embeddings.saved_page.questions import analogy_answer
    from embeddings.shelf import load_vectors

    vectors = load_vectors(model)
    answer = vectors.analogy(
        formula, method=method, topn=topn, include_inputs=include_inputs, fold=fold
    )
    emit(
        _rows(answer.answers),
        as_json,
        lambda: _table(answer.answers),
        lambda source: analogy_answer(vectors, answer, source),
    )
    if not as_json:
        for step in answer.steps:
            print(f"{step.expression}: {', '.join(near.word for near in step.neighbours)}")


@verb("words", "similarity")
def similarity_command(first: str, second: str, *, model: str, as_json: bool = False) -> None:
    """Print the cosine of two words."""
    from embeddings.analysis.similarity import similarity
    from embeddings.shelf import load_vectors

    vectors = load_vectors(model)
    value = similarity(vectors, first, second)
    _note_reading(vectors, first, second)
    emit({"similarity": value}, as_json, lambda: f"{value:.4f}")


@verb("words", "odd-one-out")
def odd_command(words: list[str], *, model: str, as_json: bool = False) -> None:
    """Print the word that is least like the others, and each word's mean cosine to the others."""
    from embeddings.analysis.similarity import mean_similarities
    from embeddings.shelf import load_vectors

    ranked = mean_similarities(load_vectors(model), words)
    value = {"word": ranked[-1].word, "similarities": _rows(ranked)}
    emit(value, as_json, lambda: _table(ranked))


@verb("words", "axis")
def axis_command(
    low: str,
    high: str,
    words: list[str] | None = None,
    *,
    model: str,
    topn: int = 10,
    as_json: bool = False,
) -> None:
    """Print where words lie between two others: the cosine with high - low."""
    from embeddings.analysis.similarity import axis
    from embeddings.shelf import load_vectors

    vectors = load_vectors(model)
    positions = axis(vectors, low, high, words or None, topn)
    _note_reading(vectors, low, high)
    rows: list[tuple[object, ...]] = [(p.word, p.position, p.count) for p in positions]
    emit(positions, as_json, lambda: grid("word", "position", "count", rows=rows))


@verb("words", "contexts")
@with_flags(ContextConfig)
def contexts_command(
    corpus: Path, *, model: str, as_json: bool = False, config: ContextConfig
) -> None:
    """Count the contexts of a model's words and keep the strongest in its folder, for `klyuch words why`."""
    from embeddings.corpora.encoded_corpus import EncodedCorpus
    from embeddings.shelf import data, find, load_vectors
    from embeddings.static.context_counting import count_contexts
    from embeddings.vectors.context_table import FILE, save_contexts
    from embeddings.vectors.formats.native_folder import add_extra

    entry = find(model)
    if entry.kind != "static" or not entry.path.is_dir() or entry.path.parent == data() / "models":
        raise InputError("contexts_target", model=entry.name)
    vectors, text = load_vectors(entry.path), EncodedCorpus.open(corpus)
    common = vectors.words[: config.words]
    if tuple(text.vocabulary.words[: len(common)]) != tuple(common):
        raise InputError("contexts_corpus", model=entry.name, path=corpus)
    with progress_bar(quiet=as_json) as report:
        table = count_contexts(text, config, report, lower=vectors.is_lower)
    add_extra(entry.path, lambda folder: save_contexts(table, folder), FILE)
    summary = {
        "file": str(entry.path / FILE),
        "words": len(table),
        "contexts": len(table.columns),
        "bytes": (entry.path / FILE).stat().st_size,
    }
    emit(summary, as_json, lambda: grid("", "", rows=list(summary.items())))


@verb("words", "project")
def project_command(
    words: list[str],
    *,
    model: str,
    dimensions: int = 2,
    method: str = "pca",
    standardize: bool = True,
    seed: int = 1,
    as_json: bool = False,
) -> None:
    """Print coordinates of words on a map, and the share of variance that PCA's components hold."""
    from embeddings.analysis.projection import project
    from embeddings.shelf import load_vectors

    vectors = load_vectors(model)
    projection = project(vectors, words, method, dimensions, standardize=standardize, seed=seed)
    points = list(zip(projection.words, projection.coordinates.tolist(), strict=True))
    value = {
        "points": [{"word": word, "coordinates": point} for word, point in points],
        "explained_variance_ratio": projection.explained_variance_ratio,
    }
    columns = ("word", "x", "y", "z")[: dimensions + 1]
    emit(value, as_json, lambda: grid(*columns, rows=[(word, *at) for word, at in points]))


@verb("words", "ratios")
def ratios_command(
    first: str, second: str, *, probes: str, model: str, as_json: bool = False
) -> None:
    """Print P(k given i), P(k given j), their ratio in the corpus and as the vectors predict it."""
    from embeddings.analysis.cooccurrence_ratios import load_cooccurrence, ratios
    from embeddings.shelf import find

    chosen = [probe.strip() for probe in probes.split(",") if probe.strip()]
    ratio_table = ratios(load_cooccurrence(find(model).path), first, second, chosen)
    columns = ("probe", "p_first", "p_second", "ratio", "predicted_ratio")
    rows: list[tuple[object, ...]] = [
        (row.probe, *(f"{getattr(row, name):.3g}" for name in columns[1:]))
        for row in ratio_table.rows
    ]
    described = [{name: getattr(row, name) for name in columns} for row in ratio_table.rows]
    emit(described, as_json, lambda: grid(*columns, rows=rows))


@verb("words", "convert")
def convert_command(
    source: Path, target: Path, *, format: str | None = None, as_json: bool = False
) -> None:
    """Write vectors in another format."""
    from embeddings.vectors.formats import convert

    written = convert(source, target, format)
    value = {"target": str(target), "words": len(written), "vector_size": written.vector_size}
    emit(value, as_json, lambda: ", ".join(f"{key} {item}" for key, item in value.items()))


def _rows(neighbours: tuple[Neighbour, ...]) -> list[dict[str, object]]:
    """Return neighbours as the command line prints them."""
    return [{"word": n.word, "similarity": n.similarity, "count": n.count} for n in neighbours]


def _table(neighbours: tuple[Neighbour, ...], forms: bool = False) -> Table:
    """Draw neighbours, with the forms folded into them if asked."""
    if not forms:
        return grid(
            "word",
            "similarity",
            "count",
            rows=[(n.word, n.similarity, n.count) for n in neighbours],
        )
    rows: list[tuple[object, ...]] = [
        (n.word, n.similarity, n.count, ", ".join(n.forms)) for n in neighbours
    ]
    return grid("word", "similarity", "count", "forms", rows=rows)

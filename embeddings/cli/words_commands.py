"""``klyuch words``: ask trained vectors, compare and score models, put words on a map, convert files."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from embeddings.cli.nouns import FormulaCommand, read_words, verb, with_flags
from embeddings.cli.output import counted, deviation_text, emit, grid, progress_bar
from embeddings.errors import InputError
from embeddings.results import AnalogyScore, Neighbour
from embeddings.results.display import plain
from embeddings.results.sentence_answers import OTHER, TRAINED, UNKNOWN
from embeddings.results.vector_answers import (
    AssociationTest,
    Comparison,
    CoveredSet,
    PermutationP,
    RunRange,
    SharedContexts,
)
from embeddings.shelf import Entry, find
from embeddings.shelf.loading import text_of_concordance
from embeddings.shelf.locations import (
    find_concordance,
    sample_concordance,
    sample_name,
)
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


NOTES = {  # on sentences
    TRAINED: "Sentences: {corpus}, text that {model} was trained on.",
    OTHER: "Sentences: {corpus}, another text than that of {model}.",
    UNKNOWN: "Sentences: {corpus}; whether {model} was trained on them is not recorded.",
}


@verb("words", "why")
def why_command(
    first: str,
    second: str,
    *,
    model: str,
    topn: int = 15,
    corpus: str = "",
    sentences: int = 3,
    as_json: bool = False,
) -> None:
    """Print the contexts that make two words near, and what each adds to the cosine of their PPMI rows."""
    from embeddings.analysis.shared_contexts import shared_contexts
    from embeddings.shelf import load_vectors, open_contexts

    entry = find(model)
    vectors = load_vectors(entry.path)
    answer = shared_contexts(open_contexts(entry), first, second, topn, vectors)
    source, lines = _sentences(entry, answer, corpus, sentences)
    value = {
        name: getattr(answer, name)
        for name in ("cosine", "ppmi_cosine", "first_order", "shared", "others")
    }
    value |= {
        "others_contribution": answer.others_contribution,
        "kept": answer.kept,
        "window": answer.window,
        "sentences_from": source,
        "sentences": lines,
    }
    emit(value, as_json, lambda: _why_table(answer))
    for line in () if as_json else lines:
        print(f"{', '.join(filter(None, (line['word'], line['context'])))}: {line['text']}")
    if lines and not as_json:
        print(NOTES[source["text"]].format(**source), file=sys.stderr)


def _sentences(
    entry: Entry, answer: SharedContexts, corpus: str, limit: int
) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Return whose sentences they are, and some of each word near a shared context, the strongest first."""
    name = corpus or sample_name(entry.language)
    if not limit or not (corpus or sample_concordance(name)):
        return {}, []
    from embeddings.analysis.shared_contexts import context_sentences
    from embeddings.corpora.concordance import Concordance

    concordance = Concordance.open(find_concordance(name))
    source = {
        "corpus": name,
        "model": entry.name,
        "text": text_of_concordance(entry, concordance),
    }
    described = []
    for word in (answer.first, answer.second):
        for sentence in context_sentences(concordance, answer, word, limit, entry.language):
            about = {"word": word, "context": sentence.context}
            described.append({**about, **plain(sentence.line)})
    return source, described


def _why_table(answer: SharedContexts) -> Table:
    """Return the shared contexts, with what they add up to and how the two words stand together below."""
    rows: list[tuple[object, ...]] = [
        (shared.context, f"{shared.contribution:.4f}", shared.count_first, shared.count_second)
        for shared in answer.shared
    ]
    if answer.others:
        rows.append((counted(answer.others, "other"), f"{answer.others_contribution:.4f}", "", ""))
    table = grid("context", "contribution", answer.first, answer.second, rows=rows)
    together = answer.first_order
    table.caption = (
        f"cosine of the vectors {answer.cosine:.4f}, of the contexts {answer.ppmi_cosine:.4f} "
        f"(kept: {answer.kept[0]:.0%} and {answer.kept[1]:.0%} of the rows' squared length); "
        f"together within {counted(answer.window, 'word')} {counted(together.count, 'time')}, by chance {together.expected:.1f}"
    )
    return table


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
    emit(_described(answer, span), as_json, lambda: grid("", "", rows=_words_rows(answer, span)))


def _described(answer: AssociationTest, span: RunRange | None) -> dict[str, object]:
    """Return a test as JSON has it."""
    sets = [{**plain(covered), "coverage": _coverage(covered)} for covered in answer.sets]
    runs = None if span is None else plain(span)
    return {**plain(answer), "effect_size_in_runs": runs, "sets": sets}


def _coverage(covered: CoveredSet) -> float:
    """Share of a set's words that have vectors."""
    return len(covered.words) / (len(covered.words) + len(covered.missing))


def _words_rows(answer: AssociationTest, span: RunRange | None) -> list[tuple[object, ...]]:
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
        described = [_words_described(comparison) for comparison in comparisons]
        several = [
            {"first": comparison.first, "second": comparison.second, **value}
            for comparison, value in zip(comparisons, described, strict=True)
        ]
        emit(several if len(comparisons) > 1 else described[0], True, lambda: "")
        return
    for comparison in comparisons:
        _print(comparison)


def _words_described(comparison: Comparison) -> dict[str, object]:
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

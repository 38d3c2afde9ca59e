"""``klyuch words``: ask trained vectors, compare and score models, put words on a map, convert files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings import shelf
from embeddings.analysis.comparison_answers import RunRange
from embeddings.analysis.vector_answers import Neighbour, SharedContexts
from embeddings.cli.nouns import FormulaVerb, read_words, verb
from embeddings.cli.output import (
    columns_of,
    counted,
    deviation_text,
    emit,
    listed,
    note,
    progress_bar,
    rows_of,
)
from embeddings.errors import InputError
from embeddings.results import plain
from embeddings.shelf.locations import sample_concordance, sample_name
from embeddings.static.context_counting import ContextConfig

if TYPE_CHECKING:
    from embeddings.analysis.similarity import Filters
    from embeddings.vectors.table import Vectors

NEIGHBOUR = ("word", "similarity", "count")


@verb("words", "neighbours")
def neighbours_command(
    word: str,
    *,
    model: str,
    topn: int = 10,
    pattern: str = "",
    min_count: int = 0,
    only_letters: bool = False,
    fold: bool | None = None,
) -> None:
    """Print the nearest words by cosine; filters apply before the list is cut.

    A fastText model answers for words outside its vocabulary too: a line on standard error says of which n-grams the vector is composed.
    """
    vectors = shelf.load_vectors(model)
    filters: Filters = {
        "pattern": pattern,
        "min_count": min_count,
        "only_letters": only_letters,
        "fold": fold,
    }
    nearest = vectors.neighbours(word, topn, **filters)
    _note_reading(vectors, word)
    emit(
        _near(nearest),
        page=lambda source: vectors.explore(word, topn, source=source, **filters),
    )


def _near(neighbours: Collection[Neighbour]) -> list[dict[str, Any]]:
    """Return words near something, with a column of forms where forms of one word are merged."""
    has_forms = any(near.forms for near in neighbours)
    return rows_of(neighbours, *NEIGHBOUR, *(["forms"] if has_forms else []))


@verb("words", "parts")
def parts_command(word: str, *, model: str) -> None:
    """Print the n-grams that a word's vector is composed of, and each one's share of it; for fastText models."""
    vectors = shelf.load_vectors(model)
    emit(vectors.parts(word))
    _note_reading(vectors, word)


def _note_reading(vectors: Vectors, *words: str) -> None:
    """Mark the words that are read in another spelling, and those whose vectors are composed, a line each on standard error."""
    for word in words:
        if spelled := vectors.read_as(word):
            note(f"“{word}” is read as “{spelled}” ({vectors.spelling})")
        if vectors.is_composed(word):
            known = [ngram.text for ngram in vectors.parts(word).ngrams if ngram.is_known]
            note(
                f"“{word}” is not in the vocabulary: its vector is composed of "
                f"{counted(len(known), 'n-gram')}: {', '.join(known)}"
            )


@verb("words", "analogy", cls=FormulaVerb)
def analogy_command(
    formula: str,
    *,
    model: str,
    method: str = "add",
    topn: int = 10,
    include_inputs: bool = False,
    fold: bool | None = None,
    steps: bool = False,
) -> None:
    """Print the words nearest to a formula, and below the table each step's; as JSON the steps alone if they are asked for."""
    from embeddings.saved_page.questions import analogy_answer

    vectors = shelf.load_vectors(model)
    answer = vectors.analogy(
        formula, method=method, topn=topn, include_inputs=include_inputs, fold=fold
    )
    listed_steps = (
        f"{step.expression}: {', '.join(near.word for near in step.neighbours)}"
        for step in answer.steps
    )
    nearest = _near(answer.answers)
    value = answer.steps if steps else nearest
    emit(value, nearest, *listed_steps, page=lambda source: analogy_answer(vectors, answer, source))


@verb("words", "similarity")
def similarity_command(first: str, second: str, *, model: str) -> None:
    """Print the cosine of two words."""
    vectors = shelf.load_vectors(model)
    value = vectors.similarity(first, second)
    _note_reading(vectors, first, second)
    emit({"similarity": value}, f"{value:.4f}")


@verb("words", "odd-one-out")
def odd_command(words: list[str], *, model: str) -> None:
    """Print the word that is least like the others, and each word's mean cosine to the others."""
    ranked = shelf.load_vectors(model).mean_similarities(words)
    similarities = rows_of(ranked, *NEIGHBOUR)
    emit({"word": ranked[-1].word, "similarities": similarities}, similarities)


@verb("words", "matrix")
def matrix_command(words: list[str], *, model: str) -> None:
    """Print the cosine of each word with each."""
    emit(shelf.load_vectors(model).similarity_matrix(words))


@verb("words", "reliability")
def reliability_command(asked: str, *, model: str, topn: int = 10) -> None:
    """Print how the neighbours of a word, or the answers to a formula, vary over several trainings (klyuch words stability)."""
    vectors = shelf.load_vectors(model)
    if vectors.has_vector(asked):
        near = [neighbour.word for neighbour in vectors.neighbours(asked, topn)]
        emit(vectors.reliability(asked, near))
    else:
        emit(vectors.reliability(vectors.analogy(asked, topn=topn)))


@verb("words", "axis")
def axis_command(
    low: str, high: str, words: list[str] | None = None, *, model: str, topn: int = 10
) -> None:
    """Print where words lie between two others: the cosine with high - low."""
    vectors = shelf.load_vectors(model)
    positions = vectors.axis(low, high, words or None, topn)
    _note_reading(vectors, low, high)
    emit(positions)


@verb("words", "contexts")
def contexts_command(corpus: Path, *, model: str, config: ContextConfig) -> None:
    """Count the contexts of a model's words and keep the strongest in its folder, for `klyuch words why`."""
    from embeddings.corpora.encoded_corpus import EncodedCorpus
    from embeddings.static.context_counting import count_contexts
    from embeddings.vectors.context_table import CONTEXTS_FILE, save_contexts
    from embeddings.vectors.formats.native_folder import add_extra

    entry = shelf.find(model)
    if (
        entry.kind != "static"
        or not entry.path.is_dir()
        or entry.path.parent == shelf.data() / "models"
    ):
        raise InputError("contexts_target", model=entry.name)
    vectors, text = shelf.load_vectors(entry.path), EncodedCorpus.open(corpus)
    common = vectors.words[: config.words]
    if tuple(text.vocabulary.words[: len(common)]) != tuple(common):
        raise InputError("contexts_corpus", model=entry.name, path=corpus)
    with progress_bar() as report:
        table = count_contexts(text, config, report, lower=vectors.is_lower)
    add_extra(entry.path, lambda folder: save_contexts(table, folder), CONTEXTS_FILE)
    path = entry.path / CONTEXTS_FILE
    sizes = {"words": len(table), "contexts": len(table.columns), "bytes": path.stat().st_size}
    emit({"file": str(path), **sizes})


@verb("words", "project")
def project_command(
    words: list[str],
    *,
    model: str,
    dimensions: int = 2,
    method: str = "pca",
    standardize: bool = True,
    seed: int = 1,
) -> None:
    """Print coordinates of words on a map, and the share of variance that PCA's components hold."""
    vectors = shelf.load_vectors(model)
    projection = vectors.map(words, method, dimensions, standardize=standardize, seed=seed)
    points = zip(projection.words, projection.coordinates.tolist(), strict=True)
    shares = projection.explained_variance_ratio
    value = [{"word": word, "coordinates": place} for word, place in points]
    emit({"points": value, "explained_variance_ratio": shares}, projection)


@verb("words", "ratios")
def ratios_command(first: str, second: str, *, probes: str, model: str) -> None:
    """Print P(k given i), P(k given j), their ratio in the corpus and as the vectors predict it."""
    chosen = [probe.strip() for probe in probes.split(",") if probe.strip()]
    emit(shelf.load_vectors(model).ratios(first, second, chosen).rows)


@verb("words", "convert")
def convert_command(source: Path, target: Path, *, format: str | None = None) -> None:
    """Write vectors in another format."""
    from embeddings.vectors.formats import convert

    written = convert(source, target, format)
    emit({"target": str(target), "words": len(written), "vector_size": written.vector_size})


@verb("words", "why")
def why_command(
    first: str, second: str, *, model: str, topn: int = 15, corpus: str = "", sentences: int = 3
) -> None:
    """Print the contexts that make two words near, what each adds to the cosine of their PPMI rows, and sentences with them."""
    vectors = shelf.load_vectors(model)
    answer = vectors.why_near(first, second, topn)
    name = corpus or sample_name(vectors.language)
    is_there = bool(corpus) or sample_concordance(name) is not None
    lines = _sentences(answer, name, sentences, vectors.language) if sentences and is_there else []
    shown = (
        f"{', '.join(filter(None, (line['word'], line['context'])))}: {line['text']}"
        for line in lines
    )
    value = {**plain(answer), "sentences_from": name if lines else "", "sentences": lines}
    emit(value, answer, *shown)


def _sentences(
    answer: SharedContexts, corpus: str, limit: int, language: str
) -> list[dict[str, str]]:
    """Return some sentences of each word near a shared context, the strongest context first."""
    from embeddings.analysis.shared_contexts import context_sentences

    concordance = shelf.open_concordance(corpus)
    return [
        {"word": word, "context": sentence.context, **plain(sentence.line)}
        for word in (answer.first, answer.second)
        for sentence in context_sentences(concordance, answer, word, limit, language)
    ]


@verb("words", "weat")
def weat_command(test: str, *, model: str, draws: int = 100000, seed: int = 1) -> None:
    """Print whether one set of words is nearer than another to pleasant words, say: effect size and p values (WEAT).

    For a model with several trainings (klyuch words stability) the effect size has a range.
    """
    vectors = shelf.load_vectors(model)
    answer = vectors.association(test, draws, seed)
    spread = shelf.open_spread(shelf.find(model))
    span = vectors.effect_size_range(answer, spread=spread) if spread is not None else None
    sets = [
        {**plain(asked), "coverage": len(asked.words) / len((*asked.words, *asked.missing))}
        for asked in answer.sets
    ]
    value = {**plain(answer), "effect_size_in_runs": span, "sets": sets}
    table = columns_of(answer.sets, "title", "words in the model=words", "missing")
    spread_text = f"d in {span.runs} trainings: {deviation_text(span)}" if span else ""
    emit(value, answer.title(), *filter(None, [spread_text]), table)


RESTRICT_VOCAB = 30_000  # as `evaluate_analogies` has it, by which trainings are scored


@verb("words", "evaluate")
def evaluate_command(
    *, model: str, analogies: list[Path], pairs: list[Path], restrict_vocab: int = RESTRICT_VOCAB
) -> None:
    """Print accuracy on analogies and Spearman's correlation on pairs, with coverage."""
    from embeddings.analysis.evaluation import combine, evaluate_analogies, evaluate_pairs

    if not analogies and not pairs:
        raise InputError("evaluation_nothing")
    vectors = shelf.load_vectors(model)
    answers = [evaluate_analogies(vectors, path, restrict_vocab) for path in analogies]
    score = combine(answers)
    scores = [evaluate_pairs(vectors, path) for path in pairs]
    sizes = {(p.file, "spearman"): p.total for p in scores}
    if restrict_vocab == RESTRICT_VOCAB:  # as the trainings were scored
        asked = zip(analogies, answers, strict=True)
        sizes |= {(path.name, "accuracy"): answer.total for path, answer in asked}
    trainings = _trainings(model, sizes)
    sections = [
        {**plain(part), "accuracy": part.correct / part.covered if part.covered else None}
        for part in score.sections
    ]
    value: dict[str, Any] = {"analogies": {**plain(score), "sections": sections}}
    spans = {f"{name}, mean ± SD": deviation_text(span) for name, span in trainings.items()}
    value |= {"pairs": scores, "trainings": trainings}
    emit(value, score if analogies else (), tuple(scores), spans)


def _trainings(model: str, sizes: Mapping[tuple[str, str], int]) -> dict[str, RunRange]:
    """Return how several trainings of a model score on sets of these names, measures and sizes, where `klyuch words stability` says so."""
    folder = shelf.find_spread(shelf.find(model))
    ranges = {} if folder is None else shelf.score_ranges(folder)
    return {
        name: ranges[name].span
        for (name, measure), total in sizes.items()
        if name in ranges and (ranges[name].measure, ranges[name].total) == (measure, total)
    }


@verb("words", "compare")
def compare_command(models: list[str], *, words: Path | None = None, topn: int = 10) -> None:
    """Print how far neighbourhoods agree (Jaccard), and the shift of words after a rotation (1 - cosine)."""
    if len(models) < 2:
        raise InputError("compare_models", models=len(models))
    chosen = read_words(words) if words else ()
    tables = [shelf.load_vectors(model) for model in models]
    comparisons = [one.compare(other, chosen, topn) for one, other in combinations(tables, 2)]
    for comparison in comparisons:
        both = f"{comparison.first} and {comparison.second}"
        note(listed(f"Not in both {both}", comparison.missing))
    furthest = [sorted(one.words, key=lambda word: -word.movement) for one in comparisons]
    shown = [
        replace(one, words=tuple(words)) for one, words in zip(comparisons, furthest, strict=True)
    ]
    emit(comparisons if len(models) > 2 else comparisons[0], *shown)


@verb("words", "differ")
def differ_command(first: str, second: str, *, topn: int = 10) -> None:
    """Print which common words of two models have the largest shift after a rotation, with their neighbours in either."""
    emit(shelf.load_vectors(first).most_different(shelf.load_vectors(second), topn=topn))


@verb("words", "joint-map")
def joint_map_command(first: str, second: str, words: list[str]) -> None:
    """Print where words lie in both of two models on one map, the first model rotated onto the second."""
    emit(shelf.load_vectors(first).joint_map(shelf.load_vectors(second), words))

"""``klyuch words change``, ``whatif`` and ``stability``: which words move between corpora, without documents, by retraining."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from embeddings.analysis.comparison_answers import LEVEL, MIN_RUNS, ChangeReport, RunRange
from embeddings.cli.nouns import read_words, verb
from embeddings.cli.output import (
    columns_of,
    command_line,
    counted,
    deviation_text,
    emit,
    grid,
    note,
    progress_bar,
    some_fields,
)
from embeddings.configuration import from_json, to_json
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.errors import InputError
from embeddings.files import check_replaceable
from embeddings.method_registry import CBOW, SKIPGRAM
from embeddings.model_card import CARD
from embeddings.results import Value, plain
from embeddings.shelf import find, load_vectors, read_card
from embeddings.shelf.change_reports import MOST_KEPT
from embeddings.shelf.loading import spread_path
from embeddings.static.settings import ComparisonConfig, SpreadConfig, Word2VecConfig
from embeddings.text_comparison import compare_texts, how_made, leave_out
from embeddings.vectors.run_spread import SPREAD_FILE, save_spread

MAX_LISTED_CHANGES = 20  # lines of the table for people


class ReportOptions(Value):
    """What both kinds of reports take; settings that are None suit the size of the texts."""

    output: str = ""
    kept: int = MOST_KEPT
    language: str = ""
    min_count: int | None = None
    vector_size: int | None = None
    epochs: int | None = None
    least: int | None = None


@verb("words", "change")
def change_command(
    first: Path,
    second: Path | None = None,
    *,
    at: int | None = None,
    date_column: str = "date",
    text_column: str = "text",
    options: ReportOptions,
    config: Annotated[Word2VecConfig, "vector_size", "epochs"],
    comparison: Annotated[ComparisonConfig, "least"],
) -> None:
    """Print which words changed between two corpora: shift after a rotation, neighbours lost and gained, p values.

    The null: documents are shuffled between the two, and both are trained again. Each shift is printed next to that of retraining alone.
    """
    asked: dict[str, Any] = {"at": at, "date_column": date_column, "text_column": text_column}
    asked |= to_json(config) | to_json(comparison) | to_json(options)
    with progress_bar() as report:
        answer = compare_texts(first, second, report=report, command=command_line(), **asked)
    if answer.undated:
        note(f"Left out, without a year or a text: {counted(answer.undated, 'row')}")
    _show(answer)


@verb("words", "whatif")
def whatif_command(
    corpus: Path,
    *,
    without: str = "",
    without_word: str = "",
    swap: Path | None = None,
    options: ReportOptions,
    config: Annotated[Word2VecConfig, "vector_size", "epochs"],
    comparison: Annotated[ComparisonConfig, "permutations", "least"],
) -> None:
    """Print which words shift when documents, or the lines of a word, are left out or replaced and the model is trained again.

    The null is another seed on the whole corpus; its shift is next to each word's.
    """
    asked: dict[str, Any] = {"without": without, "without_word": without_word, "swap": swap or ""}
    asked |= to_json(config) | to_json(comparison) | to_json(options)
    with progress_bar() as report:
        answer = leave_out(corpus, report=report, command=command_line(), **asked)
    _show(answer)


def _show(answer: ChangeReport) -> None:
    """Print a report."""
    changed = answer.changed()
    null = "shuffled documents" if answer.kind == "change" else "another seed"
    movement, retraining = np.mean([(w.movement, w.retraining) for w in answer.words], axis=0)
    lines = [
        f"{len(changed)} of {counted(len(answer.words), 'word')} past the null of {null} (false discovery rate {LEVEL}); "
        f"mean movement {movement:.3f}, by retraining {retraining:.3f}"
    ]
    sides = f"in {answer.first}", f"in {answer.second}"
    if answer.kind == "whatif":  # whose second name is that of what was left out
        sides = f"in {answer.first} without the change", "with the change"
    for side, words in zip(sides, answer.alone or (), strict=False):
        if words:
            lines.append(f"Only {side}, and so not compared: {', '.join(words)}")
    value = {**how_made(command_line()), **plain(answer), "changed": len(changed)}
    columns = (
        "word",
        "movement:.3f",
        "by retraining=retraining:.3f",
        "q:.3g",
        "lost:4",
        "gained:4",
    )
    emit(value, columns_of(changed[:MAX_LISTED_CHANGES], *columns), *lines)


@verb("words", "stability")
def stability_command(
    corpus: list[Path],
    *,
    output: str = "",
    like: str = "",
    keep: Path | None = None,
    analogies: list[Path],
    pairs: list[Path],
    min_count: int = 5,
    config: Word2VecConfig,
    spread: SpreadConfig,
) -> None:
    """Train skip-gram or CBOW several times, and keep how far neighbours, cosines and ranks of common words move.

    Each run has another seed and draws documents with replacement, unless --resample none is given. Explore shows the
    result with the model of the same name.
    """
    from embeddings.analysis.evaluation import read_analogies, read_word_pairs
    from embeddings.analysis.stability import reliable_orders, score_runs
    from embeddings.cli.static_training import removed_on_refusal
    from embeddings.static.retraining import measure_spread, trained_runs
    from embeddings.training.recipes import open_text

    if not output and not like:
        raise InputError("stability_output")
    folder = spread_path(output or find(like).name)
    check_replaceable(folder, SPREAD_FILE, (SPREAD_FILE, CARD))
    words = read_words(keep) if keep else []
    names = [path.name for path in (*analogies, *pairs)]
    for name in names:
        if names.count(name) > 1:
            raise InputError("stability_sets", name=name)
    for path in analogies:
        read_analogies(path)  # what cannot be read is refused before the trainings
    for path in pairs:
        read_word_pairs(path)
    run = folder.with_name(folder.name + ".run")
    with removed_on_refusal(run), progress_bar() as report:
        text = open_text(corpus, run / "corpus", EncodingConfig(min_count=min_count), report)
        if like:
            config = replace(settings_of(like, text, corpus[0]), workers=config.workers)
        tables = trained_runs(text, config, spread, run, report)
        lower = text.config.lower
        vocabulary = text.vocabulary.words
        runs, summary = measure_spread(tables, vocabulary, spread, words, lower=lower)
        scores = score_runs(tables, vocabulary, analogies, pairs, lower=lower)
    del tables
    about = {
        "name": text.folder.name if text.folder else "",
        "words": len(text.ids),
        "vocabulary": len(text.vocabulary),
        "documents": len(text.document_bounds) - 1,
    }
    card = {
        "name": folder.name,
        "kind": "spread",
        "corpus": about,
        "settings": to_json(config),
        "spread": to_json(spread),
        "summary": to_json(summary) if runs.runs > 1 else None,
        "scores": plain(scores),
        **how_made(command_line()),
    }
    save_spread(runs, folder, card)
    shutil.rmtree(run, ignore_errors=True)
    answer = {
        "folder": str(folder),
        "runs": runs.runs,
        "resample": spread.resample,
        "words": len(runs.neighbours),
        **some_fields(summary, "deviation", "rank_range", "overlap"),
        "reliable_orders": reliable_orders(runs),
        "bytes": sum(file.stat().st_size for file in folder.iterdir()),
    }
    ranges = {name: RunRange.of([*score.values]) for name, score in scores.items()}
    spans = {f"{name}, mean ± SD": deviation_text(span) for name, span in ranges.items()}
    emit({**answer, "scores": ranges}, grid("", "", rows={**answer, **spans}.items()))
    if runs.runs < MIN_RUNS:
        note(
            f"One run has no spread, and fewer than {MIN_RUNS} runs have no reliable orders: "
            f"take --runs {MIN_RUNS}."
        )


def settings_of(model: str, text: EncodedCorpus, path: Path) -> Word2VecConfig:
    """Return the settings of a skip-gram or CBOW model whose corpus this is.

    Raises
    ------
    InputError
        If it is of another method, or if its words and counts are not those of the corpus.
    """
    entry = find(model)
    if entry.method not in (SKIPGRAM, CBOW):
        raise InputError("stability_model", model=entry.name, method=entry.method or "–")
    vectors = load_vectors(entry.path)
    same = vectors.words == text.vocabulary.words[: len(vectors)]
    counts = text.vocabulary.counts[: len(vectors)].tolist()
    if not same or (vectors.counts is not None and vectors.counts.tolist() != counts):
        raise InputError("contexts_corpus", model=entry.name, path=path)
    settings = read_card(entry).get("settings")
    return from_json(Word2VecConfig, settings if isinstance(settings, dict) else {}, entry.path)

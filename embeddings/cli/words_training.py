"""``klyuch words change``, ``whatif`` and ``stability``: which words move between corpora, without documents, by retraining."""

from __future__ import annotations

import math
import re
import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from embeddings import __version__
from embeddings.analysis.vector_answers import LEVEL, ChangeReport, RunRange
from embeddings.cli.nouns import read_words, verb, with_flags
from embeddings.cli.output import (
    columns_of,
    command_line,
    counted,
    deviation_text,
    emit,
    grid,
    note,
    progress_bar,
)
from embeddings.configuration import from_json, to_json
from embeddings.corpora.dated_texts import dated_table, write_periods
from embeddings.corpora.document_selection import (
    document_numbers,
    joined,
    with_documents,
    with_words,
    without_sentences,
)
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig, encode
from embeddings.corpora.text_files import is_encoded_corpus, text_files
from embeddings.errors import InputError
from embeddings.files import CARD, check_replaceable
from embeddings.results import Progress, Report, plain
from embeddings.shelf import find, load_vectors, read_card
from embeddings.shelf.change_reports import MOST_ALONE, MOST_KEPT, report_path, save_report
from embeddings.shelf.loading import spread_path
from embeddings.static.settings import ComparisonConfig, SpreadConfig, Word2VecConfig
from embeddings.vectors.formats.card import current_commit, machine
from embeddings.vectors.run_spread import FILE, save_spread

if TYPE_CHECKING:
    from embeddings.analysis.model_comparison import Trials
    from embeddings.static.retraining import Tables, TwoSides

SHOWN = 20  # lines of the table for people

KEPT = typer.Option(
    MOST_KEPT,
    min=1,
    max=MOST_KEPT,
    help="With --output: number of words in the report, the most significant.",
)

SOURCE = "Text, a folder of texts, or a folder that `klyuch corpus encode` wrote."


@verb("words", "change")
@with_flags(ComparisonConfig, name="comparison")
@with_flags(Word2VecConfig)
def change_command(
    first: Path = typer.Argument(..., help=SOURCE),
    second: Path | None = None,
    *,
    at: int | None = None,
    dates: Path | None = None,
    date_column: str = "date",
    text_column: str = "text",
    documents_column: str = "documents",
    output: str = "",
    kept: int = KEPT,
    language: str = "",
    min_count: int = 5,
    config: Word2VecConfig,
    comparison: ComparisonConfig,
) -> None:
    """Print which words changed between two corpora: shift after a rotation, neighbours lost and gained, p values.

    The null: documents are shuffled between the two, and both are trained again. Each shift is printed next to that of retraining alone.
    """
    from embeddings.analysis.model_comparison import Trials, movements
    from embeddings.static.retraining import shuffled_trainings, train_sides

    if dates is not None and (second is not None or at is None):
        raise InputError("change_tables")
    if (second is None) == (at is None):
        raise InputError("change_second")
    with tempfile.TemporaryDirectory() as folder, progress_bar() as report:
        sources = [first, second] if second else []
        if at is not None:
            content = text_column if dates is None else documents_column
            sources = _divided(first, dates, at, (date_column, content), Path(folder))
        texts = [
            _opened(source, Path(folder) / str(number), min_count, report)
            for number, source in enumerate(sources)
        ]
        documents = [len(text.document_bounds) - 1 for text in texts]
        if min(documents) < 2:
            raise InputError("change_documents", first=documents[0], second=documents[1])
        sides = _two_sides(texts[0], texts[1], comparison)
        trainings = 1 + comparison.retrainings + comparison.permutations
        overall = as_one(report, config.epochs, trainings * sum(sides.tokens))
        tables = train_sides(sides, config, overall)
        retraining = _seed_movements(sides, tables, config, comparison, overall)
        shuffles = shuffled_trainings(sides, config, comparison.permutations, overall)
        null = np.stack([movements(*shuffled) for shuffled in shuffles])
        trials = Trials(null, retraining.mean(axis=0))
    names = side_names(first, second or first)
    if at is not None:
        names = f"{names[0]} < {at}", f"{names[0]} ≥ {at}"
    answer = _report("change", names, sides, tables, trials, (config, comparison))
    _finish(answer, output, kept, language)


@verb("words", "whatif")
@with_flags(ComparisonConfig, skip=("permutations",), name="comparison")
@with_flags(Word2VecConfig)
def whatif_command(
    corpus: Path = typer.Argument(..., help=SOURCE),
    *,
    without: str = "",
    without_word: str = "",
    swap: Path | None = None,
    output: str = "",
    kept: int = KEPT,
    language: str = "",
    min_count: int = 5,
    config: Word2VecConfig,
    comparison: ComparisonConfig,
) -> None:
    """Print which words shift when documents, or the lines of a word, are left out or replaced and the model is trained again.

    The null is another seed on the whole corpus; its shift is next to each word's.
    """
    from embeddings.analysis.model_comparison import Trials
    from embeddings.static.retraining import train_sides

    if not without and not without_word:
        raise InputError("whatif_nothing")
    with tempfile.TemporaryDirectory() as folder, progress_bar() as report:
        text = _opened(corpus, Path(folder) / "whole", min_count, report)
        changed = text
        if without:
            documents = len(text.document_bounds) - 1
            left_out = document_numbers(without, documents)
            changed = with_documents(text, np.setdiff1d(np.arange(documents), left_out))
        if without_word:
            changed = without_sentences(changed, without_word)
        if swap is not None:
            other = _opened(swap, Path(folder) / "other", 1, report, like=text)
            changed, _ = joined(changed, _without_rare_words(other, text))
        sides = _two_sides(text, changed, comparison)
        tokens = sum(sides.tokens) + comparison.retrainings * sides.tokens[0]
        overall = as_one(report, config.epochs, tokens)
        tables = train_sides(sides, config, overall)
        null = _seed_movements(sides, tables, config, comparison, overall, both=False)
    parts = [without, f"“{without_word}”" if without_word else ""]
    name = ", ".join(filter(None, parts)) + (f" → {_without_suffix(swap)}" if swap else "")
    names = _without_suffix(corpus), name
    trials = Trials(null, null.mean(axis=0))
    answer = _report("whatif", names, sides, tables, trials, (config, comparison))
    _finish(answer, output, kept, language)


def side_names(first: Path, second: Path) -> tuple[str, str]:
    """Return what two texts are called in a report: by their names without suffixes, by more of their paths where those are the same.

    Examples
    --------
    >>> side_names(Path("novels/old.txt.gz"), Path("novels/new.txt"))
    ('old', 'new')
    >>> side_names(Path("1900/news.txt"), Path("1950/news.txt"))
    ('1900/news', '1950/news')
    """
    paths = first.resolve(), second.resolve()
    for depth in range(1, max(len(path.parts) for path in paths)):
        one, other = ("/".join([*path.parts[-depth:-1], _without_suffix(path)]) for path in paths)
        if one != other or paths[0] == paths[1]:
            return one, other
    return paths[0].name, paths[1].name


def _without_suffix(path: Path) -> str:
    """Return the name of a text; that of a folder may have dots."""
    path = path.resolve()
    return path.name if path.is_dir() else re.sub(r"(\.(txt|csv|tsv|gz|xz))+$", "", path.name)


def _divided(
    first: Path, dates: Path | None, year: int, columns: tuple[str, str], folder: Path
) -> list[Path]:
    """Write the two parts of a table, or of a text that a table dates, as texts, and name them."""
    paths = folder / "before.txt", folder / "after.txt"
    files = text_files([first]) if dates is not None else ()
    undated = write_periods(dated_table(dates or first), year, columns, paths, files)
    if undated:
        noun = "row" if dates is None else "document"
        note(f"Left out, without a year or a text: {counted(undated, noun)}")
    return list(paths)


def as_one(report: Report, epochs: int, words: int) -> Report:
    """Return what takes the reports of several trainings and passes them on as those of one.

    Parameters
    ----------
    report : callable
        What is called.
    epochs, words : int
        Epochs of each training, and words of text of all of them together.
    """
    begun, total = time.perf_counter(), epochs * words
    ended = 0

    def add(at: Progress) -> None:
        nonlocal ended
        passed = (at.epoch - 1) * at.total + at.done
        done = min(ended + passed, total)
        if passed == epochs * at.total:  # this training has ended
            ended += passed
        rate = done / max(time.perf_counter() - begun, 1e-9)
        left = (total - done) / max(rate, 1e-9)
        report(Progress("compare", 0, done, total, math.nan, rate, left))

    return add


def _opened(
    source: Path, folder: Path, min_count: int, report: Report, like: EncodedCorpus | None = None
) -> EncodedCorpus:
    """Open a folder of ids, or encode text into a temporary one, in the letters and lemmas of another corpus if one is given."""
    if is_encoded_corpus(source):
        return EncodedCorpus.open(source)
    config = EncodingConfig(min_count=min_count)
    if like is not None:
        config = replace(like.config, min_count=min_count, max_words=0)
    return encode([source], folder, config, report)


def _without_rare_words(other: EncodedCorpus, corpus: EncodedCorpus) -> EncodedCorpus:
    """Return a text without the words that the corpus lacks and that it has less often itself than the corpus's minimum count.

    The text is short where a few documents are swapped: a minimum count of its own would leave little of it.
    """
    known = [word in corpus.vocabulary for word in other.vocabulary.words]
    return with_words(other, np.array(known) | (other.vocabulary.counts >= corpus.config.min_count))


def _two_sides(
    first: EncodedCorpus, second: EncodedCorpus, comparison: ComparisonConfig
) -> TwoSides:
    """Return two corpora as sides of one.

    Raises
    ------
    InputError
        If no word is common enough.
    """
    from embeddings.static.retraining import TwoSides, measured_words

    corpus, documents = joined(first, second)
    numbers = np.arange(len(corpus.document_bounds) - 1)
    parts = numbers[:documents], numbers[documents:]
    words = measured_words(corpus, parts, comparison.least, comparison.words)
    return TwoSides(corpus, *parts, words)


def _seed_movements(
    sides: TwoSides,
    tables: Tables,
    config: Word2VecConfig,
    comparison: ComparisonConfig,
    report: Report,
    *,
    both: bool = True,
) -> NDArray[np.float64]:
    """Return the movements by other seeds, of the first side or the mean of both; shape (retrainings, words)."""
    from embeddings.analysis.model_comparison import movements
    from embeddings.static.retraining import train_again

    rows = []
    for number in range(comparison.retrainings):
        again = train_again(sides, config, number, both=both, report=report)
        moved = [movements(old, new) for old, new in zip(tables, again, strict=False)]
        rows.append(np.mean(moved, axis=0))
    return np.stack(rows)


def _report(
    kind: str,
    names: tuple[str, str],
    sides: TwoSides,
    tables: Tables,
    trials: Trials,
    settings: tuple[Word2VecConfig, ComparisonConfig],
) -> ChangeReport:
    """Return what was measured."""
    from embeddings.analysis.model_comparison import word_changes
    from embeddings.static.retraining import words_alone

    config, comparison = settings
    words = [sides.corpus.vocabulary.words[word] for word in sides.words]
    return ChangeReport(
        kind,
        *names,
        (len(sides.first), len(sides.second)),
        sides.tokens,
        comparison.permutations if kind == "change" else 0,
        comparison.retrainings,
        word_changes(words, tables, sides.counts, trials, comparison.topn),
        to_json(config),
        words_alone(sides, comparison.least, MOST_ALONE),
    )


def _finish(answer: ChangeReport, output: str, kept: int, language: str) -> None:
    """Keep the report if asked to, and print it; ``output``, ``kept`` and ``language`` are the options of these names."""
    origin = {
        "command": command_line(),
        "commit": current_commit(),
        "versions": {"klyuch": __version__},
        "machine": machine(),
    }
    if output:
        about = origin | ({"language": language} if language else {})
        save_report(answer, report_path(output), about, kept)
    changed = answer.changed()
    null = "shuffled documents" if answer.kind == "change" else "another seed"
    lines = [
        f"{len(changed)} of {counted(len(answer.words), 'word')} past the null of {null} (false discovery rate {LEVEL}); "
        f"mean movement {_mean(answer, 'movement'):.3f}, by retraining {_mean(answer, 'retraining'):.3f}"
    ]
    sides = f"in {answer.first}", f"in {answer.second}"
    if answer.kind == "whatif":  # whose second name is that of what was left out
        sides = f"in {answer.first} without the change", "with the change"
    for side, words in zip(sides, answer.alone or (), strict=False):
        if words:
            lines.append(f"Only {side}, and so not compared: {', '.join(words)}")
    emit({**origin, **plain(answer), "changed": len(changed)}, _table(answer), *lines)


def _mean(answer: ChangeReport, name: str) -> float:
    """Return the mean of a number over all words."""
    return float(np.mean([getattr(word, name) for word in answer.words]))


def _table(answer: ChangeReport) -> Table:
    """Return the words that changed significantly, the smallest corrected p first."""
    columns = ("word", "movement:.3f", "by retraining=retraining:.3f", "q:.3g", "lost:4")
    return columns_of(answer.changed()[:SHOWN], *columns, "gained:4")


@verb("words", "stability")
@with_flags(SpreadConfig, name="spread")
@with_flags(Word2VecConfig)
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
    from embeddings.cli.static_training import TrainingFolders
    from embeddings.static.retraining import measure_spread, trained_runs

    if not output and not like:
        raise InputError("stability_output")
    folder = spread_path(output or find(like).name)
    check_replaceable(folder, FILE, (FILE, CARD))
    words = read_words(keep) if keep else []
    names = [path.name for path in (*analogies, *pairs)]
    for name in names:
        if names.count(name) > 1:
            raise InputError("stability_sets", name=name)
    for path in analogies:
        read_analogies(path)  # what cannot be read is refused before the trainings
    for path in pairs:
        read_word_pairs(path)
    folders = TrainingFolders(corpus, folder, folder.with_name(folder.name + ".run"))
    with folders.removed_on_refusal(), progress_bar() as report:
        text = folders.open_corpus(EncodingConfig(min_count=min_count), report)
        if like:
            config = replace(settings_of(like, text, corpus[0]), workers=config.workers)
        tables = trained_runs(text, config, spread, folders.run, report)
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
        "command": command_line(),
        "commit": current_commit(),
        "machine": machine(),
    }
    save_spread(runs, folder, card)
    shutil.rmtree(folders.run, ignore_errors=True)
    answer = {
        "folder": str(folder),
        "runs": runs.runs,
        "resample": spread.resample,
        "words": len(runs.neighbours),
        "deviation": summary.deviation,
        "rank_range": summary.rank_range,
        "overlap": summary.overlap,
        "reliable_orders": reliable_orders(runs),
        "bytes": sum(file.stat().st_size for file in folder.iterdir()),
    }
    ranges = {name: RunRange.of([*score.values]) for name, score in scores.items()}
    spans = {f"{name}, mean ± SD": deviation_text(span) for name, span in ranges.items()}
    emit({**answer, "scores": ranges}, grid("", "", rows={**answer, **spans}.items()))
    if runs.runs == 1:
        note("One run has no spread: take --runs 2 or more.")


def settings_of(model: str, text: EncodedCorpus, path: Path) -> Word2VecConfig:
    """Return the settings of a skip-gram or CBOW model whose corpus this is.

    Raises
    ------
    InputError
        If it is of another method, or if its words and counts are not those of the corpus.
    """
    entry = find(model)
    if entry.method not in ("skipgram", "cbow"):
        raise InputError("stability_model", model=entry.name, method=entry.method or "–")
    vectors = load_vectors(entry.path)
    same = vectors.words == text.vocabulary.words[: len(vectors)]
    counts = text.vocabulary.counts[: len(vectors)].tolist()
    if not same or (vectors.counts is not None and vectors.counts.tolist() != counts):
        raise InputError("contexts_corpus", model=entry.name, path=path)
    settings = read_card(entry).get("settings")
    return from_json(Word2VecConfig, settings if isinstance(settings, dict) else {}, entry.path)

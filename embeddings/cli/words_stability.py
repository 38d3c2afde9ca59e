"""``klyuch words stability``: how far a model's numbers move when it is trained again."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table

from embeddings.cli.nouns import verb, with_flags
from embeddings.cli.output import deviation_text, emit, grid, progress_bar
from embeddings.cli.static_training import TrainingFolders
from embeddings.cli.word_files import read_words
from embeddings.configuration import from_json, to_json
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.errors import InputError
from embeddings.files import CARD, check_replaceable
from embeddings.results.display import plain
from embeddings.results.vector_answers import RunRange
from embeddings.shelf import find, load_vectors, read_card
from embeddings.shelf.loading import spread_path
from embeddings.static.settings import SpreadConfig, Word2VecConfig
from embeddings.vectors.formats.card import current_commit, machine
from embeddings.vectors.run_spread import FILE, save_spread


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
    as_json: bool = False,
    config: Word2VecConfig,
    spread: SpreadConfig,
) -> None:
    """Train skip-gram or CBOW several times, and keep how far neighbours, cosines and ranks of common words move.

    Each run has another seed and draws documents with replacement, unless --resample none is given. Explore shows the
    result with the model of the same name.
    """
    from embeddings.analysis.evaluation import read_analogies, read_word_pairs
    from embeddings.analysis.stability import reliable_orders, score_runs
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
    with folders.removed_on_refusal(), progress_bar(quiet=as_json) as report:
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
        "command": shlex.join(["klyuch", *sys.argv[1:]]),
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
        "scores": {name: RunRange.of([*score.values]) for name, score in scores.items()},
        "bytes": sum(file.stat().st_size for file in folder.iterdir()),
    }
    emit(answer, as_json, lambda: _lines(answer))
    if runs.runs == 1:
        print("One run has no spread: take --runs 2 or more.", file=sys.stderr)


def _lines(answer: Mapping[str, Any]) -> Table:
    """Return the answer as a table: of scores the mean and the standard deviation."""
    rows: list[tuple[object, ...]] = [row for row in answer.items() if row[0] != "scores"]
    rows += [
        (f"{name}, mean ± SD", deviation_text(span)) for name, span in answer["scores"].items()
    ]
    return grid("", "", rows=rows)


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

"""``klyuch senses``: a vector for each sense of a word, next to those of a static model."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

from embeddings.cli.nouns import verb, with_flags
from embeddings.cli.output import emit, grid, progress_bar
from embeddings.configuration import to_json
from embeddings.errors import InputError
from embeddings.results.display import plain
from embeddings.static.sense_building import build_senses
from embeddings.static.settings import SensesConfig


@verb("senses", "build")
@with_flags(SensesConfig)
def build_command(
    corpus: Path,
    *,
    model: str,
    output: Path,
    companion: str = "",
    as_json: bool = False,
    config: SensesConfig,
) -> None:
    """Find the senses of every frequent word, and write the model again together with their vectors."""
    from embeddings.corpora.encoded_corpus import EncodedCorpus
    from embeddings.shelf import find, load_vectors
    from embeddings.shelf.loading import check_senses_target, write_with_senses

    entry = find(model)
    check_senses_target(entry, output)
    vectors, text = load_vectors(entry.path), EncodedCorpus.open(corpus)
    beside = load_vectors(companion) if companion else None
    begun = time.perf_counter()
    with progress_bar(quiet=as_json) as report:
        table = build_senses(text, vectors, config, report, beside)
    seconds = round(time.perf_counter() - begun, 1)
    about = {
        "corpus": {"name": corpus.name, "words": len(text.ids)},
        "companion": companion,
        "settings": to_json(config),
        "words": len(table),
        "senses": len(table.vectors),
        "command": shlex.join(["klyuch", *sys.argv[1:]]),
    }
    write_with_senses(entry, vectors, table, output, about)
    summary = {
        "folder": str(output),
        "words": len(table),
        "senses": len(table.vectors),
        "seconds": seconds,
    }
    emit(summary, as_json, lambda: grid("", "", rows=list(summary.items())))


@verb("senses", "show")
def show_command(word: str, *, model: str, topn: int = 8, as_json: bool = False) -> None:
    """Print the senses of a word: name, share of its uses, nearest words, examples where the model keeps some."""
    from embeddings.analysis.similarity import neighbours
    from embeddings.shelf import load_vectors

    vectors = load_vectors(model)
    senses = vectors.senses_of(word)
    if vectors.senses is None:
        raise InputError("senses_none", model=vectors.name)
    vectors.rows_of([word])  # a word that the model lacks is refused
    nearest = {sense.word: neighbours(vectors, sense.word, topn) for sense in senses}
    value = [
        {**plain(sense), "neighbours": [n.word for n in nearest[sense.word]]} for sense in senses
    ]
    rows: list[tuple[object, ...]] = [
        (sense.word, ", ".join(sense.name), f"{100 * sense.share:.0f} %", near, text)
        for sense in senses
        for near, text in [
            (", ".join(n.word for n in nearest[sense.word]), "\n".join(sense.examples))
        ]
    ]
    names = ("sense", "name", "share", "nearest", "examples")
    emit(value, as_json, lambda: grid(*names, rows=rows) if rows else f"«{word}»: one sense")

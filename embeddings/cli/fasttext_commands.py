"""``klyuch fasttext``: text or ids to a folder of vectors of words and of n-grams."""

from __future__ import annotations

from pathlib import Path

import typer

from embeddings.cli.arguments import CARD_LANGUAGE, TEXT_ENCODING, with_flags
from embeddings.cli.output import emit, grid
from embeddings.cli.static_training import (
    AS_JSON,
    FILM,
    MIN_COUNT,
    OUTPUT,
    RESTART,
    RESUME,
    RUN,
    SPELLING,
    TEXTS,
    WATCH,
    RunOptions,
    TrainingFolders,
    losses_of,
    train_words,
)
from embeddings.configuration import to_json
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.static.fasttext import FastTextConfig, train_fasttext

commands = typer.Typer(no_args_is_help=True)


@commands.callback()
def _fasttext() -> None:
    """Skip-gram and CBOW over words and their n-grams: a vector for any word."""


@commands.command(
    "train",
    epilog="Example: klyuch fasttext train novels.ids --output novels-fasttext --min-n 3 --max-n 6"
    " --sample 1e-4",
)
@with_flags(FastTextConfig)
def train_command(
    corpus: list[Path] = TEXTS,
    output: Path = OUTPUT,
    run: Path = RUN,
    resume: bool = RESUME,
    restart: bool = RESTART,
    min_count: int = MIN_COUNT,
    spelling: str = SPELLING,
    encoding: str = TEXT_ENCODING,
    language: str = CARD_LANGUAGE,
    film: int = FILM,
    watch: str = WATCH,
    as_json: bool = AS_JSON,
    *,
    config: FastTextConfig,
) -> None:
    """Train vectors of words and n-grams and write them as a model's folder, with a checkpoint after each epoch."""
    folders = TrainingFolders.checked(corpus, output, run)
    text_config = EncodingConfig(min_count=min_count, spelling=spelling, encoding=encoding)
    asked = RunOptions(text_config, resume, restart, film, watch, as_json)
    model, text, rate = train_words("fasttext", train_fasttext, folders, config, asked)
    model.vectors.name, model.vectors.language = output.name, language
    folders.write(model.vectors, text, to_json(config), losses_of(model))
    assert model.vectors.subwords is not None
    summary = {
        "folder": str(output),
        "words": len(model.vectors),
        "ngrams": len(model.vectors.subwords.rows),
        "vector_size": model.vectors.vector_size,
        **losses_of(model),
        "words_per_second": rate,
    }
    curves = losses_of(model).items()
    shown = summary | {name: " ".join(f"{x:.4f}" for x in losses) for name, losses in curves}
    emit(summary, as_json, lambda: grid("", "", rows=list(shown.items())))

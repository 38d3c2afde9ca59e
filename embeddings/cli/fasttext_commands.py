"""``klyuch fasttext``: text or ids to a folder of vectors of words and of n-grams."""

from __future__ import annotations

from pathlib import Path

from embeddings.cli.arguments import CARD_LANGUAGE
from embeddings.cli.nouns import verb, with_flags
from embeddings.cli.output import emit, grid
from embeddings.cli.static_training import RunOptions, TrainingFolders, losses_of, train_words
from embeddings.configuration import to_json
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.static.fasttext import FastTextConfig, train_fasttext


@verb("fasttext", "train")
@with_flags(FastTextConfig)
def train_command(
    corpus: list[Path],
    *,
    output: Path,
    run: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    min_count: int = 5,
    spelling: str = "",
    encoding: str = "",
    language: str = CARD_LANGUAGE,
    film: int = 0,
    watch: str = "",
    as_json: bool = False,
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

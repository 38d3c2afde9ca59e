"""``klyuch word2vec``: text or ids to a folder of vectors."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from embeddings.cli.arguments import CARD_LANGUAGE
from embeddings.cli.nouns import verb, with_flags
from embeddings.cli.output import emit, grid
from embeddings.cli.static_training import (
    CONTEXTS,
    RunOptions,
    TrainingFolders,
    losses_of,
    train_words,
)
from embeddings.configuration import to_json
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.static.settings import AveragingConfig
from embeddings.static.word2vec import Word2VecConfig, Word2VecModel, train_word2vec


@verb("word2vec", "train")
@with_flags(AveragingConfig, name="averaging")
@with_flags(Word2VecConfig)
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
    contexts: int = CONTEXTS,
    cluster: str = "",
    as_json: bool = False,
    config: Word2VecConfig,
    averaging: AveragingConfig,
) -> None:
    """Train vectors and write them as a model's folder, with a checkpoint after each epoch."""
    folders = TrainingFolders.checked(corpus, output, run)
    text_config = EncodingConfig(min_count=min_count, spelling=spelling, encoding=encoding)
    asked = RunOptions(text_config, resume, restart, film, watch, as_json)
    train = partial(_train_on_cluster, cluster, averaging) if cluster else train_word2vec
    model, text, rate = train_words("word2vec", train, folders, config, asked)
    model.vectors.name, model.vectors.language = output.name, language
    settings = to_json(config) | (to_json(averaging) if cluster else {})
    folders.write(model.vectors, text, settings, losses_of(model), contexts=contexts)
    summary = {
        "folder": str(output),
        "words": len(model.vectors),
        "vector_size": model.vectors.vector_size,
        **losses_of(model),
        "words_per_second": rate,
    }
    curves = losses_of(model).items()
    shown = summary | {name: " ".join(f"{x:.4f}" for x in losses) for name, losses in curves}
    emit(summary, as_json, lambda: grid("", "", rows=list(shown.items())))


def _train_on_cluster(
    address: str,
    averaging: AveragingConfig,
    corpus: EncodedCorpus,
    config: Word2VecConfig,
    **options: Any,
) -> Word2VecModel:
    """Train parts of the text on the workers at an address, averaged by rounds; options as `train_word2vec`."""
    from embeddings.cluster.averaging import ClusterEpochs
    from embeddings.cluster.connection import connected

    with connected(address) as cluster:
        epochs = ClusterEpochs(corpus, averaging, cluster)
        return train_word2vec(corpus, config, epochs=epochs, **options)

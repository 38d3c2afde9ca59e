"""``klyuch word2vec``, ``fasttext`` and ``glove``: text or ids to a folder of vectors.

Folders are looked at before any work; after it the model's card is written.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from embeddings.cli.nouns import verb
from embeddings.cli.output import command_line, emit, grid, progress_bar
from embeddings.configuration import Config, check_language, check_range, to_json
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.errors import InputError, KlyuchError
from embeddings.files import check_file_target
from embeddings.method_registry import METHODS, word2vec_method
from embeddings.model_card import CARD
from embeddings.results import Progress, Report, Value
from embeddings.run_folder import CHECKPOINT
from embeddings.static.cooccurrence import CooccurrenceConfig, Cooccurrences
from embeddings.static.fasttext import FastTextConfig
from embeddings.static.glove import EXAMPLES, GloveConfig
from embeddings.static.settings import AveragingConfig, Word2VecConfig
from embeddings.static.static_checkpoint import StaticCheckpoint
from embeddings.static.trained_vectors import CONTEXTS, TrainedVectors
from embeddings.training.recipes import StaticRun, train_static
from embeddings.vectors.cooccurrence_table import MOST_WORDS as MOST_WITH_COUNTS
from embeddings.vectors.formats.native_folder import check_native_target


def run_folder(sources: Sequence[Path], output: Path, run: Path | None) -> Path:
    """Return the folder of the checkpoint, ``OUTPUT.run`` if none is given; refuse before any work what writing would refuse after it.

    Raises
    ------
    InputError
        If the output is the current folder or above it, if the output, the run or a source lies where another is to be
        written, or if a place cannot be written to.
    FormatError
        If the output is there and holds more than a static model.
    """
    check_native_target(output)
    run = run or output.with_name(output.name + ".run")
    target, side = output.resolve(), run.resolve()
    if target.is_relative_to(side) or side.is_relative_to(target):
        raise InputError("training_overlap", first=run, second=output)
    for source in sources:
        if source.resolve().is_relative_to(target):
            raise InputError("training_overlap", first=source, second=output)
    check_file_target(target.parent / CARD)
    check_file_target(side / CARD)
    return run


@contextmanager
def removed_on_refusal(run: Path) -> Iterator[None]:
    """Leave no run's folder behind a refusal, unless it was there before, or holds a checkpoint or rows that a cluster counted."""
    missing = [folder for folder in (run, *run.parents) if not folder.exists()]
    try:
        yield
    except KlyuchError:
        kept = (run / CHECKPOINT).exists() or any(run.glob("counts/rows/*.npz"))
        if missing and not kept:
            shutil.rmtree(run, ignore_errors=True)
            for folder in missing[1:]:
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
        raise


class RunOptions(Value):
    """The options that all trainings of word vectors share."""

    output: Path
    run: Path | None = None
    resume: bool = False
    restart: bool = False
    min_count: int = 5
    spelling: str = ""
    encoding: str = ""
    language: str = ""

    def __post_init__(self) -> None:
        """Raise `InputError` if the language is not a code."""
        if self.language:
            check_language(self.language)


def train_vectors(
    noun: str,
    corpus: Sequence[Path],
    config: Config,
    options: RunOptions,
    contexts: int = 0,
    trainer: Callable[..., TrainedVectors] | None = None,
    **more: object,
) -> None:
    """Train with a checkpoint after each epoch, write the model's folder, and print sizes, losses by epoch and rate.

    Parameters
    ----------
    contexts, trainer : int, callable
        As `embeddings.training.recipes.train_static` takes them.
    **more
        Settings of the training that the checkpoint does not hold.

    Raises
    ------
    KlyuchError
        What `run_folder`, `StaticCheckpoint.check` and `train_static` raise.
    """
    run = run_folder(corpus, options.output, options.run)
    checkpoint = StaticCheckpoint(run, noun, to_json(config))
    if options.resume and options.restart:
        raise InputError("run_resume_restart")
    if not options.restart:
        checkpoint.check(options.resume)
    wanted = EncodingConfig(
        min_count=options.min_count, spelling=options.spelling, encoding=options.encoding
    )
    rates: list[float] = []
    with removed_on_refusal(run), progress_bar() as report:

        def note(at: Progress) -> None:
            report(at)
            if at.phase in ("train", "glove"):
                rates.append(at.per_second)

        trained = train_static(
            corpus,
            word2vec_method(config.sg) if type(config) is Word2VecConfig else noun,
            to_json(config) | more,
            run / "corpus",
            options.output,
            wanted,
            StaticRun(run, options.resume, options.restart),
            note,
            trainer=trainer,
            contexts=contexts,
            language=options.language,
            command=command_line(),
        )
    vectors = trained.vectors
    summary: dict[str, object] = {"folder": str(options.output), "words": len(vectors)}
    summary["vector_size"] = vectors.vector_size
    if vectors.subwords is not None:
        summary["ngrams"] = len(vectors.subwords.rows)
    if trained.pairs:
        summary["pairs"] = trained.pairs
    losses = {name: list(values) for name, values in trained.losses.items()}
    unit = "pairs_per_second" if trained.pairs else "words_per_second"
    shown = {name: " ".join(f"{loss:.4f}" for loss in values) for name, values in losses.items()}
    rate = {unit: rates[-1] if rates else None}
    emit(summary | losses | rate, grid("", "", rows=(summary | shown | rate).items()))


@verb("word2vec", "train")
def word2vec(
    corpus: list[Path],
    *,
    contexts: int = CONTEXTS,
    cluster: str = "",
    options: RunOptions,
    config: Word2VecConfig,
    averaging: AveragingConfig,
) -> None:
    """Train vectors and write them as a model's folder, with a checkpoint after each epoch."""

    def train_on_cluster(text: EncodedCorpus, *settings: Any, **options: Any) -> TrainedVectors:
        from embeddings.cluster.averaging import ClusterEpochs
        from embeddings.cluster.connection import connected

        with connected(cluster) as workers:
            epochs = ClusterEpochs(text, averaging, workers)
            train: Callable[..., TrainedVectors] = METHODS[word2vec_method(config.sg)].train
            trained = train(text, *settings, epochs=epochs, **options)
        return replace(trained, settings=trained.settings | to_json(averaging))

    trainer = train_on_cluster if cluster else None
    train_vectors("word2vec", corpus, config, options, contexts, trainer)


@verb("fasttext", "train")
def fasttext(corpus: list[Path], *, options: RunOptions, config: FastTextConfig) -> None:
    """Train vectors of words and n-grams and write them as a model's folder, with a checkpoint after each epoch."""
    train_vectors("fasttext", corpus, config, options)


@verb("glove", "train")
def glove(
    corpus: list[Path],
    *,
    window: int = CooccurrenceConfig().window,
    memory_mb: int = 0,
    content_words: int = 2000,
    examples: str = "",
    contexts: int = CONTEXTS,
    cluster: str = "",
    options: RunOptions,
    config: GloveConfig,
) -> None:
    """Count co-occurrences, train vectors, and write them as a model's folder."""
    with_counts = [*EXAMPLES.get(options.language, "").split(), *filter(None, examples.split(","))]
    check_range("content_words", content_words, 0, max(0, MOST_WITH_COUNTS - len(with_counts)))
    trainer = partial(
        METHODS["glove"].train,
        count=partial(_count_on_cluster, cluster) if cluster else None,
        memory_mb=memory_mb,
        examples=with_counts,
        content_words=content_words,
    )
    train_vectors("glove", corpus, config, options, contexts, trainer, window=window)


def _count_on_cluster(
    cluster: str, text: EncodedCorpus, config: CooccurrenceConfig, report: Report, folder: Path
) -> Cooccurrences:
    """Count co-occurrences on the workers of a cluster."""
    from embeddings.cluster.connection import connected
    from embeddings.cluster.cooccurrence import count_on_cluster

    with connected(cluster) as workers:
        return count_on_cluster(text, config, workers, folder, report)

"""``klyuch word2vec``, ``fasttext`` and ``glove``: text or ids to a folder of vectors.

Folders are looked at before any work; after it the model's card is written.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from embeddings.cli.nouns import verb
from embeddings.cli.output import command_line, emit, grid, progress_bar
from embeddings.configuration import check_language, check_range, to_json
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.corpora.text_files import is_encoded_corpus
from embeddings.errors import InputError, KlyuchError
from embeddings.files import check_file_target
from embeddings.model_card import CARD
from embeddings.results import Progress, Report, Value
from embeddings.run_folder import CHECKPOINT
from embeddings.static import trained_vectors
from embeddings.static.cooccurrence import CooccurrenceConfig, Cooccurrences, count_cooccurrences
from embeddings.static.fasttext import FastTextConfig
from embeddings.static.glove import EXAMPLES, GloveConfig
from embeddings.static.settings import AveragingConfig, Word2VecConfig
from embeddings.static.static_checkpoint import StaticCheckpoint
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


def open_corpus(
    sources: Sequence[Path], run: Path, wanted: EncodingConfig, report: Report
) -> EncodedCorpus:
    """Open an encoded corpus, or encode text files and folders of them into the run's folder as ``wanted``.

    Raises
    ------
    KlyuchError
        If there is no such corpus, if it is broken, or if it has fewer than two words to learn; if the corpus
        was encoded by another spelling or from another encoding than those wanted.
    """
    is_encoded = len(sources) == 1 and is_encoded_corpus(sources[0])
    folder = sources[0] if is_encoded else run / "corpus"
    if not is_encoded:
        # Here, as it loads numba: who asks for neighbours waits for none.
        from embeddings.corpora.corpus_encoding import encode

        corpus = encode(sources, folder, wanted, report)
    else:
        corpus = EncodedCorpus.open(folder)
    if wanted.spelling not in ("", corpus.config.spelling):
        raise InputError("spelling_encoded", path=folder, name=wanted.spelling)
    if wanted.encoding not in ("", corpus.config.encoding):
        raise InputError("encoding_encoded", path=folder, name=wanted.encoding)
    trained_vectors.check_vocabulary(corpus)
    return corpus


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
    train: Callable[..., trained_vectors.TrainedVectors],
    corpus: Sequence[Path],
    config: Word2VecConfig | FastTextConfig | GloveConfig,
    asked: RunOptions,
    contexts: int = 0,
) -> None:
    """Train with a checkpoint after each epoch, write the model's folder, and print sizes, losses by epoch and rate.

    ``train`` takes the corpus, and what every trainer takes by name.

    Raises
    ------
    KlyuchError
        What `run_folder`, `StaticCheckpoint.check` and ``train`` raise.
    """
    run = run_folder(corpus, asked.output, asked.run)
    checkpoint = StaticCheckpoint(run, noun, to_json(config))
    if asked.resume and asked.restart:
        raise InputError("run_resume_restart")
    if not asked.restart:
        checkpoint.check(asked.resume)
    wanted = EncodingConfig(
        min_count=asked.min_count, spelling=asked.spelling, encoding=asked.encoding
    )
    rates: list[float] = []
    with removed_on_refusal(run), progress_bar() as report:

        def note(at: Progress) -> None:
            report(at)
            rates.append(at.per_second)

        text = open_corpus(corpus, run, wanted, report)
        if asked.restart:
            checkpoint.forget()
        trained = train(text, run=run, resume=asked.resume, report=note)
    vectors = trained.vectors
    vectors.name, vectors.language = asked.output.name, asked.language
    trained_vectors.write_model(trained, text, asked.output, command_line(), contexts)
    summary: dict[str, object] = {"folder": str(asked.output), "words": len(vectors)}
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
    contexts: int = trained_vectors.CONTEXTS,
    cluster: str = "",
    asked: RunOptions,
    config: Word2VecConfig,
    averaging: AveragingConfig,
) -> None:
    """Train vectors and write them as a model's folder, with a checkpoint after each epoch."""

    def train(text: EncodedCorpus, **options: Any) -> trained_vectors.TrainedVectors:
        if not cluster:
            return trained_vectors.trained_word2vec(text, config, **options)
        from embeddings.cluster.averaging import ClusterEpochs
        from embeddings.cluster.connection import connected

        with connected(cluster) as workers:
            epochs = ClusterEpochs(text, averaging, workers)
            trained = trained_vectors.trained_word2vec(text, config, epochs=epochs, **options)
        return replace(trained, settings=trained.settings | to_json(averaging))

    train_vectors("word2vec", train, corpus, config, asked, contexts)


@verb("fasttext", "train")
def fasttext(corpus: list[Path], *, asked: RunOptions, config: FastTextConfig) -> None:
    """Train vectors of words and n-grams and write them as a model's folder, with a checkpoint after each epoch."""

    def train(text: EncodedCorpus, **options: Any) -> trained_vectors.TrainedVectors:
        return trained_vectors.fasttext(text, to_json(config), "", **options)

    train_vectors("fasttext", train, corpus, config, asked)


@verb("glove", "train")
def glove(
    corpus: list[Path],
    *,
    window: int = CooccurrenceConfig().window,
    memory_mb: int = 0,
    content_words: int = 2000,
    examples: str = "",
    contexts: int = trained_vectors.CONTEXTS,
    cluster: str = "",
    asked: RunOptions,
    config: GloveConfig,
) -> None:
    """Count co-occurrences, train vectors, and write them as a model's folder."""
    with_counts = [*EXAMPLES.get(asked.language, "").split(), *filter(None, examples.split(","))]
    check_range("content_words", content_words, 0, max(0, MOST_WITH_COUNTS - len(with_counts)))
    counting = CooccurrenceConfig(window=window, memory_mb=memory_mb, workers=config.workers)

    def train(
        text: EncodedCorpus, *, run: Path, report: Report, **options: Any
    ) -> trained_vectors.TrainedVectors:
        counts = _count(text, counting, report, run / "counts", cluster)
        options |= {"run": run, "report": report, "content_words": content_words}
        return trained_vectors.trained_glove(counts, text, config, window, with_counts, **options)

    train_vectors("glove", train, corpus, config, asked, contexts)


def _count(
    text: EncodedCorpus, config: CooccurrenceConfig, report: Report, folder: Path, cluster: str
) -> Cooccurrences:
    """Count co-occurrences here, or on the workers of a cluster."""
    if not cluster:
        return count_cooccurrences(text, config, report, folder=folder)
    from embeddings.cluster.connection import connected
    from embeddings.cluster.cooccurrence import count_on_cluster

    with connected(cluster) as workers:
        return count_on_cluster(text, config, workers, folder, report)

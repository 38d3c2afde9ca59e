"""From texts to a model's folder: the one path that `embeddings.train`, the command line and jobs take.

`train_static` serves Word2Vec, fastText and GloVe, whose rows in `embeddings.method_registry` name the trainer that it calls;
`train_network` serves BERT and ALBERT. torch is imported only where a network is trained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig
from embeddings.corpora.text_files import is_encoded_corpus
from embeddings.errors import InputError
from embeddings.method_registry import METHODS
from embeddings.optional import optional
from embeddings.results import Report, Value
from embeddings.run_folder import CHECKPOINT, Snapshots
from embeddings.static.trained_vectors import TrainedVectors, write_model
from embeddings.training.settings import (
    NetworkConfigs,
    NetworkSettings,
    named_by_language,
    network_configs,
)

if TYPE_CHECKING:
    from embeddings.training.tasks import Limits, Trained

CHECKPOINT_MINUTES = 0.5


def open_text(
    texts: Sequence[Path] | Sequence[Sequence[str]],
    ids: Path,
    wanted: EncodingConfig,
    report: Report | None = None,
) -> EncodedCorpus:
    """Open an encoded corpus, encode text files and folders of them into ``ids`` as ``wanted``, or take sentences as they are.

    Raises
    ------
    KlyuchError
        If there is no such corpus, if it is broken, or if it has fewer than two words to learn; if the corpus
        was encoded by another spelling or from another encoding than those wanted.
    """
    paths = [text for text in texts if isinstance(text, Path)]
    if len(paths) < len(texts):
        corpus = EncodedCorpus.from_sentences(texts, wanted.min_count)  # type: ignore[arg-type]
    elif len(paths) == 1 and is_encoded_corpus(paths[0]):
        corpus = EncodedCorpus.open(paths[0])
        if wanted.spelling not in ("", corpus.config.spelling):
            raise InputError("spelling_encoded", path=paths[0], name=wanted.spelling)
        if wanted.encoding not in ("", corpus.config.encoding):
            raise InputError("encoding_encoded", path=paths[0], name=wanted.encoding)
    else:
        from embeddings.corpora.corpus_encoding import encode  # numba

        corpus = encode(paths, ids, wanted, report)
    if len(corpus.vocabulary) < 2:
        size = len(corpus.vocabulary)
        raise InputError("too_few_words", words=len(corpus.ids), size=size)
    return corpus


class StaticRun(Value):
    """The folder of a training's checkpoint and snapshots, and how to begin there.

    Attributes
    ----------
    resume : bool
        Continue from the checkpoint, if there is one.
    restart : bool
        Remove the checkpoint, as soon as the text is read.
    film, watched : int, tuple of str
        So many common words, and these, have their vectors kept after passes.
    """

    folder: Path
    resume: bool = False
    restart: bool = False
    film: int = 0
    watched: tuple[str, ...] = ()


def train_static(  # noqa: PLR0913 - what a training consists of
    texts: Sequence[Path] | Sequence[Sequence[str]],
    method: str,
    settings: Mapping[str, object],
    ids: Path,
    folder: Path | None,
    encoding: EncodingConfig,
    run: StaticRun | None = None,
    report: Report | None = None,
    *,
    trainer: Callable[..., TrainedVectors] | None = None,
    call: object = "",
    contexts: int = 0,
    name: str = "",
    language: str = "",
    command: str = "embeddings.train",
) -> TrainedVectors:
    """Turn a text into ids, train a vector for each word, and write the model's folder with its card.

    Parameters
    ----------
    texts : sequence of Path, or of sentences
        As `open_text` takes them, with ``ids`` and ``encoding``.
    method : str
        One of `embeddings.method_registry.static_methods`.
    settings : Mapping
        Of the training, by the names that its configuration has.
    folder : Path, optional
        Where the model goes; without it, the vectors are returned only.
    run : StaticRun, optional
        Without it there is no checkpoint, and the card does not name the ids, which are taken for temporary.
    report : callable, optional
        Called with the `Progress` of encoding and training.
    trainer : callable, optional
        Trains in place of the method's own, on the workers of a cluster for example.
    call : object
        What an error message about the settings names.
    contexts : int
        So many common words have their contexts counted and stored with the model.
    name, language, command : str
        For the card; the name is by default that of the folder.

    Raises
    ------
    KlyuchError
        If a text cannot be read or is too small, or the settings or the checkpoint do not fit.
    """
    corpus = open_text(texts, ids, encoding, report)
    options: dict[str, object] = {"report": report}
    if run:
        options |= {"run": run.folder, "resume": run.resume}
        if run.restart:
            (run.folder / CHECKPOINT).unlink(missing_ok=True)
        if run.film:
            passes = int(str(settings[METHODS[method].passes]))
            words = corpus.vocabulary.words
            options["after"] = Snapshots(run.folder, words, passes, run.film, run.watched).take
    trained = (trainer or METHODS[method].train)(corpus, settings, call, **options)
    trained.vectors.language, trained.vectors.name = language, name
    if folder:
        trained.vectors.name = name or folder.name
        recorded = corpus if run else replace(corpus, folder=None)
        write_model(trained, recorded, folder, command, contexts)
    return trained


def train_network(  # noqa: PLR0913 - what a training consists of
    texts: Sequence[Path] | Path,
    method: str,
    settings: NetworkSettings | NetworkConfigs,
    run: Path,
    report: Report | None = None,
    initial: Path | None = None,
    *,
    language: str = "",
    limits: Limits | None = None,
    command: str = "embeddings.train",
    **options: Any,
) -> Trained:
    """Learn a vocabulary, cut the text into its tokens, train a vector for each, pretrain, and write the model's folder with its card.

    ``klyuch wordpiece train``, ``bert prepare`` and ``wordpiece vectors`` are the first three steps one by one and call the same functions.
    ``klyuch bert pretrain`` brings what they made.

    Parameters
    ----------
    texts : sequence of Path, or Path
        Texts, whose names begin with their language where it is known: ``ru_news.txt``; ``language`` is that of the others. Or the folder
        of a prepared corpus, for which only the last step is left.
    method : str
        bert or albert.
    settings : NetworkSettings or NetworkConfigs
        A few settings, or all of them.
    run : Path
        The training's folder; the model lies in ``model``. What is made of texts on the way lies next to it, and what an earlier attempt
        with these arguments left there is taken up.
    initial : Path, optional
        Folder of a network whose weights, sizes and vocabulary training begins with.
    limits : Limits, optional
        Of the pretraining; by default none, with a checkpoint each `CHECKPOINT_MINUTES`, and ``report``.
    command : str
        For the card.
    **options
        Further ones of `pretrain`: ``film``, ``machine``, ``tensorboard``, ``warm``.

    Raises
    ------
    KlyuchError
        If a text cannot be read or is too small, or the settings do not fit together.
    """
    with optional():
        from embeddings.pretraining import prepared_corpus
        from embeddings.text.tokenizer import Tokenizer
        from embeddings.training.pretraining.pretraining_run import initial_config, pretrain
        from embeddings.training.pretraining.warm_start import token_vectors
        from embeddings.training.tasks import Limits
        from embeddings.vectors.formats import write

    if isinstance(settings, NetworkSettings):
        settings = network_configs(method, settings)
    network = initial_config(initial, method) if initial else settings.network
    vectors = run.with_name("vectors")
    prepared = texts if isinstance(texts, Path) else run.with_name("prepared")
    if not isinstance(texts, Path) and not prepared.exists():
        files = named_by_language(texts, language, run.with_name("texts"))
        if initial:
            known = Tokenizer.load(initial)
        else:
            known, _ = prepared_corpus.train_vocabulary(files, settings.vocabulary)
        prepared_corpus.prepare_corpus(files, known, prepared, report)
    if settings.vectors:
        options["warm"] = vectors
        if not vectors.exists():
            corpus = prepared_corpus.PreparedCorpus.open(prepared)
            words = Tokenizer.load(prepared).words
            write(token_vectors(corpus, words, settings.vectors, report), vectors, format="native")
    return pretrain(
        prepared,
        run,
        network,
        settings.training,
        limits or Limits(checkpoint_minutes=CHECKPOINT_MINUTES, report=report),
        initial=initial,
        command=command,
        **options,
    )

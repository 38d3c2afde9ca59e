"""What the trainings of word vectors share: their options, folders looked at before any work, the corpus, the model's card."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from embeddings.cli.output import progress_bar
from embeddings.configuration import to_json
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig, recorded_checksums
from embeddings.corpora.text_files import is_encoded_corpus
from embeddings.errors import InputError, KlyuchError
from embeddings.results import Progress, Report
from embeddings.static.context_counting import ContextConfig, count_contexts
from embeddings.static.snapshots import snapshots_of
from embeddings.static.static_checkpoint import CHECKPOINT, StaticCheckpoint
from embeddings.vectors.context_table import MOST_WORDS, save_contexts
from embeddings.vectors.formats import build_card, write_native
from embeddings.vectors.formats.native_folder import check_native_target
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from embeddings.static.fasttext import FastTextConfig, FastTextModel
    from embeddings.static.word2vec import Word2VecConfig, Word2VecModel

Model = TypeVar("Model", "Word2VecModel", "FastTextModel")

OUTPUT = typer.Option(..., help="Folder of the model; an older model is replaced.")
CONTEXTS = typer.Option(
    10_000,
    min=0,
    max=MOST_WORDS,
    help="Keep the contexts of this many frequent words, for klyuch words why; 0: none.",
)


@dataclass(frozen=True, slots=True)
class TrainingFolders:
    """Where a training reads and writes.

    Attributes
    ----------
    sources : sequence of Path
        An encoded corpus, or text files and folders of them.
    output : Path
        Folder of the model.
    run : Path
        Folder of the checkpoint and of what is made on the way.
    """

    sources: Sequence[Path]
    output: Path
    run: Path

    @classmethod
    def checked(cls, sources: Sequence[Path], output: Path, run: Path | None) -> TrainingFolders:
        """Take ``OUTPUT.run`` if no run is given, and refuse before any work what writing would refuse after it.

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
        _check_writable(target.parent)
        _check_writable(side)
        return cls(sources, output, run)

    @contextmanager
    def removed_on_refusal(self) -> Iterator[None]:
        """Leave no run's folder behind a refusal, unless it was there before, or holds a checkpoint or rows that a cluster counted."""
        missing = [folder for folder in (self.run, *self.run.parents) if not folder.exists()]
        try:
            yield
        except KlyuchError:
            kept = (self.run / CHECKPOINT).exists() or any(self.run.glob("counts/rows/*.npz"))
            if missing and not kept:
                shutil.rmtree(self.run, ignore_errors=True)
                for folder in missing[1:]:
                    if folder.is_dir() and not any(folder.iterdir()):
                        folder.rmdir()
            raise

    def open_corpus(self, wanted: EncodingConfig, report: Report) -> EncodedCorpus:
        """Open an encoded corpus, or encode text into the run's folder as ``wanted``.

        Raises
        ------
        KlyuchError
            If there is no such corpus, if it is broken, or if it has fewer than two words to learn; if the corpus
            was encoded by another spelling or from another encoding than those wanted.
        """
        is_encoded = len(self.sources) == 1 and is_encoded_corpus(self.sources[0])
        folder = self.sources[0] if is_encoded else self.run / "corpus"
        if not is_encoded:
            # Here, as it loads numba: who asks for neighbours waits for none.
            from embeddings.corpora.corpus_encoding import write_corpus

            write_corpus(self.sources, folder, wanted, report)
        corpus = EncodedCorpus.open(folder)
        present, name = corpus.config.spelling, wanted.spelling
        if name not in ("", present):
            raise InputError("spelling_encoded", path=folder, present=present, name=name)
        if wanted.encoding not in ("", corpus.config.encoding):
            raise InputError("encoding_encoded", path=folder, name=wanted.encoding)
        if len(corpus.vocabulary) < 2:
            size = len(corpus.vocabulary)
            raise InputError("too_few_words", words=len(corpus.ids), size=size)
        return corpus

    def write(
        self,
        vectors: Vectors,
        corpus: EncodedCorpus,
        settings: Mapping[str, object],
        losses: Mapping[str, Sequence[float]],
        extra: Callable[[Path], None] | None = None,
        contexts: int = 0,
    ) -> None:
        """Write the model's folder with its card, to which ``losses`` are added; ``extra`` as `write_native` takes it.

        The contexts of so many common words are counted and stored with the model.
        """
        vectors.spelling = corpus.config.spelling
        table = None
        if contexts:
            window, workers = (int(str(settings[name])) for name in ("window", "workers"))
            counting = ContextConfig(window=window, words=contexts, workers=workers)
            table = count_contexts(corpus, counting, lower=vectors.is_lower)

        def add(new: Path) -> None:
            if extra is not None:
                extra(new)
            if table is not None:
                save_contexts(table, new)

        folder = corpus.folder
        about = {
            "name": folder.name if folder else "",
            "folder": str(folder),
            "words": len(corpus.ids),
            "vocabulary": len(vectors),
            "min_count": corpus.config.min_count,
            "spelling": corpus.config.spelling,
            "files": recorded_checksums(folder) if folder else {},
        }
        command = shlex.join(["klyuch", *sys.argv[1:]])
        card = build_card(vectors, corpus=about, settings=settings, command=command)
        card.update({name: list(values) for name, values in losses.items()})
        write_native(vectors, self.output, config=settings, card=card, extra=add)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a person wants a training to run: the options of these names."""

    text: EncodingConfig
    resume: bool
    restart: bool
    film: int
    watch: str
    as_json: bool


def train_words(
    noun: str,
    train: Callable[..., Model],
    folders: TrainingFolders,
    config: Word2VecConfig | FastTextConfig,
    asked: RunOptions,
) -> tuple[Model, EncodedCorpus, float | None]:
    """Train skip-gram or CBOW with a checkpoint after each epoch: the model, its corpus, words a second at the end.

    Raises
    ------
    KlyuchError
        What `check_run`, `TrainingFolders.open_corpus` and ``train`` raise.
    """
    checkpoint = StaticCheckpoint(folders.run, noun, to_json(config))
    check_run(checkpoint, resume=asked.resume, restart=asked.restart)
    rates: list[float] = []
    with folders.removed_on_refusal(), progress_bar(quiet=asked.as_json) as report:

        def note(at: Progress) -> None:
            report(at)
            rates.append(at.per_second)

        text = folders.open_corpus(asked.text, report)
        if asked.restart:
            checkpoint.forget()
        words = text.vocabulary.words
        after = snapshots_of(folders.run, words, config.epochs, asked.film, asked.watch)
        model = train(text, config, run=folders.run, resume=asked.resume, report=note, after=after)
    return model, text, rates[-1] if rates else None


def losses_of(model: Word2VecModel | FastTextModel) -> dict[str, list[float]]:
    """Return the losses by epoch, and those of the sentences held out where there are any."""
    losses = {"losses": list(model.losses), "heldout_losses": list(model.heldout_losses)}
    return {name: values for name, values in losses.items() if values}


def check_run(run: StaticCheckpoint, *, resume: bool, restart: bool) -> None:
    """Refuse before any work a checkpoint that does not fit, and to lose an unfinished one unless asked to.

    Raises
    ------
    InputError
        If both ``resume`` and ``restart`` are asked for.
    CheckpointError
        As `StaticCheckpoint.check` says.
    """
    if resume and restart:
        raise InputError("run_resume_restart")
    if not restart:
        run.check(resume)


def _check_writable(folder: Path) -> None:
    """Raise `InputError` unless ``folder``, or the nearest one above it that exists, can be written to."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir():
        raise InputError("file_above", path=folder)
    if not os.access(existing, os.W_OK | os.X_OK):
        raise InputError("file_right", path=existing, reason=os.strerror(errno.EACCES))

"""What the Train page starts: a text, a method and few settings as a job, and what the job's process does with them.

`embeddings.jobs.runner` starts ``python -m embeddings.jobs.recipes FOLDER``.
`demonstration` is a text that is ready to be trained on: the project's own sentences about words of several senses.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from embeddings.configuration import check_choice, from_json
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig, encode
from embeddings.corpora.sense_contexts import read_contexts
from embeddings.errors import InputError, KlyuchError, refusals
from embeddings.jobs.control import JobPlan
from embeddings.jobs.job_answers import Job
from embeddings.jobs.job_folder import ERROR, JOB, PROGRESS, note_refusal, read_job
from embeddings.jobs.progress_log import ProgressLog
from embeddings.methods import METHODS, call_text
from embeddings.optional import optional
from embeddings.results import Report
from embeddings.shelf import find
from embeddings.shelf.locations import data, home
from embeddings.sources.uploaded_texts import IncomingFile, store_texts
from embeddings.static.static_checkpoint import Snapshots
from embeddings.static.trainers import CONTEXTS, TRAINERS, write_model
from embeddings.training.settings import (
    SIZES,
    NetworkSettings,
    Settings,
    StaticSettings,
    defaults,
    named_by_language,
)


def demonstration(language: str) -> Path:
    """Return the folder of the demonstration corpus of a language, made when first asked for.

    A paragraph is a sentence, a document the sentences about one word. It is tiny: some 2 000 words.
    """
    name = f"demonstration-{language}"
    folder = home() / "corpora" / name
    if not folder.exists():
        lines: list[str] = []
        before = ""
        for context in read_contexts(data() / "contexts" / f"{language}.tsv"):
            lines += ([""] if before not in ("", context.word) else []) + [context.text]
            before = context.word
        text = "\n".join(lines).encode()
        store_texts(
            [IncomingFile("demonstration.txt", io.BytesIO(text), len(text))],
            folder.parent,
            name,
            language,
        )
    return folder


HELDOUT = 0.02  # of the sentences, to measure the loss on
FILM = 1000  # common words that a film can show


@dataclass(frozen=True, slots=True)
class Text:
    """What is trained on: files, what the corpus is called, its language ("" for another one)."""

    files: tuple[Path, ...]
    name: str
    language: str


def plan(
    text: Text,
    method: str,
    settings: Settings,
    name: str,
    watched: Sequence[str] = (),
    expected: float = 0.0,
) -> JobPlan:
    """Return the job that trains ``method`` on a text and puts the model on the shelf as ``name``."""
    check_choice("method", method, tuple(METHODS))
    return JobPlan(
        name,
        name=name,
        model="run/model" if METHODS[method].is_network else "model/new",
        method=method,
        language=text.language,
        corpus=text.name,
        passes=settings.steps if isinstance(settings, NetworkSettings) else settings.passes,
        watched=tuple(watched),
        expected=expected,
        call=_call(text, method, settings),
    )


def _call(text: Text, method: str, settings: Settings) -> dict[str, object]:
    """Return the arguments of `embeddings.train` that train the same."""
    about = METHODS[method]
    call = {"text": list(map(str, text.files)), "method": method, "language": text.language}
    values: dict[str, object] = asdict(settings)
    if isinstance(settings, StaticSettings):
        values[about.passes] = values.pop("passes")
        values |= {"heldout": HELDOUT} if about.has_heldout else {}
    elif not settings.model:
        del values["model"], values["positions"]
    return call | values


def comparison_settings(words: int) -> tuple[StaticSettings, int]:
    """Return settings of skip-gram that suit sides of so many words, and the least occurrences of a word that is measured.

    Examples
    --------
    >>> settings, least = comparison_settings(2_000)
    >>> settings.vector_size, settings.passes, least
    (40, 100, 3)
    """
    settings = defaults("skipgram", words)
    assert isinstance(settings, StaticSettings)
    return settings, (3, 5, 10, 20)[sum(words >= bound for bound in SIZES)]


def whatif_plan(
    text: Text,
    words: int,
    report: Path,
    without: str = "",
    without_word: str = "",
    swap: Path | None = None,
) -> JobPlan:
    """Return the job that trains a text as it is, without some of it or with another text in its place, and with other seeds alone.

    It writes a report.

    Parameters
    ----------
    text : Text
    words : int
        Tokens of the text, to which the settings are suited.
    report : Path
        Where the report is written.
    without : str, default ""
        Documents to leave out, as ``3,7-9``.
    without_word : str, default ""
        A word whose lines are left out.
    swap : Path, optional
        Text, or a folder of texts, whose documents take the place of what is left out.

    Raises
    ------
    InputError
        If nothing is to be left out.
    """
    if not without and not without_word:
        raise InputError("whatif_nothing")
    settings, least = comparison_settings(words)
    ids = f"{{job}}/{text.name}"
    encode = ["corpus", "encode", *map(str, text.files), "--output", ids]
    encode += _flags(min_count=settings.min_count)
    leave_out = ["words", "whatif", ids, f"--output={report}", "--epochs", str(settings.passes)]
    leave_out += _flags(vector_size=settings.vector_size, window=settings.window)
    leave_out += _flags(least=least, workers=settings.workers)
    leave_out += [f"--language={text.language}"] if text.language else []
    leave_out += [f"--without={without}"] if without else []
    leave_out += [f"--without-word={without_word}"] if without_word else []
    leave_out += [f"--swap={swap}"] if swap else []
    title = f"whatif {text.name}"
    sources = (*text.files, *([swap] if swap else []))
    return JobPlan(
        title, [encode, leave_out], language=text.language, corpus=text.name, sources=sources
    )


def train_job(job: Job, report: Report) -> None:
    """Train what a job says in its folder, from where an earlier attempt ended.

    Raises
    ------
    KlyuchError
        If a text or the model to begin with is gone or damaged, or the settings do not fit.
    """
    values: dict[str, Any] = dict(job.call)
    method, language = str(values.pop("method")), str(values.pop("language"))
    files = [Path(path) for path in values.pop("text")]
    command = call_text(job.call)
    if METHODS[method].is_network:
        from embeddings.training.recipes import train_network  # torch

        settings = from_json(NetworkSettings, values, job.folder / JOB)
        initial = find(settings.model).path if settings.model else None
        named = named_by_language(files, language, job.folder / "texts")
        room = job.folder
        train_network(named, method, settings, room, report, initial, film=FILM, command=command)
        return
    ids, run = job.folder / f"{job.corpus}.ids", job.folder / "run"
    if not ids.exists():
        encode(files, ids, EncodingConfig(min_count=int(values["min_count"])), report)
    corpus = EncodedCorpus.open(ids)
    if len(corpus.vocabulary) < 2:
        size = len(corpus.vocabulary)
        raise InputError("too_few_words", words=len(corpus.ids), size=size)
    del values["min_count"]
    after = Snapshots(run, corpus.vocabulary.words, job.passes, FILM, job.watched).take
    options = {"run": run, "resume": True, "report": report, "after": after}
    trained = TRAINERS[method](corpus, values, job.folder / JOB, **options)
    trained.vectors.language, trained.vectors.name = language, job.name
    contexts = 0 if trained.vectors.subwords else CONTEXTS
    write_model(trained, corpus, job.folder / "model" / "new", command, contexts)


def _flags(**values: object) -> list[str]:
    """Return settings as flags."""
    pairs = ((f"--{name.replace('_', '-')}", str(value)) for name, value in values.items())
    return [part for pair in pairs for part in pair]


def main() -> None:
    """Train what the job of a folder says; an error message goes to its folder, so that pages can show it, and to its log."""
    folder = Path(sys.argv[1])
    try:
        with optional(), refusals():
            train_job(read_job(folder), ProgressLog(folder / PROGRESS.format(step=0)).add)
    except KlyuchError as error:
        with suppress(OSError):  # the log has it too
            note_refusal(folder / ERROR, error)
        sys.stderr.write(f"{error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()

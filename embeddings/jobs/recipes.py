"""What pages start as a job: a function of `embeddings` and its arguments; and what the job's process does with them.

`demonstration` is a text that is ready to be trained on: the project's own sentences about words of several senses.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from embeddings.configuration import check_choice, from_json
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.corpora.sense_contexts import read_contexts
from embeddings.jobs.control import JobPlan
from embeddings.jobs.job_answers import ComparisonSize, Job
from embeddings.jobs.job_folder import JOB
from embeddings.method_registry import METHODS, call_text
from embeddings.notebook import get_corpus
from embeddings.results import Report
from embeddings.shelf import find
from embeddings.shelf.locations import data, home
from embeddings.sources.pasted_and_uploaded import IncomingFile, store_texts
from embeddings.static.trained_vectors import CONTEXTS
from embeddings.text_comparison import (
    Compared,
    check_left_out,
    check_size,
    compare_texts,
    leave_out,
)
from embeddings.training.recipes import StaticRun, train_network, train_static
from embeddings.training.settings import NetworkSettings, Settings, StaticSettings


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
    text: Text, method: str, settings: Settings, name: str, watched: Sequence[str] = ()
) -> JobPlan:
    """Return the job that trains ``method`` on a text and puts the model on the shelf as ``name``."""
    check_choice("method", method, tuple(METHODS))
    return JobPlan(
        name,
        "train",
        _call(text, method, settings),
        name=name,
        model="run/model" if METHODS[method].is_network else "model/new",
        method=method,
        language=text.language,
        corpus=text.name,
        passes=settings.steps if isinstance(settings, NetworkSettings) else settings.passes,
        watched=tuple(watched),
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


def change_plan(
    compared: Compared, size: ComparisonSize, report: Path, permutations: int, language: str = ""
) -> JobPlan:
    """Return the job that compares two sides and writes a report.

    Parameters
    ----------
    compared : Compared
    size : ComparisonSize
        Of these two sides.
    report : Path
        Where the report is written.
    permutations : int
        How often documents are shuffled between the sides.
    language : str, default ""
        Of the texts.

    Raises
    ------
    InputError
        If a side is too small.
    """
    check_size(size, permutations)
    call = compared.arguments | {"permutations": permutations}
    return _report_plan("compare_texts", call, compared.sources, compared.first, report, language)


def whatif_plan(
    corpus: Path,
    report: Path,
    without: str = "",
    without_word: str = "",
    swap: Path | None = None,
    language: str = "",
) -> JobPlan:
    """Return the job that trains a text as it is, without some of it, and with other seeds alone, and writes a report.

    Parameters
    ----------
    corpus : Path
        A folder of text.
    report : Path
        Where the report is written.
    without : str, default ""
        Documents to leave out, as ``3,7-9``.
    without_word : str, default ""
        A word whose lines are left out.
    swap : Path, optional
        A folder of text that takes the place of what is left out.
    language : str, default ""
        Of the text.

    Raises
    ------
    InputError
        If nothing is to be left out.
    """
    check_left_out(without, without_word)
    call = {"corpus": corpus, "without": without, "without_word": without_word, "swap": swap}
    call = {name: str(value) for name, value in call.items() if value}
    sources = (corpus, swap) if swap else (corpus,)
    return _report_plan("leave_out", call, sources, corpus, report, language)


def _report_plan(
    function: str,
    call: dict[str, object],
    sources: Sequence[Path],
    corpus: Path,
    report: Path,
    language: str,
) -> JobPlan:
    """Return the job of a function that writes a report."""
    where = {"output": str(report)} | ({"language": language} if language else {})
    title = f"{function} {report.stem}"
    return JobPlan(
        title, function, call | where, language=language, corpus=corpus.name, sources=sources
    )


FUNCTIONS: dict[str, Callable[..., object]] = {
    "compare_texts": compare_texts,
    "leave_out": leave_out,
    "get_corpus": get_corpus,
}
"""What a job can call beside `embeddings.train`, by the names that they have there."""


def run_job(job: Job, report: Report) -> None:
    """Call the function of a job; ``report`` is called with the progress.

    Raises
    ------
    KlyuchError
        What the function raises.
    """
    if job.function == "train":
        train_job(job, report)
    else:
        FUNCTIONS[job.function](**job.call, report=report)


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
    about: dict[str, Any] = {"language": language, "command": call_text("train", job.call)}
    if METHODS[method].is_network:
        settings = from_json(NetworkSettings, values, job.folder / JOB)
        initial = find(settings.model).path if settings.model else None
        training = (files, method, settings, job.folder / "run", report, initial)
        trained = train_network(*training, film=FILM, **about)
        if not trained.finished.complete:  # SIGTERM came, and what it has learned is saved
            raise KeyboardInterrupt
        return
    ids = job.folder / f"{job.corpus}.ids"
    wanted = EncodingConfig(min_count=int(values.pop("min_count")))
    inputs = ([ids] if ids.exists() else files, method, values, ids, job.folder / "model" / "new")
    run = StaticRun(job.folder / "run", resume=True, film=FILM, watched=job.watched)
    about |= {"name": job.name, "call": job.folder / JOB}
    train_static(*inputs, wanted, run, report, contexts=CONTEXTS, **about)

"""What the Train page starts: a text, a method and few settings as the commands of a job.

`demonstration` is a text that is ready to be trained on: the project's own sentences about words of several senses.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from embeddings.configuration import check_choice
from embeddings.corpora.sense_contexts import read_contexts
from embeddings.errors import InputError
from embeddings.jobs.control import JobPlan
from embeddings.methods import METHODS
from embeddings.shelf.locations import data, home
from embeddings.sources.intake import IncomingFile, store_texts
from embeddings.training.settings import (
    SIZES,
    NetworkSettings,
    Settings,
    StaticSettings,
    changed,
    defaults,
    network_configs,
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
    if isinstance(settings, NetworkSettings):
        steps, model = _network(text, method, settings), "run/model"
        passes = settings.steps
    else:
        steps, model = _static(text, method, settings, watched), "model/new"
        passes = settings.passes
    return JobPlan(
        name,
        steps,
        name,
        model,
        method,
        text.language,
        text.name,
        passes,
        tuple(watched),
        expected,
        _call(text, method, settings),
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


def _static(
    text: Text, method: str, settings: StaticSettings, watched: Sequence[str]
) -> list[list[str]]:
    """Encode, then train."""
    about = METHODS[method]
    ids = f"{{job}}/{text.name}.ids"
    encode = ["corpus", "encode", *map(str, text.files), "--output", ids]
    encode += _flags(min_count=settings.min_count)
    train = [*about.command[:2], ids, "--output", "{job}/model/new", "--run", "{job}/run"]
    train += about.command[2:]
    train += _flags(
        vector_size=settings.vector_size, window=settings.window, workers=settings.workers
    )
    train += _flags(**{about.passes: settings.passes})
    train += _flags(heldout=HELDOUT) if about.has_heldout else []
    train += ["--language", text.language, *_flags(film=FILM)]
    if film_words := ",".join(word for word in watched if "," not in word):
        train += ["--watch", film_words]
    return [encode, train]


def _network(text: Text, method: str, settings: NetworkSettings) -> list[list[str]]:
    """Learn the pieces of words, cut the text into them, learn a vector for each, pretrain; or start from a model."""
    configs = network_configs(method, settings)
    sources = list(map(str, text.files))
    goes_on = settings.begin == "model"
    prepare = ["bert", "prepare", *sources, "--output", "{job}/prepared"]
    prepare += ["--tokenizer", settings.model if goes_on else "{job}/wordpiece"]
    train = [*METHODS[method].command, "{job}/prepared", "--run", "{job}/run", "--no-tensorboard"]
    train += _flags(checkpoint_minutes=0.5, film=FILM, **changed(configs.training))
    train += _flags(**changed(configs.network))
    if goes_on:
        return [prepare, [*train, "--init-checkpoint", settings.model]]
    pieces = ["wordpiece", "train", *sources, "--output", "{job}/wordpiece"]
    pieces += _flags(**changed(configs.vocabulary))
    if settings.begin == "random":
        return [pieces, prepare, train]
    vectors = ["wordpiece", "vectors", "{job}/prepared", "--output", "{job}/vectors"]
    vectors += _flags(**changed(configs.vectors))
    return [pieces, prepare, vectors, [*train, "--warm-start", "{job}/vectors"]]


def _flags(**values: object) -> list[str]:
    """Return settings as flags."""
    pairs = ((f"--{name.replace('_', '-')}", str(value)) for name, value in values.items())
    return [part for pair in pairs for part in pair]

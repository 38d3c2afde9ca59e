"""What the Train page starts: a text, a method and few settings as the commands of a job.

`demonstration` is a text that is ready to be trained on: the project's own sentences about words of several senses.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from embeddings.configuration import (
    Reach,
    check_choice,
    check_fields,
    setting,
    setting_like,
)
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.corpora.sense_contexts import read_contexts
from embeddings.errors import CheckpointError, InputError
from embeddings.files import read_json
from embeddings.jobs.control import JobPlan
from embeddings.models.bert_config import NetworkConfig
from embeddings.shelf.locations import data, home
from embeddings.sources.incoming_files import IncomingFile
from embeddings.sources.intake import store_texts
from embeddings.static import methods as static_methods
from embeddings.static.word2vec_config import Word2VecConfig
from embeddings.text.sentences import language_of_file
from embeddings.training.pretraining.pretraining_config import PretrainingConfig


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


STATIC = tuple(static_methods.METHODS)
NETWORKS = ("bert", "albert")
METHODS = (*STATIC, *NETWORKS)
BEGINNINGS = ("vectors", "random", "model")
GENTLE_RATE = 3e-4  # of learning, for weights that know something
HELDOUT = 0.02  # of the sentences, to measure the loss on
FILM = 1000  # common words that a film can show
HEAD = 32  # numbers of an attention head
SIZES = (20_000, 300_000, 3_000_000)  # tokens from which a text is a larger one


@dataclass(frozen=True, slots=True)
class StaticSettings:
    """Of Word2Vec, GloVe and fastText; ``passes`` are epochs or iterations. Bounds are those of the trainings themselves."""

    vector_size: int = setting_like(Word2VecConfig, "vector_size", reach=Reach(10, 300))
    window: int = setting_like(Word2VecConfig, "window", reach=Reach(1, 15))
    min_count: int = setting_like(EncodingConfig, "min_count", reach=Reach(1, 50))
    passes: int = setting_like(Word2VecConfig, "epochs", 10, Reach(1, 300))
    workers: int = setting_like(Word2VecConfig, "workers")

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Of BERT and ALBERT; ``steps`` of ``rows`` times ``row_length`` tokens.

    ``begin``: with vectors of the same text in the token embedding matrix (a skip-gram of ``vector_passes``), with random
    weights, or with those of ``model``, whose sizes and vocabulary then hold.
    """

    vocab_size: int = setting_like(NetworkConfig, "vocab_size", 8_000, Reach(1, 32, 1_000))
    hidden_size: int = setting_like(NetworkConfig, "hidden_size", 128, Reach(1, 16, HEAD))
    layers: int = setting_like(NetworkConfig, "num_hidden_layers", 2, Reach(1, 12))
    steps: int = setting_like(PretrainingConfig, "steps", 1_000, Reach(1, 500, 100))
    rows: int = setting_like(PretrainingConfig, "rows", 16)
    row_length: int = setting_like(PretrainingConfig, "row_length", 128)
    begin: str = setting("vectors", "vectors, random or model.", choices=BEGINNINGS)
    vector_passes: int = setting_like(Word2VecConfig, "epochs", 10)
    model: str = setting("", "Name of the model to resume from.")
    positions: int = setting_like(NetworkConfig, "max_position_embeddings")

    def __post_init__(self) -> None:
        sizes = ("vocab_size", "hidden_size", "layers", "positions")
        check_fields(
            self, skip=sizes if self.begin == "model" else ()
        )  # a model is as large as it is


_SIZES = {  # a config.json's names of our settings
    "vocab_size": "vocab_size",
    "hidden_size": "hidden_size",
    "num_hidden_layers": "layers",
    "max_position_embeddings": "positions",
}
Settings = StaticSettings | NetworkSettings


@dataclass(frozen=True, slots=True)
class Text:
    """What is trained on: files, what the corpus is called, its language ("" for another one)."""

    files: tuple[Path, ...]
    name: str
    language: str


def defaults(method: str, words: int) -> Settings:
    """Return settings that suit a text of so many words.

    A small text wants fewer dimensions, a lower minimum count and more epochs.

    Examples
    --------
    >>> defaults("skipgram", 2_000).passes, defaults("skipgram", 20_000_000).passes
    (100, 5)
    """
    check_choice("method", method, METHODS)
    size = sum(words >= bound for bound in SIZES)
    if method in NETWORKS:
        return NetworkSettings(
            vocab_size=(1_000, 4_000, 8_000, 16_000)[size],
            hidden_size=(64, 128, 128, 256)[size],
            layers=(2, 2, 3, 4)[size],
            steps=(200, 600, 1_500, 5_000)[size],
            rows=(8, 16, 16, 32)[size],
            row_length=(64, 128, 128, 256)[size],
            vector_passes=(100, 30, 10, 5)[size],
        )
    passes = (60, 40, 25, 15) if method == "glove" else (100, 30, 10, 5)
    window = 10 if method == "glove" else 5
    return StaticSettings(
        vector_size=(40, 60, 100, 100)[size],
        window=window,
        min_count=(2, 3, 5, 5)[size],
        passes=passes[size],
    )


def settings_of_model(settings: NetworkSettings, name: str, folder: Path) -> NetworkSettings:
    """Return the settings of a training that starts from a network of the shelf, with its sizes.

    Raises
    ------
    MissingFileError, FormatError, CheckpointError
        If its config.json is not there, is damaged, or does not say them.
    """
    path = folder / "config.json"
    config = read_json(path)
    sizes = {key: config.get(key) for key in _SIZES}
    for key, value in sizes.items():
        if not isinstance(value, int) or value < 1:
            raise CheckpointError("checkpoint_setting", path=path, key=key, value=value)
    named = {setting: sizes[key] for key, setting in _SIZES.items()}
    return replace(settings, begin="model", model=name, **named)  # type: ignore[arg-type]


def plan(
    text: Text,
    method: str,
    settings: Settings,
    name: str,
    watched: Sequence[str] = (),
    expected: float = 0.0,
) -> JobPlan:
    """Return the job that trains ``method`` on a text and puts the model on the shelf as ``name``."""
    check_choice("method", method, METHODS)
    if isinstance(settings, NetworkSettings):
        steps, model = _network(text, method, settings), "run/model"
        passes = settings.steps
    else:
        steps, model = _static(text, method, settings, watched), "model/new"
        passes = settings.passes
    return JobPlan(
        name, steps, name, model, method, text.language, text.name, passes, tuple(watched), expected
    )


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
    ids = f"{{job}}/{text.name}.ids"
    sources = list(map(str, text.files))
    encode = ["corpus", "encode", *sources, "--output", ids]
    encode += ["--min-count", str(settings.min_count)]
    noun = method if method in ("glove", "fasttext") else "word2vec"
    train = [noun, "train", ids, "--output", "{job}/model/new", "--run", "{job}/run"]
    if noun == "word2vec":
        train.append("--sg" if method == "skipgram" else "--cbow")
    train += _flags(
        vector_size=settings.vector_size, window=settings.window, workers=settings.workers
    )
    train += ["--iterations" if noun == "glove" else "--epochs", str(settings.passes)]
    if noun != "glove":  # its loss is over counts, not over text
        train += _flags(heldout=HELDOUT)
    train += ["--language", text.language, *_flags(film=FILM)]
    if film_words := ",".join(word for word in watched if "," not in word):
        train += ["--watch", film_words]
    return [encode, train]


def _network(text: Text, method: str, settings: NetworkSettings) -> list[list[str]]:
    """Learn the pieces of words, cut the text into them, learn a vector for each, pretrain; or start from a model."""
    sources = list(map(str, text.files))
    goes_on = settings.begin == "model"
    width = settings.hidden_size
    table = min(width, 128) if method == "albert" else width
    prepare = ["bert", "prepare", *sources, "--output", "{job}/prepared"]
    prepare += ["--tokenizer", settings.model if goes_on else "{job}/wordpiece"]
    train = [method, "pretrain", "{job}/prepared", "--run", "{job}/run"]
    train += _flags(
        steps=settings.steps,
        rows=settings.rows,
        row_length=settings.row_length,
        max_tokens=min(128, settings.row_length, settings.positions),
        checkpoint_minutes=0.5,
        film=FILM,
    )
    train.append("--no-tensorboard")
    if goes_on:
        more = _flags(init_checkpoint=settings.model, learning_rate=GENTLE_RATE)
        return [prepare, [*train, *more]]
    pieces = ["wordpiece", "train", *sources, "--output", "{job}/wordpiece"]
    pieces += _flags(vocab_size=settings.vocab_size)
    train += _flags(
        hidden_size=width,
        num_hidden_layers=settings.layers,
        num_attention_heads=max(1, width // HEAD),
        intermediate_size=4 * width,
    )
    if method == "albert":
        train += _flags(embedding_size=table)
    if settings.begin == "random":
        return [pieces, prepare, train]
    vectors = ["wordpiece", "vectors", "{job}/prepared", "--output", "{job}/vectors"]
    vectors += _flags(vector_size=table, epochs=settings.vector_passes, workers=1)  # repeatable
    return [pieces, prepare, vectors, [*train, "--warm-start", "{job}/vectors"]]


def _flags(**values: object) -> list[str]:
    """Return settings as flags."""
    pairs = ((f"--{name.replace('_', '-')}", str(value)) for name, value in values.items())
    return [part for pair in pairs for part in pair]


def named_by_language(files: Sequence[Path], language: str, folder: Path) -> tuple[Path, ...]:
    """Return the files under names that begin with their language, as networks' cards want them.

    A file without such a name gets a link in ``folder``.
    """
    named = []
    for path in files:
        if not language or language_of_file(path) == language:
            named.append(path)
            continue
        folder.mkdir(parents=True, exist_ok=True)
        link = folder / f"{language}_{path.name}"
        if not link.exists():
            link.symlink_to(path.resolve())
        named.append(link)
    return tuple(named)

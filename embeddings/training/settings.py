"""The few settings of a training that suit a text of some size, and the full configurations that they stand for; without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.configuration import (
    CheckedConfig,
    Reach,
    check_choice,
    check_fields,
    setting,
    setting_like,
)
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.errors import CheckpointError
from embeddings.files import read_json
from embeddings.method_registry import METHODS
from embeddings.networks.bert_config import NETWORK_CONFIGS, NetworkConfig
from embeddings.static.settings import Word2VecConfig
from embeddings.text.word_positions import language_of_file
from embeddings.training.pretraining.pretraining_config import PretrainingConfig

if TYPE_CHECKING:
    from embeddings.text.wordpiece_training import WordPieceConfig

BEGINNINGS = ("vectors", "random", "model")
GENTLE_RATE = 3e-4  # of learning, for weights that know something
HEAD_SIZE = 32  # numbers of an attention head
MAX_SEQUENCE = 128  # tokens of one sequence of a row
TABLE = 128  # columns of ALBERT's token embedding matrix
SIZES = (20_000, 300_000, 3_000_000)  # tokens from which a text is a larger one


class StaticSettings(CheckedConfig):
    """Of Word2Vec, GloVe and fastText; ``passes`` are epochs or iterations. Bounds are those of the trainings themselves."""

    vector_size: int = setting_like(Word2VecConfig, "vector_size", reach=Reach(10, 300))
    window: int = setting_like(Word2VecConfig, "window", reach=Reach(1, 15))
    min_count: int = setting_like(EncodingConfig, "min_count", reach=Reach(1, 50))
    passes: int = setting_like(Word2VecConfig, "epochs", 10, Reach(1, 300))
    workers: int = setting_like(Word2VecConfig, "workers")


class NetworkSettings(CheckedConfig):
    """Of BERT and ALBERT; ``steps`` of ``rows`` times ``row_length`` tokens.

    ``begin``: with vectors of the same text in the token embedding matrix (a skip-gram of ``vector_passes``), with random
    weights, or with those of ``model``, whose sizes and vocabulary then hold.
    """

    vocab_size: int = setting_like(NetworkConfig, "vocab_size", 8_000, Reach(1, 32, 1_000))
    hidden_size: int = setting_like(NetworkConfig, "hidden_size", 128, Reach(1, 16, HEAD_SIZE))
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
        # a model is as large as it is
        check_fields(self, skip=sizes if self.begin == "model" else ())


_SIZES = {  # a config.json's names of our settings
    "vocab_size": "vocab_size",
    "hidden_size": "hidden_size",
    "num_hidden_layers": "layers",
    "max_position_embeddings": "positions",
}
Settings = StaticSettings | NetworkSettings


@dataclass(frozen=True, slots=True)
class NetworkConfigs:
    """What the settings of a network stand for: network, pretraining, the vectors that it begins with, the vocabulary of a text."""

    network: NetworkConfig
    training: PretrainingConfig
    vectors: Word2VecConfig | None = None
    vocabulary: WordPieceConfig | None = None


def defaults(method: str, words: int) -> Settings:
    """Return settings that suit a text of so many words.

    A small text wants fewer dimensions, a lower minimum count and more epochs.

    Examples
    --------
    >>> defaults("cbow", 2_000).passes, defaults("cbow", 20_000_000).passes
    (100, 5)
    """
    check_choice("method", method, tuple(METHODS))
    size = sum(words >= bound for bound in SIZES)
    if METHODS[method].is_network:
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


def network_configs(method: str, settings: NetworkSettings) -> NetworkConfigs:
    """Return the configurations of a network's training; a model to resume from decides its vocabulary and sizes itself."""
    from embeddings.text.wordpiece_training import WordPieceConfig  # brings tokenizers

    width = settings.hidden_size
    table = min(width, TABLE) if method == "albert" else width
    training = PretrainingConfig(
        steps=settings.steps,
        rows=settings.rows,
        row_length=settings.row_length,
        max_tokens=min(MAX_SEQUENCE, settings.row_length, settings.positions),
    )
    goes_on = settings.begin == "model"
    sizes: dict[str, Any] = {
        "hidden_size": width,
        "num_hidden_layers": settings.layers,
        "num_attention_heads": max(1, width // HEAD_SIZE),
        "intermediate_size": 4 * width,
        **({"embedding_size": table} if method == "albert" else {}),
    }
    # one worker repeats exactly
    vectors = Word2VecConfig(vector_size=table, epochs=settings.vector_passes, workers=1)
    return NetworkConfigs(
        NETWORK_CONFIGS[method](**({} if goes_on else sizes)),
        replace(training, learning_rate=GENTLE_RATE) if goes_on else training,
        vectors if settings.begin == "vectors" else None,
        None if goes_on else WordPieceConfig(vocab_size=settings.vocab_size),
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

"""Settings of a network.

One flat dataclass with Hugging Face's keys, and three sets of defaults (BERT, ALBERT, S1).

`embeddings.analysis.network_costs.PRESETS` holds the published sizes;
``BertConfig(**asdict(PRESETS["bert-base"]))`` builds one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError

SHARING = ("none", "attention", "feed_forward", "all")
POSITIONS = ("absolute", "sinusoidal")
MODEL_TYPES = ("bert", "albert", "s1")
ACTIVATION_NAMES = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "tanh")


def _setting(default: Any, help_text: str) -> Any:
    """Return a field with its help."""
    return field(default=default, metadata={"help": help_text})


@dataclass(frozen=True, slots=True)
class NetworkConfig:
    """Sizes and switches of an encoder with its two heads.

    ``embedding_size`` 0 means hidden_size.
    """

    model_type: str = _setting("bert", "bert, albert or s1.")
    vocab_size: int = _setting(32_000, "Tokens in the vocabulary.")
    hidden_size: int = _setting(256, "Numbers that stand for a token between layers.")
    num_hidden_layers: int = _setting(4, "Layers.")
    num_attention_heads: int = _setting(4, "Attention heads of a layer.")
    intermediate_size: int = _setting(1024, "Width inside the feed-forward network.")
    embedding_size: int = _setting(0, "Columns of the token table; 0: hidden_size.")
    hidden_act: str = _setting("gelu", "gelu (BERT), gelu_new (ALBERT), relu or tanh.")
    hidden_dropout_prob: float = _setting(0.0, "Dropout; 0 where each text is seen few times.")
    attention_probs_dropout_prob: float = _setting(0.0, "Dropout of attention weights.")
    max_position_embeddings: int = _setting(512, "Longest sequence, in tokens.")
    type_vocab_size: int = _setting(2, "Rows of the segment table.")
    layer_norm_eps: float = _setting(1e-12, "Added to the variance in layer norm.")
    initializer_range: float = _setting(0.02, "Standard deviation of the first weights.")
    pad_token_id: int = _setting(0, "Id of [PAD].")
    share_layers: str = _setting(
        "none", "What all layers share: none, attention, feed_forward, all."
    )
    position_embedding_type: str = _setting("absolute", "absolute (learned) or sinusoidal.")
    embedding_norm: bool = _setting(True, "Normalise the embeddings' sum.")
    pooler: bool = _setting(True, "A dense tanh layer between [CLS] and the sentence head.")
    prediction_transform: bool = _setting(True, "A dense layer before the vocabulary is scored.")
    tie_word_embeddings: bool = _setting(True, "Score the vocabulary with the token table itself.")

    def __post_init__(self) -> None:
        check_choice("model_type", self.model_type, MODEL_TYPES)
        check_choice("share_layers", self.share_layers, SHARING)
        check_choice("position_embedding_type", self.position_embedding_type, POSITIONS)
        check_choice("hidden_act", self.hidden_act, ACTIVATION_NAMES)
        check_range("vocab_size", self.vocab_size, 6, 10_000_000)
        check_range("hidden_size", self.hidden_size, 1, 65_536)
        check_range("num_hidden_layers", self.num_hidden_layers, 1, 1_000)
        check_range("num_attention_heads", self.num_attention_heads, 1, self.hidden_size)
        check_range("intermediate_size", self.intermediate_size, 1, 1_000_000)
        check_range("embedding_size", self.embedding_size, 0, 65_536)
        check_range("max_position_embeddings", self.max_position_embeddings, 8, 1_000_000)
        check_range("type_vocab_size", self.type_vocab_size, 1, 1_000)
        check_range("layer_norm_eps", self.layer_norm_eps, 0.0, 1.0)
        check_range("initializer_range", self.initializer_range, 0.0, 10.0)
        for name in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
            check_range(name, getattr(self, name), 0.0, 0.99)
        self._check_together()

    def _check_together(self) -> None:
        """Refuse settings that do not go with each other."""
        if self.model_type != "s1" and self.hidden_size % self.num_attention_heads:
            raise InputError(
                "network_heads", hidden_size=self.hidden_size, heads=self.num_attention_heads
            )
        if self.model_type != "albert" and (
            self.share_layers != "none" or self.embedding_size not in (0, self.hidden_size)
        ):
            raise InputError("network_not_albert", model_type=self.model_type)

    @property
    def width(self) -> int:
        """Columns of the embedding tables."""
        return self.embedding_size or self.hidden_size


@dataclass(frozen=True, slots=True)
class BertConfig(NetworkConfig):
    """BERT (Devlin et al. 2019); the defaults are a network that a laptop can train."""


@dataclass(frozen=True, slots=True)
class AlbertConfig(NetworkConfig):
    """ALBERT (Lan et al. 2020): one layer applied many times, a narrow token table."""

    model_type: str = _setting("albert", "bert, albert or s1.")
    embedding_size: int = _setting(128, "Columns of the token table; 0: hidden_size.")
    hidden_act: str = _setting("gelu_new", "gelu (BERT), gelu_new (ALBERT), relu or tanh.")
    share_layers: str = _setting(
        "all", "What all layers share: none, attention, feed_forward, all."
    )


@dataclass(frozen=True, slots=True)
class S1Config(NetworkConfig):
    """The network of source S1.

    Sine positions, three segment rows, no embedding norm, untied output, [CLS] straight into two
    classes.
    """

    model_type: str = _setting("s1", "bert, albert or s1.")
    vocab_size: int = _setting(6_353, "Tokens in the vocabulary.")
    hidden_size: int = _setting(96, "Numbers that stand for a token between layers.")
    num_hidden_layers: int = _setting(3, "Layers.")
    num_attention_heads: int = _setting(3, "Attention heads of a layer.")
    intermediate_size: int = _setting(384, "Width inside the feed-forward network.")
    max_position_embeddings: int = _setting(64, "Longest sequence, in tokens.")
    type_vocab_size: int = _setting(3, "Rows of the segment table.")
    position_embedding_type: str = _setting("sinusoidal", "absolute (learned) or sinusoidal.")
    embedding_norm: bool = _setting(False, "Normalise the embeddings' sum.")
    pooler: bool = _setting(False, "A dense tanh layer between [CLS] and the sentence head.")
    prediction_transform: bool = _setting(False, "A dense layer before the vocabulary is scored.")
    tie_word_embeddings: bool = _setting(False, "Score the vocabulary with the token table itself.")


KINDS: dict[str, type[NetworkConfig]] = {"bert": BertConfig, "albert": AlbertConfig, "s1": S1Config}

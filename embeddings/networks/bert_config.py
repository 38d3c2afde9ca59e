"""Settings of an encoder: one flat dataclass with Hugging Face's keys, and defaults of BERT, ALBERT and the network of Kazan 2019.

`embeddings.analysis.network_costs.PRESETS` holds those of the published sizes.
"""

from __future__ import annotations

from typing import Any

from embeddings.configuration import CheckedConfig, check_fields, check_range, setting, setting_like
from embeddings.errors import InputError

SHARING = ("none", "attention", "feed_forward", "all")
POSITIONS = ("absolute", "sinusoidal")
KAZAN = "s1"  # what config.json calls the network of Kazan 2019
MODERN = "modernbert"  # `embeddings.networks.modern_bert`
MODEL_TYPES = ("bert", "albert", KAZAN)
ACTIVATION_NAMES = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "tanh")


def check_sizes(config: Any) -> None:
    """Raise `InputError` if sizes of a network, of whatever class, do not go with each other."""
    heads, size = config.num_attention_heads, config.hidden_size
    check_range("num_attention_heads", heads, 1, size)
    if config.model_type != KAZAN and size % heads:
        raise InputError("network_heads", hidden_size=size, heads=heads)
    is_narrow = config.embedding_size not in (0, size)
    if config.model_type != "albert" and (is_narrow or config.share_layers != "none"):
        raise InputError("network_not_albert", model_type=config.model_type)


class NetworkConfig(CheckedConfig):
    """Sizes and switches of an encoder with its two heads.

    ``embedding_size`` 0 means hidden_size.
    """

    model_type: str = setting("bert", "bert, albert or s1 (Kazan 2019).", choices=MODEL_TYPES)
    vocab_size: int = setting(32_000, "Tokens in the vocabulary.", 6, 10_000_000)
    hidden_size: int = setting(256, "Hidden size: columns of the states between layers.", 1, 65_536)
    num_hidden_layers: int = setting(4, "Layers.", 1, 1_000)
    num_attention_heads: int = setting(4, "Attention heads of a layer.", 1, 65_536)
    intermediate_size: int = setting(1024, "Width inside the feed-forward network.", 1, 1_000_000)
    embedding_size: int = setting(
        0, "Columns of the token embedding matrix; 0: hidden_size.", 0, 65_536
    )
    hidden_act: str = setting(
        "gelu", "gelu (BERT), gelu_new (ALBERT), relu or tanh.", choices=ACTIVATION_NAMES
    )
    hidden_dropout_prob: float = setting(
        0.0, "Dropout; 0 where each text is seen few times.", 0.0, 0.99
    )
    attention_probs_dropout_prob: float = setting(0.0, "Dropout of attention weights.", 0.0, 0.99)
    max_position_embeddings: int = setting(512, "Longest sequence, in tokens.", 8, 1_000_000)
    type_vocab_size: int = setting(2, "Rows of the segment embedding matrix.", 1, 1_000)
    layer_norm_eps: float = setting(1e-12, "Added to the variance in layer norm.", 0.0, 1.0)
    initializer_range: float = setting(0.02, "Standard deviation of the first weights.", 0.0, 10.0)
    pad_token_id: int = setting(0, "Id of [PAD].")
    share_layers: str = setting(
        "none", "What all layers share: none, attention, feed_forward, all.", choices=SHARING
    )
    position_embedding_type: str = setting(
        "absolute", "absolute (learned) or sinusoidal.", choices=POSITIONS
    )
    embedding_norm: bool = setting(True, "Normalise the embeddings' sum.")
    pooler: bool = setting(True, "A dense tanh layer between [CLS] and the classification head.")
    prediction_transform: bool = setting(True, "A dense layer before the vocabulary is scored.")
    tie_word_embeddings: bool = setting(
        True, "Score the vocabulary with the token embedding matrix itself."
    )

    def __post_init__(self) -> None:
        check_fields(self, skip=("num_attention_heads",))  # its bound is another setting
        check_sizes(self)

    @property
    def width(self) -> int:
        """Columns of the embedding tables."""
        return self.embedding_size or self.hidden_size


class BertConfig(NetworkConfig):
    """BERT (Devlin et al. 2019); the defaults are a network that a laptop can train."""


class AlbertConfig(NetworkConfig):
    """ALBERT (Lan et al. 2020): one layer applied many times, a narrow token embedding matrix."""

    model_type: str = setting_like(NetworkConfig, "model_type", "albert")
    embedding_size: int = setting_like(NetworkConfig, "embedding_size", 128)
    hidden_act: str = setting_like(NetworkConfig, "hidden_act", "gelu_new")
    share_layers: str = setting_like(NetworkConfig, "share_layers", "all")


class KazanConfig(NetworkConfig):
    """The BERT from scratch of Kazan 2019 (docs/sources.md).

    Sine positions, three segment rows, no embedding norm, untied output, [CLS] straight into two
    classes.
    """

    model_type: str = setting_like(NetworkConfig, "model_type", KAZAN)
    vocab_size: int = setting_like(NetworkConfig, "vocab_size", 6_353)
    hidden_size: int = setting_like(NetworkConfig, "hidden_size", 96)
    num_hidden_layers: int = setting_like(NetworkConfig, "num_hidden_layers", 3)
    num_attention_heads: int = setting_like(NetworkConfig, "num_attention_heads", 3)
    intermediate_size: int = setting_like(NetworkConfig, "intermediate_size", 384)
    max_position_embeddings: int = setting_like(NetworkConfig, "max_position_embeddings", 64)
    type_vocab_size: int = setting_like(NetworkConfig, "type_vocab_size", 3)
    position_embedding_type: str = setting_like(
        NetworkConfig, "position_embedding_type", "sinusoidal"
    )
    embedding_norm: bool = setting_like(NetworkConfig, "embedding_norm", False)
    pooler: bool = setting_like(NetworkConfig, "pooler", False)
    prediction_transform: bool = setting_like(NetworkConfig, "prediction_transform", False)
    tie_word_embeddings: bool = setting_like(NetworkConfig, "tie_word_embeddings", False)


NETWORK_CONFIGS: dict[str, type[NetworkConfig]] = {
    "bert": BertConfig,
    "albert": AlbertConfig,
    KAZAN: KazanConfig,
}

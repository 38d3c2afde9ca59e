"""What a network costs, by formula: parameters part by part, and operations of one sequence; BERT and ALBERT side by side.

No network is built. Operations are multiplications in matrix products of one forward pass over n
tokens, the vocabulary scored at all of them and the classification head at [CLS] alone. The formula of Kazan 2019
simplifies its layer to n d (12 d + 2 n); the line printed there is not equal to it.
"""

from __future__ import annotations

from dataclasses import replace

from embeddings.configuration import check_choice, check_range
from embeddings.networks.bert_config import (
    KAZAN,
    SHARING,
    AlbertConfig,
    BertConfig,
    KazanConfig,
    NetworkConfig,
)
from embeddings.results import Value

HEAD_SIZE = 64  # columns of an attention head, as in the published sizes


def _sized(
    kind: type[NetworkConfig], vocab_size: int, layers: int, hidden: int, heads: int
) -> NetworkConfig:
    """Return a network of these sizes, with an inner width of 4 d."""
    return kind(
        vocab_size=vocab_size,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * hidden,
    )


PRESETS: dict[str, NetworkConfig] = {
    "bert-base": _sized(BertConfig, 30_522, 12, 768, 12),
    "bert-large": _sized(BertConfig, 30_522, 24, 1_024, 16),
    "albert-base": _sized(AlbertConfig, 30_000, 12, 768, 12),
    "albert-large": _sized(AlbertConfig, 30_000, 24, 1_024, 16),
    "albert-xlarge": _sized(AlbertConfig, 30_000, 24, 2_048, 16),
    "albert-xxlarge": _sized(AlbertConfig, 30_000, 12, 4_096, 64),
    "kazan-2019": KazanConfig(),
}
"""The sizes that the papers publish (bert with 30 522 English tokens), and the three layers of Kazan 2019."""

ALIASES = {"s1": "kazan-2019"}
"""Older names of presets."""


def find_preset(name: str) -> NetworkConfig:
    """Return the network of a preset by its name or an older one.

    Raises
    ------
    InputError
        If there is no such preset.
    """
    name = ALIASES.get(name, name)
    check_choice("preset", name, tuple(PRESETS))
    return PRESETS[name]


class Parameters(Value):
    """Parameters of each part; ``total`` is what the model is quoted with.

    For BERT and ALBERT that is the encoder with its pooler, as transformers' ``BertModel`` and
    ``AlbertModel`` count; for the network of Kazan 2019 all of it, as counted there. ``heads`` (masked
    tokens and sentence pair) stand apart for the first two.
    """

    embeddings: int
    attention: int
    feed_forward: int
    pooler: int
    heads: int
    total: int


class Operations(Value):
    """Multiplications of one forward pass over one sequence, by part; ``total`` is their sum."""

    embeddings: int
    projections: int
    attention: int
    feed_forward: int
    pooler: int
    tokens: int
    sentence: int
    total: int


def _heads_width(config: NetworkConfig) -> int:
    """Return the columns of all heads together: h floor(d / h)."""
    return config.num_attention_heads * (config.hidden_size // config.num_attention_heads)


def parameters(config: NetworkConfig) -> Parameters:
    """Count the parameters.

    Examples
    --------
    >>> parameters(PRESETS["bert-base"]).total
    109482240
    >>> parameters(PRESETS["kazan-2019"]).total
    1562131
    """
    d, e, v = config.hidden_size, config.width, config.vocab_size
    inner, a = config.intermediate_size, _heads_width(config)
    learned = config.position_embedding_type == "absolute"
    rows = v + config.type_vocab_size + learned * config.max_position_embeddings
    embeddings = (rows + 2 * config.embedding_norm) * e
    if config.model_type == "albert":
        embeddings += e * d + d
    layers = config.num_hidden_layers
    times = {name: 1 if config.share_layers in (name, "all") else layers for name in SHARING}
    attention = times["attention"] * (3 * (d * a + a) + a * d + d + 2 * d)
    feed_forward = times["feed_forward"] * (d * inner + inner + inner * d + d + 2 * d)
    pooler = config.pooler * (d * d + d)
    transform = config.prediction_transform * (d * e + e + 2 * e)
    scores = v if config.tie_word_embeddings else e * v + v
    heads = transform + scores + 2 * d + 2
    total = embeddings + attention + feed_forward + pooler + (config.model_type == KAZAN) * heads
    return Parameters(embeddings, attention, feed_forward, pooler, heads, total)


def operations(config: NetworkConfig, sequence_length: int) -> Operations:
    """Count the multiplications of one sequence.

    Shared layers cost as much as others, for they are applied as often.

    Examples
    --------
    >>> operations(PRESETS["kazan-2019"], 64).total
    62625984
    """
    check_range("sequence_length", sequence_length, 1, 10**9)
    n, d, e, a = sequence_length, config.hidden_size, config.width, _heads_width(config)
    layers = config.num_hidden_layers
    embeddings = n * e * d if config.model_type == "albert" else 0
    projections = layers * (3 * n * d * a + n * a * d)
    attention = layers * 2 * n * n * a
    feed_forward = layers * 2 * n * d * config.intermediate_size
    pooler = config.pooler * d * d
    tokens = n * e * config.vocab_size + config.prediction_transform * n * d * e
    sentence = 2 * d
    parts = (embeddings, projections, attention, feed_forward, pooler, tokens, sentence)
    return Operations(*parts, sum(parts))


def bert_and_albert(
    hidden_size: int,
    num_hidden_layers: int,
    *,
    embedding_size: int = 128,
    sequence_length: int = 128,
) -> dict[str, dict[str, dict[str, int]]]:
    """Count both networks part by part: heads of 64 columns, inner width 4 times hidden_size, ALBERT sharing all layers.

    Returns
    -------
    dict
        Of "BERT", and of "ALBERT" with token embedding matrices of ``embedding_size`` columns: "parameters" and "operations" (of one
        sequence) by the name of the part.

    Examples
    --------
    >>> [sum(counts["parameters"].values()) for counts in bert_and_albert(768, 12).values()]
    [109081344, 11683584]
    """
    sizes = (30_000, num_hidden_layers, hidden_size, max(1, hidden_size // HEAD_SIZE))
    bert = _sized(BertConfig, *sizes)
    albert = replace(_sized(AlbertConfig, *sizes), embedding_size=embedding_size)
    return {"BERT": _parts(bert, sequence_length), "ALBERT": _parts(albert, sequence_length)}


def _parts(config: NetworkConfig, sequence_length: int) -> dict[str, dict[str, int]]:
    """Gather the counts under the names of the parts; the head for NSP or SOP counts as part of the pooler."""
    held, done = parameters(config), operations(config, sequence_length)
    stored = ("embeddings", "attention", "feed_forward", "pooler")
    multiplied = ("embeddings", "projections", "attention", "feed_forward", "tokens")
    multiplications = {part: getattr(done, part) for part in multiplied}
    return {
        "parameters": {part: getattr(held, part) for part in stored},
        "operations": multiplications | {"pooler": done.pooler + done.sentence},
    }

"""What a network costs, by formula: parameters part by part, and operations of one sequence; BERT and ALBERT side by side.

No network is built. Operations are multiplications in matrix products of one forward pass over n
tokens, the vocabulary scored at all of them and the classification head at [CLS] alone. The formula of Kazan 2019
simplifies its layer to n d (12 d + 2 n); the line printed there is not equal to it.
"""

from __future__ import annotations

from dataclasses import replace

from embeddings.configuration import CheckedConfig, check_choice, check_range, setting
from embeddings.networks.bert_config import KAZAN, MODEL_TYPES, SHARING, check_sizes
from embeddings.results import Value

MOST = 10**9  # of any size
HEAD_SIZE = 64  # columns of an attention head, as in the published sizes


class Sizes(CheckedConfig):
    """What decides the costs; Hugging Face's names. ``embedding_size`` 0 means hidden_size."""

    model_type: str = setting("bert", "bert, albert or s1 (Kazan 2019).", choices=MODEL_TYPES)
    vocab_size: int = setting(30_522, "Tokens in the vocabulary.", 1, MOST)
    hidden_size: int = setting(768, "Hidden size: columns of the states between layers.", 1, MOST)
    num_hidden_layers: int = setting(12, "Layers.", 1, MOST)
    num_attention_heads: int = setting(12, "Attention heads of a layer.", 1, MOST)
    intermediate_size: int = setting(3_072, "Width inside the feed-forward network.", 1, MOST)
    embedding_size: int = setting(0, "Columns of the token embedding matrix.", 0, MOST)
    max_position_embeddings: int = setting(512, "Longest sequence.", 1, MOST)
    type_vocab_size: int = setting(2, "Rows of the segment embedding matrix.", 1, MOST)
    share_layers: str = setting("none", "What all layers share.", choices=SHARING)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_sizes(self)

    @property
    def width(self) -> int:
        """Columns of the embedding tables."""
        return self.embedding_size or self.hidden_size

    @property
    def heads_width(self) -> int:
        """Columns of all heads together: h floor(d / h)."""
        return self.num_attention_heads * (self.hidden_size // self.num_attention_heads)


def _albert(layers: int, hidden: int, heads: int) -> Sizes:
    """ALBERT of the published sizes: inner width 4 d, 30 000 tokens of 128 columns."""
    return Sizes("albert", 30_000, hidden, layers, heads, 4 * hidden, 128, share_layers="all")


PRESETS: dict[str, Sizes] = {
    "bert-base": Sizes(),
    "bert-large": Sizes(
        hidden_size=1_024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4_096
    ),
    "albert-base": _albert(12, 768, 12),
    "albert-large": _albert(24, 1_024, 16),
    "albert-xlarge": _albert(24, 2_048, 16),
    "albert-xxlarge": _albert(12, 4_096, 64),
    "kazan-2019": Sizes(KAZAN, 6_353, 96, 3, 3, 384, 0, 64, 3),
}
"""The sizes that the papers publish (bert with 30 522 English tokens), and the three layers of Kazan 2019."""

ALIASES = {"s1": "kazan-2019"}
"""Older names of presets."""


def find_preset(name: str) -> Sizes:
    """Return the sizes of a preset by its name or an older one.

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


def parameters(sizes: Sizes) -> Parameters:
    """Count the parameters.

    Examples
    --------
    >>> parameters(PRESETS["bert-base"]).total
    109482240
    >>> parameters(PRESETS["kazan-2019"]).total
    1562131
    """
    d, e, v = sizes.hidden_size, sizes.width, sizes.vocab_size
    inner, a, kazan = sizes.intermediate_size, sizes.heads_width, sizes.model_type == KAZAN
    embeddings = (v + sizes.type_vocab_size) * e
    if not kazan:  # learned positions and a norm
        embeddings += sizes.max_position_embeddings * e + 2 * e
    if sizes.model_type == "albert":
        embeddings += e * d + d
    layers = sizes.num_hidden_layers
    times = {name: 1 if sizes.share_layers in (name, "all") else layers for name in SHARING}
    attention = times["attention"] * (3 * (d * a + a) + a * d + d + 2 * d)
    feed_forward = times["feed_forward"] * (d * inner + inner + inner * d + d + 2 * d)
    pooler = 0 if kazan else d * d + d
    transform = 0 if kazan else d * e + e + 2 * e
    heads = transform + (v * d if kazan else 0) + v + 2 * d + 2
    total = embeddings + attention + feed_forward + pooler + (heads if kazan else 0)
    return Parameters(embeddings, attention, feed_forward, pooler, heads, total)


def operations(sizes: Sizes, sequence_length: int) -> Operations:
    """Count the multiplications of one sequence.

    Shared layers cost as much as others, for they are applied as often.

    Examples
    --------
    >>> operations(PRESETS["kazan-2019"], 64).total
    62625984
    """
    check_range("sequence_length", sequence_length, 1, 10**9)
    n, d, e, a = sequence_length, sizes.hidden_size, sizes.width, sizes.heads_width
    layers, albert, kazan = (
        sizes.num_hidden_layers,
        sizes.model_type == "albert",
        sizes.model_type == KAZAN,
    )
    embeddings = n * e * d if albert else 0
    projections = layers * (3 * n * d * a + n * a * d)
    attention = layers * 2 * n * n * a
    feed_forward = layers * 2 * n * d * sizes.intermediate_size
    pooler = 0 if kazan else d * d
    tokens = n * e * sizes.vocab_size + (0 if kazan else n * d * e)
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
    bert = Sizes(
        vocab_size=30_000,
        hidden_size=hidden_size,
        num_hidden_layers=num_hidden_layers,
        num_attention_heads=max(1, hidden_size // HEAD_SIZE),
        intermediate_size=4 * hidden_size,
    )
    albert = replace(bert, model_type="albert", embedding_size=embedding_size, share_layers="all")
    return {"BERT": _parts(bert, sequence_length), "ALBERT": _parts(albert, sequence_length)}


def _parts(sizes: Sizes, sequence_length: int) -> dict[str, dict[str, int]]:
    """Gather the counts under the names of the parts; the sentence head counts as part of the pooler."""
    held, done = parameters(sizes), operations(sizes, sequence_length)
    stored = ("embeddings", "attention", "feed_forward", "pooler")
    multiplied = ("embeddings", "projections", "attention", "feed_forward", "tokens")
    multiplications = {part: getattr(done, part) for part in multiplied}
    return {
        "parameters": {part: getattr(held, part) for part in stored},
        "operations": multiplications | {"pooler": done.pooler + done.sentence},
    }

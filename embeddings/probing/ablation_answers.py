"""Answers of networks with parts switched off: what a person may name, and what changes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from embeddings.arrays import Float64s
from embeddings.errors import InputError
from embeddings.probing.sentence_answers import Guess, Prediction
from embeddings.results import Result, Table, Value

REPLACEMENTS = ("zero", "mean", "patch")
_HEAD = re.compile(r"([1-9]\d{0,3})\.([1-9]\d{0,3})")


class Parts(Value):
    """Parts of an encoder that are turned off.

    Attributes
    ----------
    heads : tuple of (layer, head)
    attention : tuple of int
        Layers whose whole attention is off, its bias included.
    feed_forward : tuple of int
        Layers whose feed-forward block is off.
    words : tuple of int
        Words of the text, special tokens not counted, that nothing attends to in any layer.
    """

    heads: tuple[tuple[int, int], ...] = ()
    attention: tuple[int, ...] = ()
    feed_forward: tuple[int, ...] = ()
    words: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.heads or self.attention or self.feed_forward or self.words)


def read_head(value: str) -> tuple[int, int]:
    """Return layer and head of a name such as "3.2".

    Raises
    ------
    InputError
        If it is not of that form.

    Examples
    --------
    >>> read_head("3.2")
    (3, 2)
    """
    match = _HEAD.fullmatch(value.strip())
    if match is None:
        raise InputError("ablation_head", value=value)
    return int(match[1]), int(match[2])


def head_name(layer: int, head: int) -> str:
    """Return the name of a head, as `read_head` reads it."""
    return f"{layer}.{head}"


def joined_parts(
    heads: Sequence[str],
    attention: Sequence[int],
    feed_forward: Sequence[int],
    words: Sequence[int],
) -> Parts:
    """Return parts, each once and in order; heads by their names."""
    return Parts(
        tuple(sorted({read_head(head) for head in heads})),
        *(tuple(sorted(set(numbers))) for numbers in (attention, feed_forward, words)),
    )


class Replacement(Value):
    """What takes the place of what is off.

    ``kind``: "zero"; "mean", over the tokens of ``texts``; "patch", what it is in the one of ``texts``, which has as many tokens.
    """

    kind: str = "zero"
    texts: tuple[str, ...] = ()


class MaskAblation(Value):
    """The guesses at one [MASK], with all parts on and with some off.

    Attributes
    ----------
    before, after : tuple of Guess
        The likeliest tokens, falling.
    before_again : tuple of float
        What ``before`` have with the parts off.
    """

    before: tuple[Guess, ...]
    after: tuple[Guess, ...]
    before_again: tuple[float, ...]


class GuessAblation(Result):
    """What a network says of a text, with all parts on and with some off.

    Attributes
    ----------
    text, second : str
    parts : Parts
    masks : tuple of MaskAblation
        One a [MASK]; empty where the text has none.
    cosine : float
        Of the two sentence vectors: the mean of the last layer over all tokens.
    truncated : int
        Tokens at the end that did not fit the network.
    """

    text: str
    second: str
    parts: Parts
    masks: tuple[MaskAblation, ...]
    cosine: float
    truncated: int = 0

    def title(self) -> str:
        """Return how alike both sentence vectors are."""
        return f"cosine of the sentence vectors: {self.cosine:.4f}"

    def table(self) -> Table:
        """Return a line a guess: with all parts on, what it has with some off, and the guess then."""
        columns = ["mask", "before", "probability", "with parts off", "after", "probability after"]
        return columns, [
            [number, *before, again, *after]
            for number, mask in enumerate(self.masks, 1)
            for before, again, after in zip(mask.before, mask.before_again, mask.after, strict=True)
        ]


class ClassAblation(Result):
    """What a classifier says of a text, with all parts on and with some off.

    ``before_log_odds``, ``after_log_odds``: log(p / (1 - p)) of ``label``, the label given with all parts on, before calibration;
    ``cosine``: of the pooled states.
    """

    text: str
    parts: Parts
    label: str
    before: Prediction
    after: Prediction
    before_log_odds: float
    after_log_odds: float
    cosine: float

    def title(self) -> str:
        """Return the log-odds before and after, and how alike both pooled states are."""
        return (
            f"log-odds of {self.label}: {self.before_log_odds:.4f}, now {self.after_log_odds:.4f}\n"
            f"cosine of the pooled states: {self.cosine:.4f}"
        )

    def table(self) -> Table:
        """Return a line a label, with its probability before and after."""
        after = self.after.probabilities
        lines = [[name, share, after[name]] for name, share in self.before.probabilities.items()]
        return ["label", "before", "after"], lines


class HeadEffects(Result, eq=False):
    """How much each head matters for an answer: by how much it falls when that head alone is off.

    Attributes
    ----------
    answer : str
        What is followed: a token, a label; "" for the sentence vector.
    effects : NDArray of float64, shape (layers, heads)
        Nats by which the answer's log-probability (or log-odds) falls; for the sentence vector 1 - cosine. Below 0: it rises.
    """

    answer: str
    effects: Float64s

    def table(self) -> Table:
        """Return a line a layer, a column a head."""
        heads = [f"head {head}" for head in range(1, self.effects.shape[1] + 1)]
        lines = enumerate(self.effects.tolist(), 1)
        return ["layer", *heads], [[layer, *row] for layer, row in lines]

    def title(self) -> str:
        """Return what falls when a head is off."""
        what = f"“{self.answer}”, nats" if self.answer else "the sentence vector, 1 - cosine"
        return f"Each head turned off alone; fall of {what}:"


TRANSLATOR_KINDS = ("encoder", "cross", "decoder")


class TranslatorHeadEffects(Result, eq=False):
    """How much each head of a translator matters, by the kind of its attention (`TRANSLATOR_KINDS`)."""

    encoder: HeadEffects
    cross: HeadEffects
    decoder: HeadEffects

    def table(self) -> Table:
        """Return a line a layer of each kind, a column a head."""
        tables = [(kind, *getattr(self, kind).table()) for kind in TRANSLATOR_KINDS]
        lines = [[kind, *line] for kind, _, lines in tables for line in lines]
        return ["attention", *tables[0][1]], lines

    def title(self) -> str:
        """Return what falls when a head is off."""
        return self.encoder.title()


class TranslatorHeads(Value):
    """Heads of a translator that are turned off, each (layer, head): of the encoder, of cross-attention, of the decoder's own."""

    encoder: tuple[tuple[int, int], ...] = ()
    cross: tuple[tuple[int, int], ...] = ()
    decoder: tuple[tuple[int, int], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.encoder or self.cross or self.decoder)


def read_translator_heads(names: Sequence[str]) -> TranslatorHeads:
    """Return heads by names such as "cross:3.2", each once and in order.

    Raises
    ------
    InputError
        If one is not of that form.

    Examples
    --------
    >>> read_translator_heads(["cross:3.2", "encoder:1.1"])
    TranslatorHeads(encoder=((1, 1),), cross=((3, 2),), decoder=())
    """
    by_kind: dict[str, set[tuple[int, int]]] = {kind: set() for kind in TRANSLATOR_KINDS}
    for name in names:
        kind, _, head = name.strip().partition(":")
        if kind not in by_kind:
            raise InputError("ablation_translator_head", value=name)
        by_kind[kind].add(read_head(head))
    return TranslatorHeads(**{kind: tuple(sorted(heads)) for kind, heads in by_kind.items()})


class TranslationAblation(Result):
    """A translation with all heads on, and again with some off.

    ``before_score``, ``after_score``: length-normalised log-probability of each by the network that made it, nats.
    """

    source: str
    heads: TranslatorHeads
    before: str
    after: str
    before_score: float
    after_score: float

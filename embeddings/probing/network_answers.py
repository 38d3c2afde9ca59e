"""Answers about the inside of networks: attention maps, translations and their attention, and what changes when a part is switched off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from embeddings.arrays import Float32s, Float64s
from embeddings.errors import InputError
from embeddings.optional import optional
from embeddings.probing.sentence_answers import Guess, Prediction
from embeddings.results import Result, Table, Value
from embeddings.verbs import Verb

if TYPE_CHECKING:
    import pandas as pd

MEASURES = ("weights", "norms")
AVERAGE, ROLLOUT = "average", "rollout"  # names in the place of a head's number
TYPICAL = 0.4  # share of a head's attention from which on it is named after where it goes
BROAD = 0.8  # entropy, relative to an even spread, from which on a head is called broad


class Side(Value, eq=False):
    """One side of attention: what looks, or what is looked at; tuples have one entry a unit.

    ``labels``: tokens (``##ом``), or words as written in the text.
    ``offsets``: (start, end) in characters of the unit's own sentence, (0, 0) for a special token.
    ``segments``: 0 for the first sentence, 1 for the second.
    ``words``: number of the unit's word, from 0, never falling.
    ``word_labels``: one entry a word: the word as written in the text.
    ``special``: whether the unit is a [CLS] or [SEP].
    """

    labels: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    segments: tuple[int, ...]
    words: tuple[int, ...]
    word_labels: tuple[str, ...]
    special: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.labels)


class AttentionMap(Result, eq=False):
    """Attention of every head of every layer.

    ``weights``: float32, shape (layers, heads, from, to); a row tells how what looks shares its
    attention; rows sum to 1 unless columns were left out.
    ``heads``: names of the second axis: "1", "2" ... and "average", "rollout" where added.
    ``from_side``, ``to_side``: what looks and what is looked at; one object in self-attention.
    ``level``: "token" or "word".
    ``truncated``: how many tokens at the end did not fit the network and were left out.
    ``unknown``: pieces of the text that the network's vocabulary does not have ([UNK]).
    ``shared``: whether all layers have the same attention weights (ALBERT).
    ``measure``: what ``weights`` are: "weights", or "norms", the lengths ||alpha f(x)|| of what each weight fetches, whose rows
    have no fixed sum.
    """

    model: str
    from_side: Side
    to_side: Side
    weights: Float32s
    heads: tuple[str, ...]
    level: str = "token"
    truncated: int = 0
    unknown: tuple[str, ...] = ()
    shared: bool = False
    measure: str = "weights"

    prepare = Verb("probing.attention_maps.prepare")
    head_profiles = Verb("probing.attention_maps.head_profiles")
    _repr_mimebundle_ = Verb("attention_view.html_page.notebook_view")

    @property
    def layers(self) -> int:
        """How many layers there are."""
        return len(self.weights)

    @property
    def numbered(self) -> list[int]:
        """Places of the heads that have a number: all but the average and the rollout."""
        return [place for place, name in enumerate(self.heads) if name.isdigit()]

    @property
    def is_self(self) -> bool:
        """Whether a text looks at itself (not a translation at its source)."""
        return self.from_side is self.to_side

    @property
    def tokens(self) -> tuple[str, ...]:
        """Tokens (or words) that look."""
        return self.from_side.labels

    @property
    def words(self) -> tuple[str, ...]:
        """Words that look, whatever the level."""
        return self.from_side.word_labels

    def telling_head(self) -> tuple[int, str]:
        """Return layer (from 1) and name of the head whose words attend most to one other word at least two places away.

        Special tokens, punctuation, neighbours and the word itself do not count: a head that looks at the next token says
        nothing of the sentence. The measure is the largest such weight of a word, averaged over words. The first head of the
        first layer where no pair of words is left.
        """
        rows, columns = (
            np.array([any(map(str.isalnum, label)) for label in side.labels], bool)
            & ~np.array(side.special, bool)
            for side in (self.from_side, self.to_side)
        )
        distance = np.abs(np.subtract.outer(np.arange(len(rows)), np.arange(len(columns))))
        counts = rows[:, None] & columns & (distance > 1)
        if not counts.any():
            return 1, self.heads[0]
        largest = (self.weights[:, self.numbered] * counts).max(-1)[:, :, rows].mean(-1)
        layer, head = np.unravel_index(int(largest.argmax()), largest.shape)
        return int(layer) + 1, self.heads[self.numbered[int(head)]]

    def to_frame(self, layer: int = 0, head: str = "") -> pd.DataFrame:
        """Return a pandas frame of a layer (from 1): one row per token that looks, one column per token looked at.

        ``head`` is one of ``heads``; "" takes the mean of the heads that have a number. Without a layer it is the `table`.
        """
        if not layer:
            return Result.to_frame(self)
        with optional():
            import pandas as pd

        mean = self.weights[layer - 1, self.numbered].mean(0)
        weights = self.head_weights(layer, head) if head else mean
        return pd.DataFrame(weights, index=list(self.tokens), columns=list(self.to_side.labels))

    def table(self) -> Table:
        """Return a line a weight: layer and head, what looks, what is looked at."""
        return ["layer", "head", "from", "to", "weight"], [
            [layer, head, start, end, weight]
            for layer in range(1, self.layers + 1)
            for head in self.heads
            for start, row in zip(
                self.from_side.labels, self.head_weights(layer, head).tolist(), strict=True
            )
            for end, weight in zip(self.to_side.labels, row, strict=True)
        ]

    def head_weights(self, layer: int, head: str) -> Float32s:
        """Weights of a layer (from 1) and a head (by name), shape (from, to)."""
        return self.weights[layer - 1, self.heads.index(head)]


class HeadProfile(Value):
    """Where one head looks, on average over the tokens that are not [CLS] or [SEP].

    ``previous``, ``following``, ``itself``, ``cls``, ``sep``: share of attention in [0, 1] that
    goes to the token before, behind, the same, [CLS], [SEP]; the first three are NaN where two
    texts meet.
    ``entropy``: bits; ``evenness``: entropy over that of an even spread, in [0, 1].
    ``distance``: tokens between what looks and what is looked at.
    """

    layer: int
    head: str
    previous: float
    following: float
    itself: float
    cls: float
    sep: float
    entropy: float
    evenness: float
    distance: float

    @property
    def pattern(self) -> str:
        """What the head is named after: the largest share of at least 0.4, "broad", or nothing."""
        names = ("previous", "following", "itself", "cls", "sep")
        largest = max(names, key=lambda name: np.nan_to_num(getattr(self, name)))
        if getattr(self, largest) >= TYPICAL:
            return largest
        return "broad" if self.evenness >= BROAD else ""

    @property
    def share(self) -> float:
        """Share of attention that the pattern stands for; evenness for "broad", 0 for none."""
        if not self.pattern:
            return 0.0
        return float(self.evenness if self.pattern == "broad" else getattr(self, self.pattern))


class LogProbabilityRange(Value):
    """Where the mean log-probabilities a token of a translator's own kind of sentences lie, in nats.

    ``median``; ``low``: what 95 % of the ``sentences`` stay above.
    """

    median: float
    low: float
    sentences: int


class TranslatedToken(Value):
    """A token of a translation.

    ``log_probability`` given what stands before it; ``source``: the source token that it looked at most (-1: none).
    """

    token: str
    log_probability: float
    source: int


class Translation(Result):
    """A line translated.

    Attributes
    ----------
    source, target : str
        Both texts; an empty source has an empty target.
    source_tokens : tuple of str
        Its subwords, the EOS token last; ``tokens[i].source`` counts in them.
    tokens : tuple of TranslatedToken
        Of the translation, the EOS token last; empty unless the alignment was asked for.
    score : float
        Length-normalised log-probability of the translation; of several parts, their sum.
    finished : bool
        False if the longest length came before the EOS token: the translation is incomplete.
    unknown : tuple of str
        Characters of the source that the vocabulary lacks.
    parts : int
        Into how many pieces the line was cut because it was too long for the network: 1 if it was not, 0 of an empty line.
    """

    source: str
    target: str
    source_tokens: tuple[str, ...] = ()
    tokens: tuple[TranslatedToken, ...] = ()
    score: float = 0.0
    finished: bool = True
    unknown: tuple[str, ...] = ()
    parts: int = 1


class TranslationAttention(Value, eq=False):
    """All attentions of one translation; arrays are (layers, heads, from, to).

    Attributes
    ----------
    source, target : str
        The texts that the tokens' characters count in.
    source_side : Side
        What the encoder reads, the EOS token last.
    input_side : Side
        What the decoder reads: the target shifted behind the BOS token. Row t of ``decoder`` and ``cross`` is the step that predicts
        token t of ``target_side``.
    target_side : Side
        What the decoder predicts, the EOS token last.
    bert_side : Side or None
        What BERT reads; None for a plain network.
    encoder : ndarray, shape (layers, heads, source, source)
    decoder : ndarray, shape (layers, heads, target, target)
        Causal: zero above the diagonal.
    cross : ndarray, shape (layers, heads, target, source)
    bert_encoder, bert_decoder : ndarray or None
        Attention to BERT's tokens, from the source and from the target.
    log_probabilities : ndarray, shape (target,)
        Of each token given those before it.
    """

    source: str
    target: str
    source_side: Side
    input_side: Side
    target_side: Side
    bert_side: Side | None
    encoder: Float32s
    decoder: Float32s
    cross: Float32s
    bert_encoder: Float32s | None
    bert_decoder: Float32s | None
    log_probabilities: Float32s

    map = Verb("probing.translator.attention_map")

    @property
    def alignment(self) -> tuple[int, ...]:
        """For each target token the source token that it attends to most, the EOS token aside.

        By the heads' mean in the last layer but one, where alignments are clearest (Garg et al. 2019, section 4.1).
        """
        if len(self.source_side) < 2:
            return (-1,) * len(self.target_side)
        layer = max(0, len(self.cross) - 2)
        weights = self.cross[layer].mean(0)[:, :-1]
        return tuple(int(source) for source in weights.argmax(-1))


class TranslationAttribution(Result, eq=False):
    """Which words of the source, and which earlier words of the translation, moved each word of it; all in nats.

    ``baselines + source_gradients.sum(1) + target_gradients.sum(1) + residuals`` is ``log_probabilities``.

    Attributes
    ----------
    source, target : str
    source_words : tuple of str
        Columns of the source; the EOS token is no word.
    target_words : tuple of str
        Rows, and columns of the target: what each step writes, the EOS token last.
    log_probabilities, baselines, residuals : ndarray, shape (target_words,)
        log p of each word given the source and the words before it, the sum over its tokens; the same without a single word, the
        embeddings of all tokens being 0; and what the numerical integration misses.
    source_gradients, source_occlusions : ndarray, shape (target_words, source_words)
        Integrated gradients; and by how much log p falls when the embeddings of one word are 0.
    target_gradients, target_occlusions : ndarray, shape (target_words, target_words)
        The same of what the decoder reads; zero above the diagonal. On it: the word's own first tokens, for its last.
    steps : int
        Points of the path at which gradients were taken.
    """

    source: str
    target: str
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    log_probabilities: Float64s
    baselines: Float64s
    residuals: Float64s
    source_gradients: Float64s
    source_occlusions: Float64s
    target_gradients: Float64s
    target_occlusions: Float64s
    steps: int


class DecodingStep(Value):
    """One step of a translation: what stood before, the best candidates, and the token that was ``chosen``."""

    before: str
    candidates: tuple[Guess, ...]
    chosen: Guess


class BeamNode(Value):
    """A beginning in the beam.

    Attributes
    ----------
    step : int
        How many tokens it has.
    token, text : str
        Its last token, and all of it as text.
    log_probability : float
        Of the whole beginning.
    parent : int
        Index of the beginning it grew from, in `BeamTree.nodes`; -1 for the start.
    state : str
        "kept", "ended" (by the EOS token) or "dropped" (better ones took the places).
    is_best : bool
        Whether the translation came from it.
    """

    step: int
    token: str
    text: str
    log_probability: float
    parent: int
    state: str
    is_best: bool


class BeamTree(Value):
    """The search for one translation: all hypotheses in the order in which they were made, and all finished ones, best first."""

    nodes: tuple[BeamNode, ...]
    endings: tuple[tuple[str, float], ...]  # text, length-normalised log-probability


ATTENTIONS = ("cross", "encoder", "decoder", "bert_encoder", "bert_decoder")


class TranslationInside(Result, eq=False):
    """One translation with all that can be looked at.

    Attributes
    ----------
    attention : TranslationAttention
    steps : tuple of DecodingStep
        One a token of ``attention.target_side``.
    tree : BeamTree
    source_words : tuple of str
        The source's words, the EOS token last.
    source_attention : ndarray, shape (steps, source_words)
        Cross-attention of each step, rows sum to 1: the heads' mean in the last layer but one, summed over a word's tokens.
    unknown : tuple of str
        Characters of the source that the vocabulary lacks.
    """

    attention: TranslationAttention
    steps: tuple[DecodingStep, ...]
    tree: BeamTree
    source_words: tuple[str, ...]
    source_attention: Float32s
    unknown: tuple[str, ...]

    def title(self) -> str:
        """Return the translation and its score."""
        return f"{self.target} ({self.score:.4f})"

    def table(self) -> Table:
        """Return a line a step, with its likeliest candidates."""
        return ["before", "candidates"], [
            [step.before, tuple(f"{c.token} {c.probability:.4f}" for c in step.candidates)]
            for step in self.steps
        ]

    @property
    def target(self) -> str:
        """The translation."""
        return self.attention.target

    @property
    def score(self) -> float:
        """Length-normalised log-probability of the translation, nats."""
        return self.tree.endings[0][1]

    @property
    def finished(self) -> bool:
        """False if the longest length came before the EOS token."""
        return self.steps[-1].chosen.token == "</s>"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The attentions that there are, of `ATTENTIONS`."""
        return tuple(kind for kind in ATTENTIONS if getattr(self.attention, kind) is not None)


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

"""Answers about translations: tokens, attention, attribution, decoding steps and beam."""

from __future__ import annotations

import numpy as np

from embeddings.arrays import Float32s, Float64s
from embeddings.probing.attention_answers import Side
from embeddings.probing.sentence_answers import Guess
from embeddings.results import Result, Table, Value
from embeddings.verbs import Verb


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

    def table(self, *, occlusion: bool = False) -> Table:
        """Return a line a word of the translation: what the words of the source and the earlier words add; then what is no word's.

        With gradients these numbers add up to log p. With ``occlusion`` a cell gives the fall of log p without the word.
        """
        source, target = self.source_gradients, self.target_gradients
        if occlusion:
            source, target = self.source_occlusions, self.target_occlusions
        rest = (self.baselines, self.residuals, self.log_probabilities)
        values = np.column_stack([source, target.sum(axis=1), *rest]).tolist()
        names = ["word", *self.source_words, "earlier words", "baseline", "residual", "log p"]
        return names, [[word, *line] for word, line in zip(self.target_words, values, strict=True)]


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

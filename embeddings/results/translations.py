"""Results on translation. Log probabilities are in nats; attention rows sum to 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embeddings.results.display import Result, Table
from embeddings.results.word_contexts import Guess
from embeddings.verbs import Verb


@dataclass(frozen=True, slots=True)
class BleuScore:
    """BLEU in percent over ``sentences`` pairs, cased and lower-cased, each with sacrebleu's signature."""

    score: float
    signature: str
    lower_score: float
    lower_signature: str
    sentences: int


@dataclass(frozen=True, slots=True)
class LogProbabilityRange:
    """Where the mean log-probabilities a token of a translator's own kind of sentences lie, in nats.

    ``median``; ``low``: what 95 % of the ``sentences`` stay above.
    """

    median: float
    low: float
    sentences: int


@dataclass(frozen=True, slots=True)
class TranslatedToken:
    """A token of a translation.

    ``log_probability`` given what stands before it; ``source``: the source token that it looked at most (-1: none).
    """

    token: str
    log_probability: float
    source: int


@dataclass(frozen=True, slots=True)
class Translation(Result):
    """A line translated.

    Attributes
    ----------
    source, target : str
        Both texts; an empty source has an empty target.
    source_tokens : tuple of str
        Its subwords, the EOS token last; ``tokens[i].source`` counts in them.
    tokens : tuple of TranslatedToken
        Of the translation, the EOS token last.
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


@dataclass(frozen=True, slots=True)
class SideToken:
    """A token and the characters of its text that it covers, (0, 0) for a special one."""

    token: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class TranslationAttention:
    """All attentions of one translation; arrays are (layers, heads, from, to).

    Attributes
    ----------
    source, target : str
        The texts that the tokens' characters count in.
    source_tokens : tuple of SideToken
        What the encoder reads, the EOS token last.
    input_tokens : tuple of SideToken
        What the decoder reads: the target shifted behind the BOS token. Row t of ``decoder`` and ``cross`` is the step that predicts
        ``target_tokens[t]``.
    target_tokens : tuple of SideToken
        What the decoder predicts, the EOS token last.
    bert_tokens : tuple of SideToken
        What BERT reads; () for a plain network.
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
    source_tokens: tuple[SideToken, ...]
    input_tokens: tuple[SideToken, ...]
    target_tokens: tuple[SideToken, ...]
    bert_tokens: tuple[SideToken, ...]
    encoder: NDArray[np.float32]
    decoder: NDArray[np.float32]
    cross: NDArray[np.float32]
    bert_encoder: NDArray[np.float32] | None
    bert_decoder: NDArray[np.float32] | None
    log_probabilities: NDArray[np.float32]

    map = Verb("probing.translation_steps.attention_map")

    @property
    def alignment(self) -> tuple[int, ...]:
        """For each target token the source token that it attends to most, the EOS token aside.

        By the heads' mean in the last layer but one, where alignments are clearest (Garg et al. 2019, section 4.1).
        """
        if len(self.source_tokens) < 2:
            return (-1,) * len(self.target_tokens)
        layer = max(0, len(self.cross) - 2)
        weights = self.cross[layer].mean(0)[:, :-1]
        return tuple(int(source) for source in weights.argmax(-1))


@dataclass(frozen=True, slots=True, eq=False)
class TranslationAttribution(Result):
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
    log_probabilities: NDArray[np.float64]
    baselines: NDArray[np.float64]
    residuals: NDArray[np.float64]
    source_gradients: NDArray[np.float64]
    source_occlusions: NDArray[np.float64]
    target_gradients: NDArray[np.float64]
    target_occlusions: NDArray[np.float64]
    steps: int


@dataclass(frozen=True, slots=True)
class DecodingStep:
    """One step of a translation: what stood before, the best candidates, and the token that was ``chosen``."""

    before: str
    candidates: tuple[Guess, ...]
    chosen: Guess


@dataclass(frozen=True, slots=True)
class BeamNode:
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


@dataclass(frozen=True, slots=True)
class BeamTree:
    """The search for one translation: all hypotheses in the order in which they were made, and all finished ones, best first."""

    nodes: tuple[BeamNode, ...]
    endings: tuple[tuple[str, float], ...]  # text, length-normalised log-probability


ATTENTIONS = ("cross", "encoder", "decoder", "bert_encoder", "bert_decoder")


@dataclass(frozen=True, slots=True, eq=False)
class TranslationInside(Result):
    """One translation with all that can be looked at.

    Attributes
    ----------
    attention : TranslationAttention
    steps : tuple of DecodingStep
        One a token of ``attention.target_tokens``.
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
    source_attention: NDArray[np.float32]
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

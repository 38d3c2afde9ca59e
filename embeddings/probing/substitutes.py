"""Lexical substitutes: what the network would put in the place of a word, with and without seeing the word.

For a word T in a context C, and every token s of the vocabulary:

- masked:    P(s | C), T replaced by one [MASK];
- visible:   P(s | C, T), the text as it is, read at T's own tokens (geometric mean over them);
- pattern:   P(s | C, T), T replaced by a pattern that keeps it, as «ключ и [MASK]» (dynamic symmetric patterns);
- embedding: P(s | T) = softmax(cos(e_s, e_T) / temperature), e the rows of the token embedding matrix, e_T the mean over T's tokens.

They are combined by their weights w_i, as a product or a mixture, and divided by the prior P(s), the mean of the masked
distribution over all contexts given, to the power beta:

    product:  P(s) = 1/Z prod_i P_i(s)^w_i / prior(s)^beta        mixture:  P(s) = 1/Z sum_i w_i P_i(s) / prior(s)^beta

Amrami and Goldberg (2018), section 3 (patterns); Arefyev et al. (2020), sections 3 and 4 (+embs, patterns, the prior).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from embeddings.analysis.sense_induction import Closeness
from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError
from embeddings.probing.context_states import Occurrence, TokenSpan, token_span
from embeddings.probing.fill_mask import logits, token_head
from embeddings.probing.network import (
    Network,
    in_batches,
    mask_name,
    token_names,
    whole_words,
)
from embeddings.results import Report
from embeddings.results.sentence_answers import Substitutes
from embeddings.text.lemmas import lemma, lemma_key
from embeddings.text.wordpiece import HEAD

NAMED = 5  # words a sense
R = TypeVar("R")
# {word} is the word as it stands, {mask} the blank
PATTERNS: dict[str, dict[str, str]] = {
    "and": {"en": "{word} and {mask}", "ru": "{word} и {mask}", "de": "{word} und {mask}"},
    "or": {"en": "{word} or {mask}", "ru": "{word} или {mask}", "de": "{word} oder {mask}"},
    "and_before": {"en": "{mask} and {word}", "ru": "{mask} и {word}", "de": "{mask} und {word}"},
    "or_even": {
        "en": "{word} (or even {mask})",
        "ru": "{word} (или даже {mask})",
        "de": "{word} (oder sogar {mask})",
    },
    "that_is": {
        "en": "{word}, that is {mask},",
        "ru": "{word}, то есть {mask},",
        "de": "{word}, also {mask},",
    },
}
FLOOR = (
    -30.0
)  # nats: a probability below e^-30 counts as that, so that no source can veto a word alone


@dataclass(frozen=True, slots=True)
class SubstitutesConfig:
    """Which sources count, and how they are combined; a weight of 0 leaves a source out."""

    masked: float = field(default=1.0, metadata={"help": "Weight of the word masked."})
    visible: float = field(default=0.0, metadata={"help": "Weight of the word visible."})
    pattern: float = field(default=0.0, metadata={"help": "Weight of the pattern."})
    embedding: float = field(default=0.0, metadata={"help": "Weight of nearness to the word."})
    pattern_name: str = field(default="and", metadata={"help": f"One of {', '.join(PATTERNS)}."})
    temperature: float = field(default=0.1, metadata={"help": "Divides the cosine of embedding."})
    combine: str = field(default="product", metadata={"help": "product or mixture."})
    beta: float = field(default=0.0, metadata={"help": "Power of the prior divided by."})
    whole_words: bool = field(default=True, metadata={"help": "Only tokens that are whole words."})

    def __post_init__(self) -> None:
        for name in ("masked", "visible", "pattern", "embedding"):
            check_range(name, getattr(self, name), 0.0, 100.0)
        check_range("temperature", self.temperature, 1e-3, 100.0)
        check_range("beta", self.beta, 0.0, 10.0)
        check_choice("combine", self.combine, ("product", "mixture"))
        check_choice("pattern_name", self.pattern_name, tuple(PATTERNS))
        if not self.masked + self.visible + self.pattern + self.embedding:
            raise InputError("substitutes_no_source")


NAMING = SubstitutesConfig(masked=1.0, embedding=0.5)  # senses are named by these
NAMING_TOPN = 200  # of each context


def substitutes(
    reader: Network,
    contexts: Sequence[Occurrence],
    topn: int = 200,
    config: SubstitutesConfig = SubstitutesConfig(),
    *,
    language: str = "",
    report: Report | None = None,
) -> Substitutes:
    """Return the likeliest substitutes of each word in its text.

    Parameters
    ----------
    reader : Network
        A network with its MLM head.
    contexts : sequence of (text, (start, end))
        A text and the characters of the word in it; a text that is too long is cut around the word.
    topn : int, default 200
        Substitutes a context; the rest of the distribution is dropped.
    config : SubstitutesConfig
        The sources and how they are combined.
    language : {"en", "ru", "de"}
        Of the pattern; only needed with one.
    report : callable, optional
        Called after each batch.

    Raises
    ------
    InputError
        As `word_states`; if the network has no MLM head, or no pattern is known for the language.
    """
    token_head(reader)
    if config.pattern:
        check_choice("language", language, tuple(PATTERNS[config.pattern_name]))
    allowed = _allowed(reader, config)
    check_range("topn", topn, 1, int(allowed.sum()))
    walk = _Walk(reader, contexts, config, language, allowed)
    prior = walk.prior() if config.beta else None
    ids = np.empty((len(contexts), topn), np.int32)
    probabilities = np.empty((len(contexts), topn), np.float32)
    chosen = allowed.nonzero()[0]
    for rows, (values, best) in walk.each(
        lambda rows: _top(walk.combined(rows, prior), topn), report
    ):
        probabilities[rows], ids[rows] = values, chosen[best]
    return Substitutes(ids, probabilities, token_names(reader), walk.truncated)


def naming_substitutes(reader: Network, contexts: Sequence[Occurrence]) -> Substitutes | None:
    """Return the substitutes that `telling_substitutes` names senses by; None without an MLM head or whole words."""
    words = int(whole_words(reader).sum())
    if reader.network.tokens is None or not words:
        return None
    return substitutes(reader, contexts, min(NAMING_TOPN, words), NAMING)


class _Walk:
    """The contexts as the sources read them, batch by batch."""

    def __init__(
        self,
        reader: Network,
        contexts: Sequence[Occurrence],
        config: SubstitutesConfig,
        language: str,
        allowed: NDArray[np.bool_],
    ) -> None:
        self.reader, self.config = reader, config
        self.allowed = torch.from_numpy(allowed.nonzero()[0]).to(reader.device)
        pattern = PATTERNS[config.pattern_name].get(language, "{mask}")
        self.located = [token_span(reader, text, span) for text, span in contexts]
        self.blank = [
            token_span(reader, *_written(reader, context, "{mask}")) for context in contexts
        ]
        self.joined = [
            token_span(reader, *_written(reader, context, pattern)) for context in contexts
        ]
        self.truncated = np.array([p.truncated for p in self.located], bool)
        with torch.inference_mode():
            table = reader.network.encoder.inputs.tokens.weight
            self.lengths = table.norm(dim=1).clamp_min(1e-12).index_select(0, self.allowed)

    def each(
        self, ask: Callable[[list[int]], R], report: Report | None = None
    ) -> Iterator[tuple[list[int], R]]:
        """Ask about all contexts, some at a time."""
        return in_batches(self.reader, [len(p.tokens.ids) for p in self.located], 32, ask, report)

    def masked(self, rows: list[int]) -> Tensor:
        """Log P(s | C), shape (texts, allowed)."""
        return self._read([self.blank[row] for row in rows]).log_softmax(-1)

    def prior(self) -> Tensor:
        """Log of the mean masked distribution over all contexts, shape (allowed,)."""
        parts = self.each(lambda rows: self.masked(rows).exp().sum(0))
        sums = [part_sums for _, part_sums in sorted(parts, key=lambda part: part[0][0])]
        return (torch.stack(sums).sum(0) / len(self.located)).clamp_min(np.exp(FLOOR)).log()

    def combined(self, rows: list[int], prior: Tensor | None) -> Tensor:
        """The distribution of each context, shape (texts, allowed); rows sum to 1."""
        sources = [(weight, make(rows)) for weight, make in self._sources() if weight]
        if self.config.combine == "product":
            total = sum(weight * logs.clamp_min(FLOOR) for weight, logs in sources)
        else:
            total = sum(weight * logs.exp() for weight, logs in sources)
            total = total.clamp_min(np.exp(FLOOR)).log() if isinstance(total, Tensor) else total
        assert isinstance(total, Tensor)
        return (total if prior is None else total - self.config.beta * prior).softmax(-1)

    def _sources(self) -> tuple[tuple[float, Callable[[list[int]], Tensor]], ...]:
        """Weights and how each source is computed."""
        config = self.config
        return (
            (config.masked, self.masked),
            (config.visible, self._visible),
            (config.pattern, self._pattern),
            (config.embedding, self._near),
        )

    def _visible(self, rows: list[int]) -> Tensor:
        """Log P(s | C, T) at the word's own tokens."""
        located = [self.located[row] for row in rows]
        return _means(self._read(located).log_softmax(-1), located).log_softmax(-1)

    def _pattern(self, rows: list[int]) -> Tensor:
        """Log P(s | C, T) at the mask of the pattern."""
        return self._read([self.joined[row] for row in rows]).log_softmax(-1)

    def _read(self, located: list[TokenSpan]) -> Tensor:
        """Scores of the allowed tokens at every position."""
        return logits(self.reader, located).index_select(1, self.allowed)

    def _near(self, rows: list[int]) -> Tensor:
        """Log P(s | T) by the token embedding matrix."""
        located = [self.located[row] for row in rows]
        ids = [p.tokens.ids[i] for p in located for i in p.positions]
        with torch.inference_mode():
            table = self.reader.network.encoder.inputs.tokens.weight
            word = torch.nn.functional.normalize(_means(table[ids], located))
            # of 250 000 rows no copy is made: lengths are divided by after the product
            cosines: Tensor = (word @ table.T).index_select(1, self.allowed) / self.lengths
            return (cosines / self.config.temperature).log_softmax(-1)


def _top(probabilities: Tensor, topn: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The largest of each row, falling, and where they stand."""
    values, best = probabilities.topk(topn)
    return values.cpu().numpy(), best.cpu().numpy()


def _means(values: Tensor, located: Sequence[TokenSpan]) -> Tensor:
    """Mean over the positions of each text, shape (texts, columns)."""
    sizes = [len(p.positions) for p in located]
    return torch.stack([part.mean(0) for part in torch.split(values, sizes)])


def _written(reader: Network, context: Occurrence, pattern: str) -> Occurrence:
    """Write ``pattern`` into the place of the word; the span is then that of the mask."""
    text, (start, end) = context
    mask = mask_name(reader)
    head, _, _ = pattern.partition("{mask}")
    before = text[:start] + head.format(word=text[start:end])
    whole = text[:start] + pattern.format(word=text[start:end], mask=mask) + text[end:]
    return whole, (len(before), len(before) + len(mask))


def _allowed(reader: Network, config: SubstitutesConfig) -> NDArray[np.bool_]:
    """Which rows of the output may be substitutes."""
    if config.whole_words:
        return whole_words(reader)
    return np.arange(reader.config.vocab_size) < len(token_names(reader))


def telling_substitutes(
    substituted: Substitutes,
    labels: NDArray[np.int64],
    number: int,
    language: str,
    left_out: Collection[str] = (),
    near: Closeness | None = None,
) -> tuple[tuple[str, ...], ...]:
    """Up to five substitutes a sense, of highest P(s | sense) log(P(s | sense) / P(s | the other senses)) c(s, sense).

    P(s | sense) is the mean over its contexts, forms of a lemma together; c is 1 without ``near``.

    Parameters
    ----------
    substituted : Substitutes
        Of each context.
    labels : NDArray of int64
        Sense of each context, below ``number``.
    number : int
        Senses; one without a context here gets no name.
    language : str
        Of the lemmas.
    left_out : collection of str
        Keys of lemmas that do not count, as the word's own.
    near : Closeness, optional
        Of the words of a static companion: what it lacks does not count, nor what says nothing (a
        two-thousandth of its corpus), and c is the closeness to the sense's contexts.
    """
    totals: dict[str, NDArray[np.float64]] = {}
    shown: dict[str, str] = {}
    close: dict[str, NDArray[np.float32] | None] = {}
    for row, label in enumerate(labels):
        for token, chance in zip(substituted.ids[row], substituted.probabilities[row], strict=True):
            text = substituted.tokens[token].removeprefix(HEAD)
            if not text.isalpha() or (key := lemma_key(text, language)) in left_out:
                continue
            if near is not None and key not in close:
                close[key] = near.of((key, text.lower()))
            if near is not None and close[key] is None:
                continue
            shown.setdefault(key, lemma(text, language))
            totals.setdefault(key, np.zeros(number))[label] += chance
    if not totals:
        return ((),) * number
    keys = list(totals)
    sizes = np.bincount(labels, minlength=number)
    sums = np.array([totals[key] for key in keys])
    inside = sums / np.maximum(sizes, 1)
    outside = (sums.sum(1, keepdims=True) - sums) / np.maximum(sizes.sum() - sizes, 1)
    scores = inside * np.log((inside + 1e-5) / (outside + 1e-5))
    if near is not None:
        scores *= np.array([close[key] for key in keys])
    order = np.argsort(-scores, axis=0, kind="stable")[:NAMED]
    return tuple(
        tuple(shown[keys[i]] for i in order[:, label] if scores[i, label] > 0)
        for label in range(number)
    )

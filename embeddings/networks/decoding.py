"""Decoding: the most probable next token again and again (greedy), or the best few hypotheses at once (beam).

A finished translation of n tokens (the EOS token counts) is worth log p / ((5 + n) / 6)^alpha, so that
short ones do not win by being short (Wu et al. 2016, section 7, equation 14). Beam 1 is greedy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from embeddings.configuration import CheckedConfig, setting
from embeddings.networks.encoder_decoder import (
    END,
    PAD,
    START,
    UNKNOWN,
    Encoded,
    TranslationNetwork,
)
from embeddings.networks.encoder_decoder_layers import LayerCache, take_rows


@torch.inference_mode()
def search(
    network: TranslationNetwork,
    encoded: Encoded,
    config: DecodingConfig,
    *,
    trace: bool = False,
) -> list[Search]:
    """Translate a batch of encoded sources.

    Returns
    -------
    list of Search
        One a source; ``best`` is the translation, ``hypotheses`` all that ended.
    """
    return _Beam(network, encoded, config, trace).run()


Candidate = tuple[float, int, int]
"""One hypothesis made a token longer: its log p, its row in the beam, and the token."""


class _Beam:
    """The beams of a batch: ``live`` sentences, ``beam`` rows each, the same number of tokens in all of them."""

    def __init__(
        self, network: TranslationNetwork, encoded: Encoded, config: DecodingConfig, trace: bool
    ) -> None:
        self.network, self.config, self.trace = network, config, trace
        mask = encoded.source.mask
        device = mask.device
        lengths = mask.sum((1, 2, 3)).tolist()
        bound = network.config.max_position_embeddings
        self.searches = [Search(longest_target(int(size), bound)) for size in lengths]
        self.live = list(range(len(lengths)))
        rows = torch.arange(len(lengths), device=device).repeat_interleave(config.beam)
        self.caches: tuple[LayerCache, ...] = take_rows(network.open(encoded), rows)
        self.ids = torch.full((len(rows), 1), START, device=device)
        # all rows of a sentence begin alike: only the first may be extended at the first step
        self.scores = torch.full((len(lengths), config.beam), float("-inf"), device=device)
        self.scores[:, 0] = 0.0

    def run(self) -> list[Search]:
        """Step until every sentence has as many endings as its beam is wide."""
        while self.live:
            self._step()
        return self.searches

    def _step(self) -> None:
        """Extend all rows by a token; take out the sentences that are done."""
        beam, live = self.config.beam, len(self.live)
        added = self._next_log_probabilities().view(live, beam, -1)
        total = (self.scores[..., None] + added).flatten(1)  # (live, beam x vocabulary)
        scores, positions = total.topk(2 * beam)
        parents, tokens = positions // added.shape[-1], positions % added.shape[-1]
        chosen = torch.zeros(live, beam, dtype=torch.long, device=scores.device)
        kept: list[int] = []
        table = zip(scores.tolist(), parents.tolist(), tokens.tolist(), strict=True)
        for row, lists in enumerate(table):
            candidates = list(zip(*lists, strict=True))
            continued = self._sort_out(row, candidates)
            chosen[row] = torch.tensor(continued, device=scores.device)
            if not self._is_done(row, candidates[continued[0]]):
                kept.append(row)
        self._continue(kept, chosen, scores, parents, tokens)

    def _next_log_probabilities(self) -> Tensor:
        """Return log p of every next token, shape (rows, vocabulary); special ones but the end have none."""
        decoded = self.network.decode(self.ids[:, -1:], self.caches)
        self.caches = decoded.caches
        return next_log_probabilities(self.network, decoded.hidden[:, -1])

    def _sort_out(self, row: int, candidates: Sequence[Candidate]) -> list[int]:
        """Note what ends; return which candidates continue, the best first."""
        beam, search_state = self.config.beam, self.searches[self.live[row]]
        continued: list[int] = []
        steps: list[Extension] = []
        for rank, (value, origin, word) in enumerate(candidates):
            if value == float("-inf"):
                break
            beam_row = -2
            if word == END:
                beam_row = -1
                if rank < beam:  # an ending counts if it is among the best of the step
                    self._note(row, value, origin)
            elif len(continued) < beam:
                beam_row = len(continued)
                continued.append(rank)
            steps.append(Extension(origin, word, value, beam_row))
        if self.trace:
            search_state.steps.append(tuple(steps))
        return continued + [continued[-1]] * (beam - len(continued)) if continued else [0] * beam

    def _note(self, row: int, score: float, origin: int, *last: int) -> None:
        """Keep a translation, which has not ended if it has a last token."""
        ids = (*self.ids[row * self.config.beam + origin, 1:].tolist(), *last)
        finished = not last
        value = worth(score, len(ids) + finished, self.config.length_penalty)
        self.searches[self.live[row]].hypotheses.append(Hypothesis(ids, value, finished))

    def _is_done(self, row: int, best: Candidate) -> bool:
        """Whether a sentence needs no further step; at the longest length the best that continues is taken."""
        search_state = self.searches[self.live[row]]
        if len(search_state.hypotheses) >= self.config.beam:
            return True
        if self.ids.shape[1] < search_state.longest:
            return False
        if not search_state.hypotheses:
            self._note(row, *best)
        return True

    def _continue(
        self, kept: list[int], chosen: Tensor, scores: Tensor, parents: Tensor, tokens: Tensor
    ) -> None:
        """Build the rows of the next step from the candidates that go on, for the sentences kept."""
        self.live = [self.live[row] for row in kept]
        if not kept:
            return
        index = torch.tensor(kept, device=chosen.device)
        scores, parents, tokens = (
            part[index].gather(1, chosen[index]) for part in (scores, parents, tokens)
        )
        rows = (index[:, None] * self.config.beam + parents).flatten()
        self.ids = torch.cat((self.ids[rows], tokens.flatten()[:, None]), 1)
        self.caches = take_rows(self.caches, rows)
        # where fewer went on than the beam is wide, the rest repeats one of them and is out of the race
        repeated = chosen[index]
        doubled = torch.zeros_like(scores, dtype=torch.bool)
        doubled[:, 1:] = repeated[:, 1:] == repeated[:, :-1]
        self.scores = scores.masked_fill(doubled, float("-inf"))


def next_log_probabilities(network: TranslationNetwork, hidden: Tensor) -> Tensor:
    """Return log p of every token, shape (..., vocabulary), from states of the decoder.

    What decoding never says (padding, unknown, start) is left out and the rest sums to 1.
    """
    scores: Tensor = network.scores(hidden).float()
    scores[..., [PAD, UNKNOWN, START]] = float("-inf")
    return scores.log_softmax(-1)


def to_batch(sources: list[list[int]], device: torch.device | None = None) -> Tensor:
    """Return ids of sources as one batch, each closed by `END` and filled up with `PAD`."""
    closed = [torch.tensor([*ids, END], dtype=torch.long) for ids in sources]
    return pad_sequence(closed, batch_first=True, padding_value=PAD).to(device)


class DecodingConfig(CheckedConfig):
    """How to decode."""

    beam: int = setting(5, "Hypotheses kept at each step; 1: greedy.", 1, 100)
    length_penalty: float = setting(
        1.0, "Exponent alpha of the length normalisation; 0: none.", 0.0, 10.0
    )


def decoding(config: DecodingConfig | int | None) -> DecodingConfig:
    """Return how to decode: as given, with so many hypotheses for a number, by default for None."""
    return DecodingConfig(config) if isinstance(config, int) else config or DecodingConfig()


@dataclass(frozen=True, slots=True)
class Extension:
    """One hypothesis made a token longer: ``parent`` is its row in the beam of the step before, ``score`` its log p, nats.

    ``beam_row`` is its row in the beam; -1 if it ended, -2 if better ones filled the beam.
    """

    parent: int
    token: int
    score: float
    beam_row: int


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A translation in ids, without BOS and EOS.

    ``score``: length-normalised log-probability, nats. ``finished``: whether the EOS token came before the longest length.
    """

    ids: tuple[int, ...]
    score: float
    finished: bool

    @property
    def outputs(self) -> tuple[int, ...]:
        """Ids that the decoder predicts, the EOS token among them if it came."""
        return (*self.ids, END) if self.finished else self.ids


@dataclass(slots=True)
class Search:
    """Where the search of one sentence stands.

    ``hypotheses`` holds what has ended; ``steps``, on request, every step's extensions, best first.
    """

    longest: int
    hypotheses: list[Hypothesis] = field(default_factory=list)
    steps: list[tuple[Extension, ...]] = field(default_factory=list)

    @property
    def best(self) -> Hypothesis:
        """The best translation."""
        return max(self.hypotheses, key=lambda hypothesis: hypothesis.score)


def worth(score: float, length: int, alpha: float) -> float:
    """Return the length-normalised log-probability.

    Examples
    --------
    >>> worth(-3.0, 7, 1.0), worth(-3.0, 7, 0.0)
    (-1.5, -3.0)
    """
    penalty: float = ((5 + length) / 6) ** alpha
    return score / penalty


def longest_target(source: int, bound: int) -> int:
    """Return how many tokens a translation may have, for a source of so many.

    Examples
    --------
    >>> longest_target(10, 128), longest_target(100, 128)
    (30, 128)
    """
    return min(bound, 2 * source + 10)

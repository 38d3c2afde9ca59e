"""What a decoding needs and returns: settings, translations in ids, and the steps of the search."""

from __future__ import annotations

from dataclasses import dataclass, field

from embeddings.configuration import check_fields, setting


@dataclass(frozen=True, slots=True)
class DecodingConfig:
    """How to decode; ``use_cache`` changes nothing but the time."""

    beam: int = setting(5, "Hypotheses kept at each step; 1: greedy.", 1, 100)
    length_penalty: float = setting(
        1.0, "Exponent alpha of the length normalisation; 0: none.", 0.0, 10.0
    )
    use_cache: bool = setting(True, "Cache keys and values of earlier steps.")

    def __post_init__(self) -> None:
        check_fields(self)


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

"""What a network computes for one sentence, step by step, every array as numpy.

Shapes: T tokens, E columns of the embedding tables, H hidden_size, d = H / heads, I
intermediate_size, P max_position_embeddings. Rows of attention are the token that looks, columns
the token looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Guess:
    """A token that the token head would put in a place, with its probability in [0, 1]."""

    token: str
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class HeadWalk:
    """One attention head of one layer.

    ``query``, ``key``, ``value`` (T, d); ``scores`` = query key' (T, T); ``scaled`` = scores /
    sqrt(d); ``powers`` = exp(scaled - the largest of its row); ``weights`` = softmax of each row,
    which is ``powers`` divided by their sum; ``mixed`` = weights value (T, d).
    ``causal`` are the weights that a decoder's mask would leave: nothing to the right. The mask of
    an encoder hides padding alone, and one sentence has none.
    """

    query: Floats
    key: Floats
    value: Floats
    scores: Floats
    scaled: Floats
    powers: Floats
    weights: Floats
    causal: Floats
    mixed: Floats


@dataclass(frozen=True, slots=True, eq=False)
class LayerWalk:
    """One layer, all heads: what enters, and each thing done to it, in order.

    ``input`` (T, H); ``weights`` of all heads (heads, T, T); ``joined`` heads side by side (T, H);
    ``attended`` = joined W_O + b_O; ``first_sum`` = input + attended; ``first_norm`` of it;
    ``inner`` (T, I) after the activation; ``outer`` (T, H); ``second_sum`` = first_norm + outer;
    ``output`` its norm.
    """

    input: Floats
    weights: Floats
    joined: Floats
    attended: Floats
    first_sum: Floats
    first_norm: Floats
    inner: Floats
    outer: Floats
    second_sum: Floats
    output: Floats

    @property
    def moments(self) -> NDArray[np.float32]:
        """Mean and standard deviation of each row of ``first_sum``, before it is normed: (T, 2)."""
        return np.stack([self.first_sum.mean(axis=1), self.first_sum.std(axis=1)], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """A sentence on its way through a network.

    ``words`` holds for each token the place of its word in the sentence, -1 for special tokens.
    ``token_rows``, ``segment_rows``, ``position_rows``, their ``total`` and its ``normed`` form
    have shape (T, E); ``states`` (layers + 1, T, H), the first of them the embeddings as the
    layers receive them. ``guesses`` has for each of these states and each token the likeliest
    tokens; empty where the folder has no token head.
    """

    model: str
    text: str
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    words: tuple[int, ...]
    layer: int
    head: int
    token_rows: Floats
    segment_rows: Floats
    position_rows: Floats
    total: Floats
    normed: Floats
    states: Floats
    at_head: HeadWalk
    at_layer: LayerWalk
    guesses: tuple[tuple[tuple[Guess, ...], ...], ...]

    @property
    def drift(self) -> NDArray[np.float32]:
        """Cosine of each token's state after each layer with its first one: (T, layers + 1)."""
        unit = self.states / np.maximum(np.linalg.norm(self.states, axis=2, keepdims=True), 1e-12)
        cosines: NDArray[np.float32] = np.einsum("lth,th->tl", unit, unit[0])
        return cosines


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """How a network tells positions apart: ``table`` (P, E), ``cosines`` (P, P), learned or waves."""

    learned: bool
    table: Floats
    cosines: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Swap:
    """A sentence and the same with two words exchanged.

    Cosines, shape (T,), of each token's last vector in the one with the same token's in the other:
    ``with_positions``, and ``without``, every token then standing at position 0.
    """

    tokens: tuple[str, ...]
    swapped: tuple[str, ...]
    with_positions: Floats
    without: Floats


@dataclass(frozen=True, slots=True)
class PartCosts:
    """Parameters and operations (multiplications of one sequence) of a network, part by part."""

    name: str
    parameters: dict[str, int]
    operations: dict[str, int]
    total_parameters: int
    total_operations: int

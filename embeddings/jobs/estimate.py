"""How long a training will take and how much memory, from the size of the text and rates that were measured.

`benchmarks.report` writes the rates (two cores of a server) to ``data/rates.toml``. Another machine has others, so a page says that this
is an estimate. Skip-gram and CBOW take time by words, window and vector size; GloVe by pairs of words that meet, of which a
larger text has fewer a word; networks by multiplications.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace

from embeddings.analysis.network_costs import operations, parameters
from embeddings.configuration import check_choice
from embeddings.corpora.corpus_answers import TextPreview
from embeddings.errors import FormatError, MissingFileError, clause
from embeddings.jobs.job_answers import Estimate, SpeedSample
from embeddings.method_registry import DEFAULT_METHOD, METHODS
from embeddings.networks.bert_config import NETWORK_CONFIGS, BertConfig, NetworkConfig
from embeddings.shelf.locations import data
from embeddings.training.settings import HEAD_SIZE, NetworkSettings, Settings, StaticSettings

PAIRS = (1.0, 0.13, 0.25)  # pairs a running word and window; how they fall with text and window
REFERENCE = BertConfig()  # the network that `Rates.tokens` is of
PREPARED_A_SECOND = 1.0e6  # tokens, timed once by hand
START_SECONDS, NETWORK_START_SECONDS = 4.0, 9.0  # seconds until a job's libraries are there
NGRAMS = 2.0  # times as long as skip-gram takes fastText, whose words are made of several rows; timed once by hand
RATES = "rates.toml"
PASS = 0.03  # seconds of a checkpoint
PROGRAM, NETWORK_PROGRAM = 180 << 20, 450 << 20  # bytes of a process that has done nothing yet


@dataclass(frozen=True, slots=True)
class Rates:
    """What two cores do in a second.

    Attributes
    ----------
    encoded : float
        Words of English text tokenised and encoded.
    trained : dict of str to float
        Words by skip-gram and by CBOW: 100 dimensions, window 5.
    counted : float
        Words of which co-occurrences are counted, window 10.
    pairs : float
        Pairs in GloVe's training, 100 dimensions.
    tokens : float
        Tokens in pretraining of `REFERENCE`.
    """

    encoded: float
    trained: dict[str, float]
    counted: float
    pairs: float
    tokens: float


def read_rates() -> Rates:
    """Return the rates that the speed benchmarks measured, from ``rates.toml`` of the shipped data.

    Raises
    ------
    MissingFileError, FormatError
        If the file is missing or damaged.
    """
    path = data() / RATES
    if not path.is_file():
        raise MissingFileError("file_missing", path=path, way_out=clause("install_again"))
    try:
        return Rates(**tomllib.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise FormatError("file_unreadable", path=path, reason=error) from error


def estimate(
    method: str, settings: Settings, text: TextPreview, sample: SpeedSample | None = None
) -> Estimate:
    """Return seconds and bytes; a text of which the beginning alone was counted is scaled up.

    Parameters
    ----------
    method, settings, text
        What is trained on what.
    sample : SpeedSample, optional
        A moment of the same training on this machine (`embeddings.jobs.speed_sample`). What is neither text nor training, the
        start of its process, keeps its time.
    """
    check_choice("method", method, tuple(METHODS))
    scale = text.total / max(text.read, 1)
    if isinstance(settings, NetworkSettings):
        expected = _network(method, settings, text.words * scale)
        sampled = settings.steps * step_seconds(method, settings, read_rates())
    else:
        words = text.kept_tokens(settings.min_count) * scale
        vocabulary = text.vocabulary(settings.min_count) * scale**0.6  # new words become rarer
        expected = _static(method, settings, words, vocabulary)
        sampled = expected.seconds - START_SECONDS
    if sample is None:
        return expected
    seconds = expected.seconds + (sample.factor - 1) * sampled
    return replace(expected, seconds=seconds, sample=sample)


def comparison_seconds(
    tokens: int, settings: StaticSettings, trainings: int, sample: SpeedSample | None = None
) -> float:
    """Return how many seconds two sides take that are trained by skip-gram again and again.

    Parameters
    ----------
    tokens : int
        Of both sides together.
    settings : StaticSettings
        Of each training.
    trainings : int
        How often both are trained.
    sample : SpeedSample, optional
        As for `estimate`.
    """
    rates, factor = read_rates(), sample.factor if sample else 1.0
    a_pass = pass_seconds(DEFAULT_METHOD, settings, tokens, 0.0, rates)
    return START_SECONDS + factor * (tokens / rates.encoded + trainings * settings.passes * a_pass)


def _static(method: str, settings: StaticSettings, words: float, vocabulary: float) -> Estimate:
    """Word2Vec and GloVe."""
    rates = read_rates()
    size, threads = settings.vector_size, min(settings.workers, 2) / 2
    matrix = 4 * size * vocabulary
    seconds = START_SECONDS + words / rates.encoded + PASS * settings.passes
    if method == "glove":
        pairs = pair_count(words, vocabulary, settings.window)
        seconds += words * settings.window / 10 / rates.counted / threads
        seconds += settings.passes * pass_seconds(method, settings, words, pairs, rates)
        return Estimate(seconds, int(PROGRAM + 24 * pairs + 8 * matrix), int(4 * matrix))
    seconds += settings.passes * pass_seconds(method, settings, words, 0.0, rates)
    return Estimate(seconds, int(PROGRAM + 4 * matrix + 4 * words), int(2 * matrix + 4 * words))


def pass_seconds(
    method: str, settings: StaticSettings, words: float, pairs: float, rates: Rates
) -> float:
    """Return the seconds of a pass over so many words, or for GloVe over so many pairs, by some rates."""
    threads = min(settings.workers, 2) / 2
    cost = 0.3 + 0.7 * settings.vector_size / 100
    if method == "glove":
        return pairs * cost / rates.pairs / threads
    trained = rates.trained.get(method, rates.trained[DEFAULT_METHOD])
    trained /= NGRAMS if method == "fasttext" else 1
    return words * cost * (settings.window + 1) / 6 / trained / threads


def pair_count(words: float, vocabulary: float, window: int) -> float:
    """Return about how many different pairs meet in a text of so many words."""
    factor, fall, narrowing = PAIRS
    share = factor * max(words / 1e4, 1e-3) ** -fall * (window / 5) ** -narrowing
    pairs = words * window * share
    return float(min(pairs, 2 * window * words, vocabulary**2))


def network_sizes(method: str, settings: NetworkSettings) -> NetworkConfig:
    """Return the sizes of a network that is trained with some settings."""
    return NETWORK_CONFIGS[method](
        vocab_size=settings.vocab_size,
        hidden_size=settings.hidden_size,
        num_hidden_layers=settings.layers,
        num_attention_heads=max(1, settings.hidden_size // HEAD_SIZE),
        intermediate_size=4 * settings.hidden_size,
        embedding_size=min(settings.hidden_size, 128) if method == "albert" else 0,
    )


def step_seconds(method: str, settings: NetworkSettings, rates: Rates) -> float:
    """Return the seconds of a training step of a network, by some rates."""
    length = settings.row_length
    sizes = network_sizes(method, settings)
    here, reference = (operations(each, length).total for each in (sizes, REFERENCE))
    return settings.rows * length / rates.tokens * here / reference


def _network(method: str, settings: NetworkSettings, words: float) -> Estimate:
    """BERT and ALBERT: multiplications against a network whose rate was measured."""
    sizes, length = network_sizes(method, settings), settings.row_length
    rates, pieces = read_rates(), 1.5 * words
    seconds = NETWORK_START_SECONDS + pieces / PREPARED_A_SECOND
    if settings.begin == "vectors":
        cost = 0.3 + 0.7 * settings.hidden_size / 100
        seconds += settings.vector_passes * pieces * cost / rates.trained[DEFAULT_METHOD]
    seconds += settings.steps * step_seconds(method, settings, rates)
    weights = 4 * (parameters(sizes).total + parameters(sizes).heads)
    layers = 60 * settings.rows * length * settings.hidden_size * settings.layers
    scores = settings.rows * length * 0.2 * settings.vocab_size * 12
    memory = NETWORK_PROGRAM + 4 * weights + layers + scores + 4 * words
    return Estimate(seconds, int(memory), 7 * weights)

"""GloVe: vectors whose dot products are the logarithms of co-occurrence counts, by weighted least squares.

- J = sum over pairs of f(X_ij) (w_i . w~_j + b_i + b~_j - log X_ij)^2, with f(x) = min(1, (x / x_max)^alpha).
- AdaGrad as GloVe's own tool takes it: the sums begin at 1 and add up squared steps, rate included; gradient components are clipped at 100.
- Pairs are visited in tiles of 1024 words by 1024 contexts, shuffled within, the tiles in a new order each iteration. Threads take tiles
  and do not lock; one thread with one seed gives the same bytes.

A model's folder also holds counts and weights of its commonest content words, which Ratios shows.

Pennington, Socher and Manning (2014), sections 3 and 4.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Float32s, Float64s, Int64s
from embeddings.configuration import CheckedConfig, setting, to_json
from embeddings.errors import InputError
from embeddings.results import Progress, Report, Value
from embeddings.run_folder import AfterPass
from embeddings.static.cooccurrence import Cooccurrences
from embeddings.static.kernels.glove_kernel import TILE, adagrad_pass, pack_tiles, padded
from embeddings.static.static_checkpoint import StaticCheckpoint, digest
from embeddings.text.words import Vocabulary
from embeddings.vectors.cooccurrence_table import CooccurrenceTable
from embeddings.vectors.table import Vectors

S = TypeVar("S", bound=np.generic)
PARTS_PER_WORKER = 32  # that a thread's share of an iteration is reported in
# a model of zeros costs (log X)^2 / 2, under 1000 for any count a corpus can have
WORST_COST = 1000.0


class Tiles(Value):
    """All pairs; ``spans`` of shape (tiles, 4) holds each tile's stripe of words, stripe of contexts, begin and end."""

    rows: NDArray[np.uint16]
    columns: NDArray[np.uint16]
    logs: Float32s
    spans: Int64s


@contextmanager
def packed(cooccurrences: Cooccurrences, seed: int, workers: int) -> Iterator[Tiles]:
    """Yield the pairs in tiles; files that they needed are gone afterwards."""
    if cooccurrences.folder is None:
        yield _pack(cooccurrences, seed, workers, None)
        return
    with TemporaryDirectory(prefix="tiles.", dir=cooccurrences.folder) as folder:
        yield _pack(cooccurrences, seed, 1, Path(folder))


def _pack(counts: Cooccurrences, seed: int, workers: int, folder: Path | None) -> Tiles:
    """Pack stripe after stripe; each stripe's pairs stay where its rows were."""
    rows = _room(np.uint16, counts.pairs, folder, "rows")
    columns = _room(np.uint16, counts.pairs, folder, "columns")
    logs = _room(np.float32, counts.pairs, folder, "logs")
    stripes = -(-len(counts) // TILE)
    seeds = np.random.SeedSequence(seed).generate_state(stripes, np.uint32)

    def pack(stripe: int) -> Int64s:
        """Pack one stripe of words; return the spans of its tiles."""
        starts = counts.starts[stripe * TILE : (stripe + 1) * TILE + 1]
        entries = slice(starts[0], starts[-1])
        ends = np.empty(stripes + 1, np.int64)
        pack_tiles(
            starts,
            np.asarray(counts.columns[entries]),
            np.asarray(counts.values[entries]),
            seeds[stripe],
            ends,
            rows[entries],
            columns[entries],
            logs[entries],
        )
        ends += starts[0]
        stripe_of_words = np.full(stripes, stripe)
        return np.stack([stripe_of_words, np.arange(stripes), ends[:-1], ends[1:]], axis=1)

    with ThreadPoolExecutor(workers) as pool:
        tiles = np.concatenate(list(pool.map(pack, range(stripes))))
    return Tiles(rows, columns, logs, tiles[tiles[:, 3] > tiles[:, 2]])


def _room(kind: type[S], pairs: int, folder: Path | None, name: str) -> NDArray[S]:
    """Make room for the pairs, in memory or in a file."""
    if folder is None or pairs == 0:
        return np.empty(pairs, kind)
    return np.memmap(folder / name, kind, "w+", shape=(pairs,))


class GloveConfig(CheckedConfig):
    """How GloVe is trained."""

    vector_size: int = setting(100, "Dimensions of a vector.", 1, 10_000)
    x_max: float = setting(10.0, "Count from which pairs weigh the same.", 1e-6, 1e12)
    alpha: float = setting(0.75, "Exponent of the weight below x_max.", 0.0, 10.0)
    learning_rate: float = setting(0.05, "Learning rate of AdaGrad.", 1e-12, 1e6)
    iterations: int = setting(15, "Epochs over all pairs.", 1, 100_000)
    seed: int = setting(1, "Seed of the initial weights and the order.", 0, 2**32 - 1)
    workers: int = setting(2, "Threads; 1 repeats exactly.", 1, 256)


class GloveModel(Value):
    """A trained model.

    Attributes
    ----------
    vectors : Vectors
        W + W~.
    words_matrix, context_matrix : NDArray of float32, shape (words, vector_size)
        W and W~.
    word_bias, context_bias : NDArray of float32, shape (words,)
        b and b~: ``words_matrix[i] @ context_matrix[j] + word_bias[i] + context_bias[j]`` is near log X_ij.
    costs : tuple of float
        By iteration: mean of f(X) difference^2 / 2 over the pairs, as GloVe's own tool prints it; J is 2 x pairs x cost.
    """

    vectors: Vectors
    words_matrix: Float32s
    context_matrix: Float32s
    word_bias: Float32s
    context_bias: Float32s
    costs: tuple[float, ...]


def train_glove(  # noqa: PLR0913 - what a training consists of
    cooccurrences: Cooccurrences,
    vocabulary: Vocabulary,
    config: GloveConfig | None = None,
    *,
    run: Path | None = None,
    resume: bool = False,
    report: Report | None = None,
    after: AfterPass | None = None,
) -> GloveModel:
    """Fit vectors to co-occurrence counts.

    Parameters
    ----------
    cooccurrences : Cooccurrences
        In memory or on disk.
    vocabulary : Vocabulary
        Words and counts, in the order of the rows.
    config : GloveConfig, optional
        Sizes, rates, seed.
    run : Path, optional
        Folder of a checkpoint that is replaced after each iteration.
    resume : bool, default False
        Go on after the last whole iteration in ``run``; with one worker the model is that of an uninterrupted run, byte for byte.
    report : callable, optional
        Called with `Progress` in pairs of the iteration; ``loss`` is the cost so far.
    after : callable, optional
        Called with the whole iterations that are done and a function from rows to their vectors W + W~, before the first and after each.

    Raises
    ------
    InputError
        If there is one word only, if no two words met, or if training diverges: the sentence names the learning rate.
    CheckpointError
        If ``run`` holds a damaged checkpoint, one of other settings or counts, or one of more iterations; without ``resume``, if it
        holds an unfinished training of these settings.

    References
    ----------
    Pennington, Socher and Manning (2014), equations 8 and 9, section 4.2.
    """
    config = config or GloveConfig()
    words = len(cooccurrences)
    if words < 2:
        raise InputError("too_few_words", words=int(vocabulary.counts.sum()), size=words)
    if cooccurrences.pairs == 0:
        raise InputError("glove_no_pairs", words=words)
    kept = StaticCheckpoint(run, "glove", to_json(config)) if run else None
    counts = digest(vocabulary.words, *cooccurrences.arrays) if kept else ""
    saved = kept.load(counts, "parameters") if kept and resume else None
    if kept and saved is None:
        kept.begin(counts)
    parameters = saved.tensors["parameters"] if saved else initial_parameters(words, config)
    costs = list(saved.losses) if saved else []
    vectors = partial(_sums, parameters, config.vector_size)
    if after:
        after(len(costs), vectors)
    with packed(cooccurrences, config.seed, config.workers) as tiles:
        for iteration in range(len(costs), config.iterations):
            costs.append(_iterate(tiles, parameters, config, iteration, report))
            if kept:
                kept.save(counts, costs, {"parameters": parameters})
            if after:
                after(len(costs), vectors)
    return _model(parameters, vocabulary, config.vector_size, costs)


def _sums(parameters: Float32s, size: int, rows: Int64s) -> Float32s:
    """W + W~ of some rows."""
    words, contexts = parameters[:, rows, 0, :size]
    return np.asarray(words + contexts)


def initial_parameters(words: int, config: GloveConfig) -> Float32s:
    """Weights and biases uniform within 0.5 / vector_size, sums of one; shape (2 sides, words, 2, padded size)."""
    size = config.vector_size
    parameters = np.zeros((2, words, 2, padded(size)), np.float32)
    generator = np.random.default_rng(config.seed)
    for side in parameters:
        for begin in range(0, words, TILE):
            weights = side[begin : begin + TILE, 0, : size + 2]
            weights[:] = (generator.random(weights.shape, np.float32) - np.float32(0.5)) / size
    parameters[0, :, 0, size + 1] = 1
    parameters[1, :, 0, size] = 1
    parameters[:, :, 1] = 1
    return parameters


def _iterate(
    tiles: Tiles, parameters: Float32s, config: GloveConfig, iteration: int, report: Report | None
) -> float:
    """Visit every pair once; return the mean cost."""
    order = np.random.default_rng([config.seed, iteration]).permutation(len(tiles.spans))
    words, contexts = (side.reshape(-1) for side in parameters)
    stripe = TILE * 2 * parameters.shape[3]
    settings = (config.vector_size, math.log(config.x_max), config.alpha, config.learning_rate)

    def visit(part: Int64s) -> tuple[int, float]:
        """Visit some tiles, given by number; return pairs and summed cost."""
        pairs, cost = 0, 0.0
        for i, j, begin, end in tiles.spans[part].tolist():
            cost += adagrad_pass(
                tiles.rows[begin:end],
                tiles.columns[begin:end],
                tiles.logs[begin:end],
                words[i * stripe : (i + 1) * stripe],
                contexts[j * stripe : (j + 1) * stripe],
                *settings,
            )
            pairs += end - begin
        return pairs, cost

    began, total, done, cost = time.perf_counter(), len(tiles.rows), 0, 0.0
    with ThreadPoolExecutor(config.workers) as pool:
        parts = np.array_split(order, config.workers * PARTS_PER_WORKER)
        for pairs, added in pool.map(visit, parts):
            done += pairs
            cost += added
            if report and done:
                rate = done / (time.perf_counter() - began)
                left = (total * (config.iterations - iteration) - done) / rate
                report(Progress("glove", iteration + 1, done, total, cost / done, rate, left))
    cost /= total
    if not cost < WORST_COST:  # NaN, or what no data can cost: it diverged
        rate = config.learning_rate
        raise InputError(
            "glove_diverged",
            iteration=iteration + 1,
            cost=f"{cost:.3g}",
            learning_rate=rate,
            advice=min(rate / 10, 0.05),
        )
    return cost


def _model(
    parameters: Float32s, vocabulary: Vocabulary, size: int, costs: list[float]
) -> GloveModel:
    """Take weights and biases apart."""
    words, contexts = parameters[:, :, 0]
    matrix = words[:, :size] + contexts[:, :size]
    vectors = Vectors(vocabulary.words, matrix, vocabulary.counts, method="glove")
    matrices = (words[:, :size].copy(), contexts[:, :size].copy())
    return GloveModel(
        vectors, *matrices, words[:, size].copy(), contexts[:, size + 1].copy(), tuple(costs)
    )


STOP_WORD_CANDIDATES = 300
EXAMPLES = {
    "en": "ice steam solid gas water fashion",
    "ru": "лёд лед пар твёрдый твердый газ вода мода",
    "de": "eis dampf fest gas wasser mode",
}


def content_words(
    cooccurrences: Cooccurrences, sums: Float64s, words: Sequence[str], size: int
) -> Int64s:
    """Rows of the ``size`` commonest content words, rising; ``sums`` are the row sums of the counts."""
    common = min(STOP_WORD_CANDIDATES, len(words) // 10)
    divergence = [_divergence(cooccurrences, sums, row) for row in range(common)]
    stop = set(np.argsort(divergence, kind="stable")[: common // 2].tolist())
    kept = (
        row
        for row, word in enumerate(words)
        if row not in stop and len(word) > 1 and any(letter.isalpha() for letter in word)
    )
    return np.fromiter((row for row, _ in zip(kept, range(size), strict=False)), np.int64)


def _divergence(cooccurrences: Cooccurrences, sums: Float64s, row: int) -> float:
    """Divergence of a word's contexts from those of all words, in nats; 0 for a word that stands near everything alike."""
    columns, values = cooccurrences.row(row)
    if len(values) == 0:
        return np.inf
    share = values.astype(np.float64) / sums[row]
    return float(share @ np.log(share * sums.sum() / sums[columns]))


def cooccurrence_table(
    cooccurrences: Cooccurrences,
    model: GloveModel,
    vocabulary: Vocabulary,
    examples: Iterable[str] = (),
    size: int = 2000,
) -> CooccurrenceTable:
    """Return the counts of content words and examples among each other, with their row sums and weights.

    Parameters
    ----------
    cooccurrences, model, vocabulary
        The counts, what was trained on them, and the words of their rows.
    examples : iterable of str
        Words to keep next to the content words, where the vocabulary has them.
    size : int, default 2000
        Number of content words.
    """
    sums = cooccurrences.row_sums()
    chosen = content_words(cooccurrences, sums, vocabulary.words, size)
    example_rows = [row for word in examples if (row := model.vectors.find(word)) is not None]
    rows = np.union1d(chosen, np.array(example_rows, np.int64))
    counts = np.zeros((len(rows), len(rows)), np.float32)
    for number, row in enumerate(rows):
        columns, values = cooccurrences.row(int(row))
        kept = np.isin(columns, rows, assume_unique=True)
        counts[number, np.searchsorted(rows, columns[kept])] = values[kept]
    return CooccurrenceTable(
        tuple(vocabulary.words[row] for row in rows),
        counts,
        sums[rows],
        model.words_matrix[rows],
        model.context_matrix[rows],
        model.word_bias[rows],
        model.context_bias[rows],
        lower=model.vectors.is_lower,
        spelling=model.vectors.spelling,
    )

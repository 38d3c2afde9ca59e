"""GloVe: the kernel against plain numpy, the cost by hand, what it recovers, and how it resumes."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import CheckpointError, InputError
from embeddings.static import glove
from embeddings.static.cooccurrence import CooccurrenceConfig, Cooccurrences, count_cooccurrences
from embeddings.static.glove import GloveConfig, initial_parameters, train_glove
from embeddings.static.kernels.glove_kernel import adagrad_pass, pack_tiles
from embeddings.text.words import Vocabulary
from tests.static.test_word2vec import grammar


def reference_pass(pairs, w, c, b, d, sums, x_max, alpha, rate):
    """One AdaGrad pass in plain numpy, float64: w, c, b, d = W, W~, b, b~, changed in place."""
    cost = 0.0
    for i, j, x in pairs:
        difference = w[i] @ c[j] + b[i] + d[j] - math.log(x)
        weight = min(1.0, (x / x_max) ** alpha)
        cost += weight * difference**2 / 2
        pull = weight * difference
        gradients = (pull * c[j], pull * w[i], np.array(pull), np.array(pull))
        for (values, total), row, gradient in zip(
            ((w, sums[0]), (c, sums[1]), (b, sums[2]), (d, sums[3])),
            (i, j, i, j),
            gradients,
            strict=True,
        ):
            step = rate * np.clip(gradient, -100, 100)
            values[row] = values[row] - step / np.sqrt(total[row])
            total[row] = total[row] + step**2
    return cost


def vocabulary(size):
    return Vocabulary(tuple(f"w{n}" for n in range(size)), np.arange(size, 0, -1))


def sparse(matrix):
    """A matrix as Cooccurrences."""
    rows, columns = np.nonzero(matrix)
    starts = np.searchsorted(rows, np.arange(len(matrix) + 1))
    values = matrix[rows, columns].astype(np.float32)
    return Cooccurrences(starts, columns.astype(np.int32), values)


def random_counts(size=40, seed=3):
    generator = np.random.default_rng(seed)
    matrix = generator.lognormal(1, 1.5, (size, size)) * (generator.random((size, size)) < 0.6)
    return sparse(matrix + matrix.T)


def trained(counts=None, size=10, **given):
    """Train on counts of 40 words, with one thread; ``given`` are settings, or options of `train_glove`."""
    options = {name: given.pop(name) for name in ("run", "resume", "report") if name in given}
    config = GloveConfig(vector_size=size, **{"workers": 1, **given})
    return train_glove(counts or random_counts(), vocabulary(40), config, **options)


def interrupted(run, epoch, **given):
    """Train, and stop in a pass."""

    def stop(at):
        if at.epoch == epoch:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(run=run, report=stop, **given)


@pytest.mark.parametrize("size", [1, 15, 100])
def test_kernel_clips_gradients_as_plain_numpy_does(size):
    # at so high a rate the last digits of float32 decide after a few steps
    check_pass(size, words=6, pairs=3, rate=40.0, seed=size)


@settings(max_examples=40, deadline=None)
@given(
    size=st.integers(1, 50),
    words=st.integers(1, 6),
    pairs=st.integers(0, 30),
    seed=st.integers(0, 2**32),
)
@example(size=100, words=6, pairs=60, seed=100)
def test_kernel_equals_plain_numpy_at_any_size_and_from_one_word_on(size, words, pairs, seed):
    check_pass(size, words, pairs, rate=0.05, seed=seed)


def check_pass(size, words, pairs, rate, seed):
    """Hold `adagrad_pass` over random pairs of words to the reference: weights, biases, sums, cost."""
    generator = np.random.default_rng(seed)
    parameters = initial_parameters(words, GloveConfig(vector_size=size, seed=2))
    w, c = (parameters[side, :, 0, :size].astype(float) for side in (0, 1))
    b, d = parameters[0, :, 0, size].astype(float), parameters[1, :, 0, size + 1].astype(float)
    sums = [np.ones_like(a) for a in (w, c, b, d)]
    rows, columns = (generator.integers(0, words, pairs).astype(np.uint16) for _ in range(2))
    values = generator.lognormal(1, 2, pairs).astype(np.float32)
    counts = zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True)
    sides = [side.reshape(-1) for side in parameters]
    cost = adagrad_pass(rows, columns, np.log(values), *sides, size, math.log(10), 0.75, rate)
    expected = reference_pass(counts, w, c, b, d, sums, 10, 0.75, rate)
    assert cost == pytest.approx(expected, rel=1e-4)
    for side, weights, biases, of_weights, of_biases in (
        (0, w, b, sums[0], sums[2]),
        (1, c, d, sums[1], sums[3]),
    ):
        values, totals = parameters[side, :, 0], parameters[side, :, 1]
        np.testing.assert_allclose(values[:, :size], weights, rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(values[:, size + side], biases, rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(totals[:, :size], of_weights, rtol=1e-3)
        np.testing.assert_allclose(totals[:, size + side], of_biases, rtol=1e-3)
        assert (values[:, size + 1 - side] == 1).all()  # what the other side's bias is taken times
        assert not values[:, size + 2 :].any()  # padding


def test_cost_of_two_words_by_hand():
    # w = (0.5), w~ = (-1), b = 0.25, b~ = 1: prediction 0.75; log e^2 = 2; difference -1.25.
    # f(e^2) with x_max = e^4 and alpha 0.75 is e^-1.5, so that cost = e^-1.5 x 1.5625 / 2.
    parameters = initial_parameters(2, GloveConfig(vector_size=1))
    parameters[0, 0, 0, :2] = 0.5, 0.25
    parameters[1, 1, 0, [0, 2]] = -1, 1
    words, contexts = (side.reshape(-1) for side in parameters)
    row, column = np.array([0], np.uint16), np.array([1], np.uint16)
    logs = np.array([2], np.float32)
    cost = adagrad_pass(row, column, logs, words, contexts, 1, 4.0, 0.75, 0.05)
    assert cost == pytest.approx(math.exp(-1.5) * 1.5625 / 2, rel=1e-5)
    step = 0.05 * math.exp(-1.5) * -1.25 * -1  # rate x f x difference x w~
    assert parameters[0, 0, 0, 0] == pytest.approx(0.5 - step, rel=1e-5)
    assert parameters[0, 0, 1, 0] == pytest.approx(1 + step**2, rel=1e-5)


def test_first_weights_are_small_and_centred():
    parameters = initial_parameters(5000, GloveConfig(vector_size=20))
    weights = parameters[:, :, 0, :20]
    assert np.abs(weights).max() <= 0.5 / 20
    assert weights.std() == pytest.approx(1 / 20 / math.sqrt(12), rel=0.01)
    assert (parameters[:, :, 1] == 1).all()


def test_tiles_hold_every_pair_once_and_are_shuffled():
    generator = np.random.default_rng(1)
    matrix = generator.random((1500, 2500)) * (generator.random((1500, 2500)) < 0.05)
    matrix = np.pad(matrix, ((0, 1000), (0, 0)))
    counts = sparse(matrix)
    with glove.packed(counts, 1, 2) as tiles:
        found = np.zeros_like(matrix, dtype=np.float32)
        for i, j, begin, end in tiles.spans:
            rows = tiles.rows[begin:end] + 1024 * i
            columns = tiles.columns[begin:end] + 1024 * j
            assert (found[rows, columns] == 0).all()
            found[rows, columns] = np.exp(tiles.logs[begin:end])
            order = tiles.rows[begin:end].astype(int)
            assert abs(np.corrcoef(order, np.arange(end - begin))[0, 1]) < 0.05
    np.testing.assert_allclose(found, matrix, rtol=1e-5)


def test_shuffle_gives_every_order_alike():
    starts, ends = np.array([0, 3]), np.empty(2, np.int64)
    seen = dict.fromkeys(itertools.permutations(range(3)), 0)
    rows, columns, logs = np.empty(3, np.uint16), np.empty(3, np.uint16), np.empty(3, np.float32)
    for seed in range(6000):
        ids = np.arange(3, dtype=np.int32)
        pack_tiles(starts, ids, np.ones(3, np.float32), seed, ends, rows, columns, logs)
        seen[tuple(columns.tolist())] += 1
    assert all(900 < count < 1100 for count in seen.values())


def test_cost_falls_in_every_one_of_the_first_iterations():
    costs = trained(workers=2).costs
    assert len(costs) == 15
    assert all(later < earlier for earlier, later in itertools.pairwise(costs))


def test_vectors_recover_the_logarithms_of_a_full_rank_table():
    generator = np.random.default_rng(7)
    matrix = np.exp(generator.normal(2, 1, (8, 8)))
    config = GloveConfig(vector_size=8, x_max=1e-3, learning_rate=0.5, iterations=400, workers=1)
    model = train_glove(sparse(matrix), vocabulary(8), config)
    predicted = model.words_matrix @ model.context_matrix.T
    predicted += model.word_bias[:, None] + model.context_bias
    np.testing.assert_allclose(predicted, np.log(matrix), atol=0.02)


def test_vectors_are_the_sum_of_both_sides():
    model = trained(iterations=2)
    np.testing.assert_array_equal(model.vectors.matrix, model.words_matrix + model.context_matrix)
    assert model.vectors.matrix.shape == (40, 10)
    assert model.vectors.method == "glove"


def test_planted_grammar_gives_queen():
    corpus = EncodedCorpus.from_sentences(list(grammar()))
    counts = count_cooccurrences(corpus, CooccurrenceConfig(window=4))
    config = GloveConfig(vector_size=40, iterations=60)
    vectors = train_glove(counts, corpus.vocabulary, config).vectors
    assert vectors.most_similar(["king", "woman"], ["man"], topn=1)[0][0] == "queen"


def test_one_worker_repeats_byte_for_byte():
    one, two, other = (trained(iterations=3, seed=seed).vectors.matrix for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


def test_resumed_run_equals_an_uninterrupted_one(tmp_path):
    whole = trained(iterations=5)
    interrupted(tmp_path, 3, iterations=5)
    epochs = []
    resumed = trained(
        iterations=5, run=tmp_path, resume=True, report=lambda at: epochs.append(at.epoch)
    )
    assert min(epochs) == 3
    assert resumed.costs == whole.costs
    np.testing.assert_array_equal(resumed.vectors.matrix, whole.vectors.matrix)


def test_more_iterations_continue_a_finished_run_and_without_resume_it_starts_anew(tmp_path):
    epochs, options = [], {"run": tmp_path, "report": lambda at: epochs.append(at.epoch)}
    trained(iterations=2, run=tmp_path)
    assert trained(iterations=4, resume=True, **options).costs == trained(iterations=4).costs
    assert min(epochs) == 3
    trained(iterations=2, **options)
    assert min(epochs) == 1


def test_an_unfinished_run_is_lost_only_to_other_settings(tmp_path):
    interrupted(tmp_path, 2, iterations=3)
    with pytest.raises(CheckpointError, match=r"after 1 of 3 iterations\. Add --resume"):
        trained(iterations=3, run=tmp_path)
    assert (tmp_path / "checkpoint.safetensors").exists()
    assert len(trained(size=12, iterations=1, run=tmp_path).costs) == 1


def test_counts_on_disk_train_the_same_vectors(tmp_path):
    corpus = EncodedCorpus.from_sentences(list(grammar()))
    config = GloveConfig(vector_size=10, iterations=2, workers=1)
    inside = train_glove(count_cooccurrences(corpus), corpus.vocabulary, config)
    spilled = count_cooccurrences(corpus, CooccurrenceConfig(memory_mb=64), folder=tmp_path)
    outside = train_glove(spilled, corpus.vocabulary, config)
    np.testing.assert_array_equal(outside.vectors.matrix, inside.vectors.matrix)
    assert not list(tmp_path.glob("tiles.*"))


@pytest.mark.parametrize("rate", [1e5, 1e6])
def test_divergence_is_a_sentence_that_names_the_learning_rate(rate):
    sentence = rf"learning_rate={rate}. Use a smaller learning_rate, as 0.05"
    with pytest.raises(InputError, match=sentence):
        trained(learning_rate=rate, iterations=3)


def test_nan_in_the_counts_cannot_pass():
    counts = random_counts()
    counts.values[5] = np.nan
    with pytest.raises(InputError, match=r"the cost is nan at learning_rate=0\.05"):
        trained(counts)


def test_no_pairs_are_refused():
    corpus = EncodedCorpus.from_sentences([["a"], ["b"]])
    sentence = "No two words of the vocabulary, which has 2, occur in one sentence"
    with pytest.raises(InputError, match=sentence):
        train_glove(count_cooccurrences(corpus), corpus.vocabulary)

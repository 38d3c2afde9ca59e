"""The approximation of what leaving documents out moves: a Newton step by hand, the minimum where it is exact, verdicts."""

import math

import numpy as np
import pytest

from benchmarks.influence import (
    influence_experiment,
    neighbour_pairs,
    newton_steps,
    pair_cosines,
)
from embeddings.corpora.document_selection import with_documents
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.static.cooccurrence import CooccurrenceConfig, Cooccurrences, count_cooccurrences
from embeddings.static.glove import GloveConfig, train_glove
from embeddings.text.words import Vocabulary

CONFIG = GloveConfig(vector_size=3, x_max=4, iterations=30, workers=1)


def counts_of(table):
    """Rows of a small table of counts without its zeros."""
    rows = [np.flatnonzero(row) for row in table]
    starts = np.cumsum([0, *map(len, rows)])
    values = np.concatenate([row[columns] for row, columns in zip(table, rows, strict=True)])
    return Cooccurrences(starts, np.concatenate(rows).astype(np.int32), values.astype(np.float32))


def loss(model, table, word, vector):
    """Loss of one word, pair by pair."""
    total = 0.0
    for other, count in enumerate(table[word].tolist()):
        if count:
            fitted = sum(
                float(a) * float(b)
                for a, b in zip(vector, model.context_matrix[other], strict=True)
            )
            bias = float(model.word_bias[word]) + float(model.context_bias[other])
            error = fitted + bias - math.log(count)
            total += min(1.0, (count / CONFIG.x_max) ** CONFIG.alpha) * float(error) ** 2
    return total


def gradient(model, table, word, vector, h=1e-3):
    """Central differences, exact for a quadratic but for rounding."""
    steps = np.eye(len(vector)) * h
    return np.array(
        [
            (loss(model, table, word, vector + s) - loss(model, table, word, vector - s)) / (2 * h)
            for s in steps
        ]
    )


@pytest.fixture(scope="module")
def trained():
    generator = np.random.default_rng(1)
    table = generator.integers(1, 9, (7, 7)) * (generator.random((7, 7)) < 0.9)
    table = np.triu(table) + np.triu(table, 1).T
    vocabulary = Vocabulary(tuple("abcdefg"), table.sum(axis=1).astype(np.int64))
    return table, train_glove(counts_of(table), vocabulary, CONFIG)


def test_a_step_is_that_of_newton_by_finite_differences(trained):
    table, model = trained
    less = np.where(table > 2, table - 1, table)
    words = [0, 3, 6]
    steps = newton_steps(model, counts_of(table), counts_of(less), words, CONFIG)
    for word, step in zip(words, steps, strict=True):
        old = model.words_matrix[word].astype(np.float64)
        moved = gradient(model, less, word, old) - gradient(model, table, word, old)
        directions = np.eye(len(old))
        hessian = np.array(
            [
                (gradient(model, table, word, old + d) - gradient(model, table, word, old - d)) / 2
                for d in directions
            ]
        )
        np.testing.assert_allclose(step, old - np.linalg.solve(hessian, moved), atol=1e-4)


def test_a_step_ends_at_the_minimum_where_only_logarithms_change(trained):
    """Counts above x_max weigh the same: the loss keeps its Hessian, and a step from a minimum is the other minimum."""
    table, model = trained
    table = np.where(table, table + 4, 0)
    less = np.where(table > 5, table - 1, table)
    word, (columns, values) = 2, counts_of(table).row(2)
    contexts = model.context_matrix[columns].astype(np.float64)
    bias = model.word_bias[word] + model.context_bias[columns].astype(np.float64)
    model.words_matrix[word] = np.linalg.lstsq(contexts, np.log(values) - bias, rcond=None)[0]
    expected = np.linalg.lstsq(contexts, np.log(counts_of(less).row(2)[1]) - bias, rcond=None)[0]
    step = newton_steps(model, counts_of(table), counts_of(less), [word], CONFIG)[0]
    np.testing.assert_allclose(step, expected, atol=1e-5)


def test_the_same_counts_move_nothing(trained):
    table, model = trained
    steps = newton_steps(model, counts_of(table), counts_of(table), range(7), CONFIG)
    np.testing.assert_allclose(steps, model.words_matrix, atol=1e-7)


def test_pairs_are_each_word_with_its_nearest():
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1]], np.float32)
    pairs = neighbour_pairs([vectors], 1)
    assert pairs.tolist() == [[0, 1], [1, 0], [2, 1]]
    assert pair_cosines(vectors, pairs)[2] == pytest.approx(0.1 / math.hypot(0.9, 0.1))


def test_a_word_whose_document_goes_steps_towards_what_training_again_gives():
    """In one document «x» stands with a, in many with b; without the first it is nearer to b, by both."""
    first = [["x", "a"] * 6] * 4
    second = [["x", "b"] * 6] * 4
    rest = [["a", "c", "d", "b", "c", "a"], ["d", "b", "c", "d"], ["a", "d", "c", "b"]] * 4
    corpus = EncodedCorpus.from_sentences([first, second, rest])
    less = with_documents(corpus, np.array([1, 2]))
    counting = CooccurrenceConfig(window=2, workers=1)
    before, after = (count_cooccurrences(text, counting) for text in (corpus, less))
    config = GloveConfig(vector_size=2, iterations=100, workers=1)
    model = train_glove(before, corpus.vocabulary, config)
    x, a = (corpus.vocabulary.index[word] for word in "xa")
    step = newton_steps(model, before, after, [x], config)[0]
    fitted = [vector @ model.context_matrix[a] for vector in (model.words_matrix[x], step)]
    b = corpus.vocabulary.index["b"]
    kept = [vector @ model.context_matrix[b] for vector in (model.words_matrix[x], step)]
    assert fitted[1] - kept[1] < fitted[0] - kept[0]


def test_claims_and_curve_by_hand():
    rows = [
        {"left_out": share, "documents": 1, "cosine_change": 0.1, "influence": r, "seed": 0.5,
         "approximated_seconds": 1.0, "trained_seconds": 4.0}
        for share, r in ((0.1, 0.8), (0.1, 0.6), (0.3, 0.95))
    ]  # fmt: skip
    experiment = influence_experiment({"commands": ["x"], "rows": rows})
    assert [claim.verdict for claim in experiment.claims] == ["partly", "yes"]
    lines = {series.name: (series.x, series.y) for series in experiment.drawings[0].series}
    assert lines["influence_correlation"] == ((10, 30), (pytest.approx(0.7), 0.95))
    assert experiment.tables[0].rows[0][0] == 10

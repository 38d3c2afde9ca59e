"""The benchmark of senses: scores by hand, rows of the table, vectors of the simple methods; models cut by their recipe."""

import numpy as np
import pytest

from benchmarks import build_models
from benchmarks.build_models import cut
from benchmarks.sense_methods import METHODS, Word, tf_idf
from benchmarks.senses import SHIPPED, Score, ari, labels_of, row_of, spread_of
from embeddings.analysis.sense_induction import WordSpace
from embeddings.corpora.sense_contexts import Context
from embeddings.results.induced_senses import SurroundingWord
from embeddings.vectors.table import Vectors


def word(golds, attested=None):
    contexts = [Context(str(i), "bank", gold, "", (), "") for i, gold in enumerate(golds)]
    return Word("en", "en", contexts, [()] * len(golds), attested or [True] * len(golds))


def test_senses_that_the_corpora_do_not_teach_count_only_among_all():
    given = word("aabbcc", [True] * 4 + [False] * 2)
    labels = np.array([0, 0, 1, 1, 0, 1])
    assert ari(given, labels, every=False) == (1.0, 4)
    assert ari(given, labels, every=True)[0] < 1.0
    assert ari(given, labels, every=True)[1] == 6


def test_a_method_that_is_told_the_number_finds_so_many():
    points = np.repeat(np.eye(3, dtype=np.float32), 2, axis=0)
    labels = labels_of([points], word("aabbcc"), "given_lemmas")
    assert len(set(labels[::2])) == 3
    assert labels[::2].tolist() == labels[1::2].tolist()


def test_a_row_weighs_words_by_contexts_and_leaves_out_other_seeds():
    found = [
        Score("ru", "lemmas_views", 1, ((1.0, 30), (0.8, 30)), 2, 0.25),
        Score("ru", "lemmas_views", 1, ((0.0, 10), (0.0, 10)), 3, 0.25),
        Score("ru", "lemmas_views", 2, ((0.5, 40), (0.5, 40)), 2, 9.0),
    ]
    row = row_of("lemmas_views", found)
    assert (row["ru"], row["ru_all"], row["ru_senses"]) == (0.75, 0.6, 2.5)
    assert (row["seconds"], row["number"], row["shipped"]) == (0.5, "found", "static")
    assert row["models"] == ["lemmas"]
    assert row["de"] is None
    spread = spread_of("lemmas_views", found)
    assert spread["ru"] == pytest.approx((0.75 + 0.5) / 2)
    assert spread["ru_deviation"] == pytest.approx(0.125)


def test_every_shipped_method_is_measured():
    assert set(SHIPPED) <= set(METHODS)
    assert row_of("one_sense", [])["number"] == "one"
    assert row_of("given_log_rank", [])["number"] == "given"


def test_tf_idf_weighs_a_word_by_minus_the_logarithm_of_its_share():
    space = WordSpace(
        {"rare": 0, "common": 1}, np.eye(2, dtype=np.float32), np.array([0.01, 0.1]), "toy", str
    )
    given = Word("en", "en", [], [], [])
    given.beside = [(SurroundingWord("rare", ("rare",)), SurroundingWord("common", ("common",)))]
    given.contexts = [Context("1", "bank", "", "", (), "")]
    found = tf_idf(given, space)[0][0]
    assert found[0] / found[1] == pytest.approx(np.log(0.01) / np.log(0.1), rel=1e-5)


def test_a_model_is_cut_to_the_words_and_components_of_its_recipe():
    rows = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    vectors = Vectors([f"w{i}" for i in range(50)], rows, np.arange(50, 0, -1))
    recipe = {"corpus": "de", "method": "skipgram", "lemmas": True, "words": 40}
    whole = cut(vectors, "de-lemmas", recipe)
    few = cut(vectors, "de-lemmas", recipe | {"components": 3})
    assert (whole.matrix.shape, few.matrix.shape) == ((40, 8), (40, 3))
    assert few.words == whole.words
    unit = rows[:40] / np.linalg.norm(rows[:40], axis=1, keepdims=True)
    centred = unit - unit.mean(0)
    values = np.linalg.svd(centred, compute_uv=False)
    assert np.linalg.norm(few.matrix, axis=0) == pytest.approx(values[:3], rel=1e-4)


def test_a_model_is_cut_without_the_mean_and_main_directions_of_its_commonest_words(monkeypatch):
    monkeypatch.setattr(build_models, "COMMONEST", 30)
    rows = np.random.default_rng(0).normal(size=(50, 6)) * [1, 9, 1, 5, 1, 1] + 2
    vectors = Vectors([f"w{i}" for i in range(50)], rows.astype(np.float32), np.arange(50, 0, -1))
    recipe = {"corpus": "de", "method": "skipgram", "words": 40, "directions": 2}
    shortened = cut(vectors, "de-skipgram", recipe)
    mean = rows[:30].mean(0)
    axes = np.linalg.svd(rows[:30] - mean)[2][2:]
    assert shortened.matrix.shape == (40, 6)
    assert shortened.matrix == pytest.approx((rows[:40] - mean) @ axes.T @ axes, abs=1e-4)

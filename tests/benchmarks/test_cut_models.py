"""Models are cut by their recipe."""

import numpy as np
import pytest

from benchmarks import build_models
from benchmarks.build_models import cut
from embeddings.vectors.table import Vectors


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

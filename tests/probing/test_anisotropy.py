"""Likeness beside a baseline: every number by hand over all pairs, silhouette as scikit-learn has it."""

import re
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from embeddings.analysis.context_answers import Baseline
from embeddings.analysis.context_separation import baseline_of, likeness_matrix, separation
from embeddings.errors import InputError
from embeddings.probing.context_states import random_words, word_states
from tests.probing.conftest import cosine

TEXTS = [
    "Старик вынул ключ.",
    "Холодный ключ бил.",
    "She sat there.",
    "…",
    "Der König ließ ein Schloss erbauen.",
]


def drawn(n=7, layers=3, size=5, seed=0):
    return np.random.default_rng(seed).normal(1.0, 1.0, (n, layers, size)).astype(np.float32)


def base_of(states):
    zero = np.zeros(states.shape[1])
    return Baseline(zero + 0.4, zero, states.mean(0), 10, 5)


def test_the_baseline_is_the_mean_over_all_pairs_of_words_of_different_sentences(reader):
    drawn_words, drawn_owners = random_words(TEXTS, words=10)
    assert random_words(TEXTS, words=10) == (drawn_words, drawn_owners)
    base = baseline_of(word_states(reader, drawn_words).vectors, drawn_owners)
    found = [(text, word) for text in TEXTS for word in re.finditer(r"\w+", text)]
    chosen = [(text, word.span()) for text, word in found]
    owners = [TEXTS.index(text) for text, _ in found]
    states = word_states(reader, chosen).vectors
    assert (base.words, base.sentences) == (15, 4)
    np.testing.assert_allclose(base.mean, states.mean(0), atol=1e-6)
    for layer in range(3):
        rows = states[:, layer]
        pairs = [(i, j) for i, j in combinations(range(15), 2) if owners[i] != owners[j]]
        plain = np.mean([cosine(rows[i], rows[j]) for i, j in pairs])
        shifted = rows - rows.mean(0)
        centred = np.mean([cosine(shifted[i], shifted[j]) for i, j in pairs])
        assert base.cosine[layer] == pytest.approx(plain, abs=1e-5)
        assert base.centred[layer] == pytest.approx(centred, abs=1e-5)


def test_two_occurrences_stand_beside_the_baseline():
    states = drawn()
    base = base_of(states)
    for layer in range(3):
        matrix = likeness_matrix(states, layer, base)
        a, b = states[0, layer], states[1, layer]
        mean = base.mean[layer]
        assert matrix.cosine[0, 1] == pytest.approx(cosine(a, b), abs=1e-6)
        assert matrix.centred[0, 1] == pytest.approx(cosine(a - mean, b - mean), abs=1e-6)
        assert matrix.baseline == base.cosine[layer]
        np.testing.assert_allclose(np.diag(matrix.centred), 1, atol=1e-6)


def test_separation_is_the_mean_over_pairs_within_and_between_senses():
    states = drawn()
    base = base_of(states)
    labels = ["1", "1", "1", "2", "2", "3", "3"]
    found = separation(states, labels, base)
    for layer in range(3):
        for rows, within, between in (
            (states[:, layer], found.within, found.between),
            (
                states[:, layer] - base.mean[layer],
                found.centred_within,
                found.centred_between,
            ),
        ):
            pairs = [
                (cosine(rows[i], rows[j]), labels[i] == labels[j])
                for i, j in combinations(range(7), 2)
            ]
            assert within[layer] == pytest.approx(
                np.mean([c for c, same in pairs if same]), abs=1e-5
            )
            assert between[layer] == pytest.approx(
                np.mean([c for c, same in pairs if not same]), abs=1e-5
            )
        centred = states[:, layer] - base.mean[layer]
        theirs = silhouette_score(centred, labels, metric="cosine")
        assert found.silhouette[layer] == pytest.approx(theirs, abs=1e-5)
    assert found.best == 1 + int(np.argmax(found.silhouette[1:]))


def test_senses_that_lie_apart_have_a_silhouette_near_one_and_one_sense_has_none():
    axes = np.eye(3, 5)[[0, 0, 1, 1]][:, None] + np.zeros((1, 2, 1))
    states = (axes + 0.01 * drawn(4, 2)).astype(np.float32)
    base = Baseline(np.zeros(2), np.zeros(2), states.mean(0), 4, 4)
    assert (separation(states, [1, 1, 2, 2], base).silhouette > 0.95).all()
    alone = separation(states, [1, 1, 1, 1], base)
    assert np.isnan(alone.silhouette).all()
    assert np.isnan(alone.between).all()
    assert np.isfinite(alone.within).all()


def test_what_cannot_be_compared_is_refused():
    states = drawn()
    with pytest.raises(InputError, match="At least two sentences"):
        random_words(["Ein Satz.", "…"])
    with pytest.raises(InputError, match="2 labels do not fit 7 occurrences"):
        separation(states, [1, 2], base_of(states))
    with pytest.raises(InputError, match="layer=3 is out of range"):
        likeness_matrix(states, 3, base_of(states))

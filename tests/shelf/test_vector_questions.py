"""Questions that need what is stored next to a model are methods of its vectors, and say how to get what is missing."""

import math

import numpy as np
import pytest

import embeddings
from embeddings.errors import InputError, MissingFileError
from embeddings.shelf import find, open_spread


def test_vectors_know_the_model_that_they_were_opened_from():
    vectors = embeddings.load("en-skipgram")
    assert vectors.path == find("en-skipgram").path
    renamed = embeddings.load(vectors.path)
    renamed.name = "another"
    assert renamed.why_near("king", "queen").shared == vectors.why_near("king", "queen").shared
    assert embeddings.Vectors.load(vectors.path).path == vectors.path


def test_why_near_brings_the_cosine_of_the_vectors():
    vectors = embeddings.load("en-skipgram")
    king, queen = vectors["king"], vectors["queen"]
    cosine = king @ queen / np.linalg.norm(king) / np.linalg.norm(queen)
    assert vectors.why_near("king", "queen").cosine == pytest.approx(cosine, abs=1e-6)


def test_ratios_divide_the_shares_of_the_stored_counts():
    (solid,) = embeddings.load("en-glove").ratios("ice", "steam", ["solid"]).rows
    assert solid.ratio == pytest.approx(solid.p_first / solid.p_second)
    assert solid.ratio > 1  # Pennington et al. (2014), table 1


def test_reliability_is_of_neighbours_and_of_answers_in_every_training():
    vectors = embeddings.load("en-skipgram")
    spread = open_spread(find("en-skipgram"))
    places = {spread.words[number]: place for place, number in enumerate(spread.kept)}
    near = vectors.reliability("king")
    assert [one.cosine.runs for one in near] == [spread.runs] * len(near)
    means = [one.cosine.mean for one in near]
    assert means == sorted(means, reverse=True)
    asked = [near[2].word, near[0].word]
    assert [one.word for one in vectors.reliability("king", asked)] == asked
    answers = vectors.reliability(vectors.analogy("king - man + woman"))
    assert answers[0].word == "queen"
    span = vectors.similarity_range("king", "queen")
    rows = spread.vectors[:, [places["king"], places["queen"]]].astype(np.float64)
    rows /= np.linalg.norm(rows, axis=-1, keepdims=True)
    cosines = (rows[:, 0] * rows[:, 1]).sum(axis=-1)
    assert (span.lowest, span.highest) == pytest.approx((cosines.min(), cosines.max()), abs=1e-6)
    assert vectors.similarity_range("king", "zzz") is None
    sizes = vectors.effect_size_range(vectors.association("flowers-insects"))
    assert sizes.lowest < sizes.mean < sizes.highest
    assert math.isfinite(sizes.deviation)


@pytest.mark.parametrize(
    ("ask", "file", "command"),
    [
        (lambda v: v.ratios("король", "вода", ["лёд"]), "cooccurrence", "klyuch glove train"),
        (lambda v: v.why_near("король", "корона"), "contexts", "klyuch words contexts"),
        (lambda v: v.reliability("король"), "spread", "klyuch words stability"),
        (lambda v: v.similarity_range("король", "вода"), "spread", "klyuch words stability"),
    ],
)
def test_what_a_model_does_not_store_is_named_with_the_command_that_makes_it(ask, file, command):
    with pytest.raises(MissingFileError) as refused:
        ask(embeddings.load("ru-lemmas"))
    assert f"{file}.safetensors" in str(refused.value)
    assert command in str(refused.value)


def test_vectors_of_no_model_have_nothing_stored():
    table = embeddings.Vectors(["a", "b"], np.eye(2, dtype=np.float32))
    for ask in (lambda: table.why_near("a", "b"), lambda: table.reliability("a")):
        with pytest.raises(InputError, match=r"neither a name nor a folder.*embeddings\.load"):
            ask()

"""Induced senses: vectors of contexts by hand, planted senses found and named, refusals."""

import dataclasses

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, silhouette_score

from embeddings.analysis.sense_induction import (
    VIEWS,
    View,
    adjusted_rand_index,
    b_cubed,
    clarity,
    context_vectors,
    induce,
    label,
    score_word,
    weighted,
    word_space,
    word_weights,
)
from embeddings.corpora.sense_contexts import FAR, Context, by_word, stands_in, surroundings
from embeddings.errors import InputError
from embeddings.results.induced_senses import MIN_CLARITY, SurroundingWord
from embeddings.vectors.table import Vectors

DOOR = ("door", "lock", "hinge", "porch", "latch", "gate")
MUSIC = ("note", "tune", "scale", "organ", "choir", "chord")


@pytest.fixture(scope="module")
def toy():
    """Words of two fields that point two ways, and 40 others that point anywhere."""
    rng = np.random.default_rng(0)
    others = [f"word{i}" for i in range(40)]
    rows = rng.normal(size=(52, 16))
    rows[:6] += 6 * np.eye(16)[0]
    rows[6:12] += 6 * np.eye(16)[1]
    counts = np.sort(rng.integers(5, 500, 52))[::-1]
    return Vectors([*DOOR, *MUSIC, *others], rows.astype(np.float32), counts, name="toy")


@pytest.fixture(scope="module")
def space(toy):
    return word_space(toy, str.lower)


def beside(*words, distance=1):
    return tuple(SurroundingWord(word, (word,), distance) for word in words)


@pytest.fixture(scope="module")
def contexts():
    rng = np.random.default_rng(1)
    return [
        beside(*rng.choice(field, 3, replace=False), f"word{row}")
        for row, field in enumerate([DOOR, DOOR, MUSIC] * 6)
    ]


def test_forms_of_a_lemma_are_averaged_by_the_root_of_their_counts():
    rows = np.random.default_rng(3).normal(size=(5, 4)).astype(np.float32)
    table = Vectors(["key", "keys", "door", "note", "gate"], rows, np.array([16, 4, 3, 2, 1]))
    space = word_space(table, lambda word: word.removesuffix("s"))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    merged = np.vstack([4 * unit[0] + 2 * unit[1], np.sqrt([[3], [2], [1]]) * unit[2:]])
    merged /= np.linalg.norm(merged, axis=1, keepdims=True)
    merged -= merged.mean(0)
    first = np.linalg.eigh(merged.T @ merged)[1][:, -1]
    expected = merged - np.outer(merged @ first, first)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(space.matrix, expected, atol=1e-5)
    np.testing.assert_allclose(space.shares, np.array([20, 3, 2, 1]) / 26)
    assert space.find(("?", "keys")) == space.find(("key",)) == 0


def test_a_context_is_the_weighted_mean_of_its_words(space):
    words = (*beside("door", distance=4), *beside("tune", "unknown"))
    door, tune = space.index["door"], space.index["tune"]
    weights = 1e-4 / (1e-4 + space.shares[[door, tune]])
    mean = weights[0] / 2 * space.matrix[door] + weights[1] * space.matrix[tune]
    np.testing.assert_allclose(
        context_vectors([words, beside("unknown")], space),
        [mean / np.linalg.norm(mean), np.zeros(16)],
        atol=1e-6,
    )


def test_a_view_by_nearness_weighs_by_cosine_with_the_word(space):
    words = beside("lock", "chord", "unknown")
    plain = word_weights(words, space, "door", View(0, 0))
    near = word_weights(words, space, "door", View(0, 1))
    door = space.matrix[space.index["door"]]
    cosines = [float(space.matrix[space.index[w]] @ door) for w in ("lock", "chord")]
    np.testing.assert_allclose(near / plain, np.maximum(0.05, [*cosines, 0]), rtol=1e-5)
    assert plain[2] == 1


def test_planted_senses_are_found_and_named_by_their_words(space, contexts):
    found = induce(contexts, space, "key")
    assert found.labels.tolist() == [0, 0, 1] * 6
    assert found.number == 2
    assert len(found.names) == 2
    assert set(found.names[0]) <= {*DOOR}
    assert set(found.names[1]) <= {*MUSIC}
    assert found.method == "words of the context, toy"
    assert dict(found.silhouettes)[2] == max(value for _, value in found.silhouettes)


def test_the_same_contexts_give_the_same_senses(space, contexts):
    first, second = induce(contexts, space, "key"), induce(contexts, space, "key")
    assert first.labels.tolist() == second.labels.tolist()
    np.testing.assert_array_equal(first.agreement, second.agreement)


def test_contexts_without_known_words_are_one_sense(space):
    found = induce([beside("unknown")] * 4, space)
    assert found.number == 1
    assert found.labels.tolist() == [0] * 4


def test_fewer_than_three_contexts_are_refused(space):
    with pytest.raises(InputError, match=r"Contexts of «key»: 2, .* at least 3 are needed"):
        induce([beside("door")] * 2, space, "key")


def test_four_views_differ_in_distance_and_nearness():
    assert {(view.distance > 0.5, view.nearness) for view in VIEWS} == {
        (False, 0),
        (True, 0),
        (False, 1),
        (True, 1),
    }


def test_surroundings_are_lemmas_with_distances_without_the_word():
    context = Context("1", "ключ", "", "", ((8, 14),), "Старым  ключом отперли ключом дверь.")
    around = surroundings(context, "ru")
    assert [(one.word, one.distance) for one in around] == [
        ("старый", 1),
        ("отпереть", 1),
        ("дверь", 3),
    ]
    assert [context.text[slice(*one.span)] for one in around] == ["Старым", "отперли", "дверь"]
    assert around[1].keys == ("отпереть", "отперли")


def test_a_context_without_its_word_counts_with_all_its_words():
    context = Context("1", "ключ", "", "", (), "Дверь открыта.")
    assert {one.distance for one in surroundings(context, "ru", strict=False)} == {FAR}
    assert not stands_in(context, "ru")
    with pytest.raises(InputError, match="does not occur in context 1"):
        surroundings(context, "ru")


def test_the_index_is_sklearns_and_known_by_hand():
    # contingency [[2, 1], [0, 2]]: pairs together 2, by rows 4, by columns 4, expected 16 / 10
    gold, predicted = "aaabb", "xxyyy"
    assert adjusted_rand_index(gold, predicted) == pytest.approx((2 - 1.6) / (4 - 1.6))
    assert adjusted_rand_index(gold, predicted) == adjusted_rand_score([*gold], [*predicted])


def test_b_cubed_is_the_mean_over_contexts_by_hand():
    # clusters x: a a, y: a b b; of each context its cluster's share of its sense, and its sense's share of its cluster
    gold, predicted = "aaabb", "xxyyy"
    precision = (1 + 1 + 1 / 3 + 2 / 3 + 2 / 3) / 5
    recall = (2 / 3 + 2 / 3 + 1 / 3 + 1 + 1) / 5
    expected = 2 * precision * recall / (precision + recall)
    assert b_cubed(gold, predicted) == pytest.approx(expected)
    assert b_cubed(gold, gold) == 1
    assert b_cubed("aab", "xyz") == pytest.approx(2 * 1 * (2 / 3) / (1 + 2 / 3))


def planted(seed, senses):
    """A space of twelve fields of 30 words that each point one way, and 60 contexts of «word», each of eight words of one of its fields."""
    rng = np.random.default_rng(seed)
    centres = np.eye(24)[:12]
    words = [f"w{field}x{number}" for field in range(12) for number in range(30)]
    rows = np.repeat(centres, 30, 0) + rng.normal(size=(360, 24)) / 6
    word = centres[:senses].mean(0) + rng.normal(size=24) / 20
    table = Vectors([*words, "word"], np.vstack([rows, word]).astype(np.float32), name="planted")
    contexts = [
        beside(*rng.choice(words[30 * (n % senses) :][:30], 8, replace=False)) for n in range(60)
    ]
    return word_space(table, str.lower), contexts


@pytest.mark.parametrize("seed", range(10))
def test_a_corpus_of_one_sense_is_not_split_and_one_of_two_is(seed):
    space, contexts = planted(seed, 1)
    assert not induce(contexts, space, "word").separates
    space, contexts = planted(seed, 2)
    found = induce(contexts, space, "word")
    assert found.separates
    assert found.labels.tolist() == [0, 1] * 30


def test_clarity_is_the_silhouette_less_the_nearest_group_s_cosine_with_the_word(space, contexts):
    points = context_vectors(contexts, space)
    labels = np.array([0, 0, 1] * 6)
    means = [points[labels == group].mean(0) for group in (0, 1)]
    word = space.matrix[space.index["door"]]
    cosines = [mean @ word / np.linalg.norm(mean) for mean in means]
    expected = silhouette_score(points, labels, metric="cosine") - max(cosines)
    assert clarity(points, labels, space, "door") == pytest.approx(expected, abs=1e-5)
    assert clarity(points, labels, space, "unheard") == pytest.approx(
        silhouette_score(points, labels, metric="cosine") - 0.6, abs=1e-5
    )


def test_a_word_that_does_not_separate_gets_one_sense_and_says_so(space):
    given = [Context(str(n), "word", "a", "", (), "text") for n in range(6)]
    unclear = induce([beside("door", f"word{n}") for n in range(6)], space, "door")
    unclear = dataclasses.replace(unclear, clarity=MIN_CLARITY - 0.01)
    labels = np.zeros(6, np.int64)
    one = dataclasses.replace(unclear, labels=labels, number=1, names=((),))
    _, report = label(given, "en", lambda _: one)
    assert not report.words[0].separates
    assert (report.words[0].number, report.ari) == (1, 1.0)


def test_the_mean_is_weighted_by_contexts():
    assert weighted([(1.0, 30), (0.5, 10)]) == pytest.approx(0.875)
    assert weighted([]) is None


def test_a_file_is_labelled_word_by_word_and_scored_where_senses_are_marked(space, contexts):
    words = ["door"] * 18 + ["note"] * 18
    given = [
        Context(str(row), word, gold, "", (), " ".join(one.word for one in contexts[row % 18]))
        for row, (word, gold) in enumerate(zip(words, [*"aab" * 6, *[""] * 18], strict=True))
    ]

    def by_text(chosen):
        return induce([beside(*context.text.split()) for context in chosen], space)

    labelled, report = label(given, "en", by_text)
    assert [one.predicted for one in labelled] == ["1", "1", "2"] * 12
    assert [one.gold for one in labelled] == [one.gold for one in given]
    assert [(one.word, one.ari) for one in report.words] == [("door", 1.0), ("note", None)]
    assert (report.ari, report.b_cubed, report.one_sense_ari) == (1.0, 1.0, 0.0)
    assert report.one_sense_b_cubed == pytest.approx(
        2 * (5 / 9) / (1 + 5 / 9)
    )  # (12^2 + 6^2) / 18^2
    assert report.words[1].b_cubed is None
    assert score_word(labelled[18:]) == ({}, 0)
    assert by_word(given) == {"door": [*range(18)], "note": [*range(18, 36)]}


def test_a_word_with_two_contexts_gets_one_sense_and_does_not_stop_the_others():
    given = [Context(str(i), "door", "a", "", (), "door lock") for i in range(2)]

    def refuse(chosen):
        raise AssertionError(chosen)

    labelled, report = label(given, "en", refuse)
    assert [one.predicted for one in labelled] == ["1", "1"]
    assert [(one.contexts, one.number, one.names) for one in report.words] == [(2, 1, ((),))]

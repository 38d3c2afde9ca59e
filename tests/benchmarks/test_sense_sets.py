"""Senses on the open sets: contexts drawn, settings chosen on the other sets, AdaGram scored on the same contexts, ways side by side."""

import numpy as np
import pytest

from benchmarks.sense_methods import Word, views
from benchmarks.sense_sets import (
    SETTINGS,
    WAYS,
    Scored,
    adagram,
    drawn,
    labels_of,
    left_out,
    mean_index,
    of_set,
)
from embeddings.corpora.sense_contexts import Context, read_contexts, write_contexts


def contexts(count, gold="1", predicted=""):
    return [Context(str(row), "ключ", gold, predicted, (), f"ключ {row}") for row in range(count)]


def scored(index, found, contexts=10, gold=2, dominant=0.5):
    return Scored(contexts, gold, dominant, dict.fromkeys(SETTINGS, (index, found)))


def test_contexts_are_drawn_in_their_order_and_the_same_each_time():
    some = drawn(contexts(30), 12)
    numbers = [int(context.context_id) for context in some]
    assert len(set(numbers)) == 12
    assert numbers == sorted(numbers)
    assert some == drawn(contexts(30), 12)
    assert drawn(contexts(5), 12) == contexts(5)


def test_a_number_of_senses_that_does_not_live_long_enough_is_one():
    """Two groups that agree on nothing with each other: the two live for 1 / sqrt(2) = 0.71, longer than all lifetimes asked for."""
    apart = np.kron(np.eye(2, dtype=np.float32), np.ones((5, 5), np.float32))
    assert all(labels.tolist() == [0] * 5 + [1] * 5 for labels in labels_of(apart, 0.08).values())
    near = np.where(apart > 0, 1.0, 0.9).astype(
        np.float32
    )  # the two live for 0.1 / sqrt(2) = 0.071
    labels = labels_of(near, 0.08)
    assert labels[0.05].max() == 1
    assert labels[0.1].max() == 0


def test_a_set_weighs_words_by_contexts_and_counts_split_words_among_dominated_ones():
    words = [scored(1.0, 3, 30, 3), scored(0.0, 2, 10, 2, 0.9), scored(0.5, 1, 10, 1, 0.8)]
    figures = of_set(words, SETTINGS[0])
    assert figures["ari"] == pytest.approx((30 * 1.0 + 10 * 0.0 + 10 * 0.5) / 50)
    assert (figures["senses"], figures["annotated"]) == (2.0, 2.0)
    assert (figures["dominated"], figures["split"]) == (2, 0.5)
    assert mean_index([[scored(0.2, 1)], [scored(0.4, 1)]], SETTINGS[0]) == pytest.approx(
        (0.3, 0.1)
    )


def test_a_setting_is_chosen_on_the_other_sets():
    """Setting 3 is best by far on the set left out, setting 7 on the others."""

    def of(best, value):
        scores = {s: (value if s == SETTINGS[best] else 0.1, 2) for s in SETTINGS}
        return [[Scored(10, 2, 0.5, scores)]]

    by_set = {"a": of(3, 1.0), "b": of(7, 0.3), "c": of(7, 0.2)}
    assert left_out(by_set, "a") == SETTINGS[7]
    assert left_out(by_set, "b") == SETTINGS[3]


def test_adagram_is_scored_on_the_contexts_drawn(tmp_path):
    """Right on the first four contexts, wrong on the others."""
    given = [
        Context(str(row), "ключ", "ab"[row % 2], predicted, (), f"ключ {row}")
        for row, predicted in enumerate("12121122")
    ]
    write_contexts(tmp_path / "set.baseline-adagram.csv", given)
    words = [Word("set", "ru", given[:4], [()] * 4, [True] * 4)]
    assert len(read_contexts(tmp_path / "set.baseline-adagram.csv")) == 8
    assert adagram(tmp_path / "set.csv", words) == 1.0
    words = [Word("set", "ru", given, [()] * 8, [True] * 8)]
    assert adagram(tmp_path / "set.csv", words) < 0.5
    assert adagram(tmp_path / "none.csv", words) is None


def test_parts_stand_side_by_side_with_their_lengths():
    word = Word("set", "ru", contexts(3), [()] * 3, [True] * 3)
    rows = np.eye(3, dtype=np.float32)
    word.vectors = {
        "lemmas_views": ([rows, -rows], 0.0),
        "word_state": ([rows], 0.0),
        "around": ([rows], 0.0),
    }
    points, _ = views(word, None, WAYS["both_0.5"])
    assert len(points) == 2
    whole = np.sqrt(1 + 2 * 0.5**2)
    np.testing.assert_allclose(
        np.abs(points[1][0][::3]), np.array([1, 0.5, 0.5]) / whole, rtol=1e-6
    )
    assert set(WAYS) == {"static"} | {
        f"{name}_{share}"
        for name in ("own", "form", "around", "both")
        for share in (0.35, 0.5, 0.7)
    }

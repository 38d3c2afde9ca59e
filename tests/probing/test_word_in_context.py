"""Words in two contexts: thresholds by hand, and a planted network that knows two senses."""

import numpy as np
import pytest

from embeddings.corpora.evaluation_sets import WordInContext, WordInContextPair
from embeddings.errors import InputError
from embeddings.probing.context_states import word_states
from embeddings.probing.word_in_context import (
    VECTOR_KINDS,
    best_threshold,
    evaluate_word_in_context,
    pair_cosines,
    score_cosines,
    word_halves,
)
from tests.probing.conftest import cosine, occurrence


def pair(lemma, first, second, is_same):
    """A pair whose word stands in both sentences as it is spelled."""
    sides = [WordInContext(*occurrence(text, lemma)) for text in (first, second)]
    return WordInContextPair(lemma, *sides, is_same)


def test_the_threshold_is_the_best_of_all_that_there_are():
    rng = np.random.default_rng(3)
    for _ in range(50):
        cosines = rng.integers(0, 6, 9) / 8  # ties among them
        same = rng.random(9) < 0.5
        every = [((cosines >= cut) == same).mean() for cut in (*np.unique(cosines), 9)]
        accuracy, threshold = best_threshold(cosines, same)
        assert accuracy == pytest.approx(max(every))
        assert ((cosines >= threshold) == same).mean() == pytest.approx(accuracy)


def test_each_half_is_judged_by_the_threshold_of_the_other():
    # By hand: words a, c are the first half, b the second. On a, c 0.5 parts the answers; on b 0.75 does.
    lemmas = ["a", "a", "b", "b", "c"]
    values = np.array([0.4, 0.6, 0.7, 0.8, 0.6])
    same = np.array([False, True, False, True, True])
    scores = score_cosines({"word": values[:, None]}, same, lemmas)
    (layer,) = scores.layers
    assert layer.thresholds == pytest.approx((0.5, 0.75))
    # 0.75 takes all of a, c as different (1 of 3 right); 0.5 takes all of b as the same (1 of 2 right)
    assert layer.accuracy == pytest.approx(2 / 5)
    assert scores.accuracy == pytest.approx(2 / 5)
    assert scores.standard_error == pytest.approx(np.sqrt(0.4 * 0.6 / 5))
    assert (scores.total, scores.words, scores.halves) == (5, 3, (3, 2))
    assert scores.same == pytest.approx(3 / 5)


def test_kind_and_layer_are_chosen_on_the_other_half_too():
    """Layer 1 knows the first half alone, layer 0 both: the choice on the first half may not look at the second."""
    rng = np.random.default_rng(1)
    lemmas = [f"word{number // 2}" for number in range(200)]
    same = rng.random(200) < 0.5
    half = word_halves(lemmas)
    noise = rng.random(200)
    good = np.where(rng.random(200) < 0.9, same, ~same).astype(float)
    overfit = np.where(half, noise, same)  # perfect on the first half, noise on the second
    scores = score_cosines({"word": np.stack([good, overfit], 1)}, same, lemmas)
    assert scores.chosen[0].layer == 1
    assert scores.chosen[1].layer == 0
    first = (good >= 0.5)[~half] == same[~half]  # judged by what is best on the second half
    second = (noise >= scores.chosen[0].thresholds[0])[half] == same[half]
    assert scores.accuracy == pytest.approx((first.sum() + second.sum()) / 200)


def test_cosines_are_those_of_the_words_own_states(reader):
    pairs = [
        pair("ключ", "Старик вынул ключ.", "Бил ключ.", False),
        pair("Tür", "Die Tür ist offen.", "Er ging durch die Tür.", True),
    ]
    cosines, truncated, unknown = pair_cosines(reader, pairs, "ru")
    assert tuple(cosines) == VECTOR_KINDS
    for row, (first, second) in enumerate((p.first, p.second) for p in pairs):
        states = [word_states(reader, [(s.text, s.span)]).vectors[0] for s in (first, second)]
        for layer in range(3):
            expected = cosine(states[0][layer], states[1][layer])
            assert cosines["word"][row, layer] == pytest.approx(expected, abs=1e-5)
    assert (truncated, unknown) == (0, 0)
    assert all(rows.shape == (2, 3) for rows in cosines.values())


def test_two_senses_that_are_planted_in_the_words_around_are_told_apart(reader):
    """A word among doors or among springs; the words around have other states, whatever the weights of the network."""
    doors = ("Die Tür ist offen und der Bank ist alt.", "Der Bank und die Tür ist offen, offen.")
    springs = ("Вода реки холодна, Bank вода река.", "Река и вода, Bank, холодна вода.")
    pairs = []
    for number in range(12):
        lemma = f"Bank{number}"
        texts = [text.replace("Bank", lemma) for text in (*doors, *springs)]
        pairs += [pair(lemma, texts[0], texts[1], True), pair(lemma, texts[2], texts[3], True)]
        pairs += [pair(lemma, texts[0], texts[2], False), pair(lemma, texts[3], texts[1], False)]
    scores = evaluate_word_in_context(reader, pairs, "de")
    around = {s.layer: s.accuracy for s in scores.layers if s.kind == "around"}
    assert around[0] == 1.0  # before any layer: the words themselves are others
    assert min(around.values()) > 0.65  # fresh weights mix them
    assert scores.accuracy > 0.9


def test_answers_by_chance_are_right_half_of_the_time():
    rng = np.random.default_rng(5)
    lemmas = [str(number) for number in range(2000)]
    scores = score_cosines({"word": rng.random((2000, 5))}, rng.random(2000) < 0.5, lemmas)
    assert scores.accuracy == pytest.approx(0.5, abs=0.04)  # on its own half it would be above 0.52


def test_pairs_of_one_word_alone_are_refused(reader):
    pairs = [pair("Tür", "Die Tür ist offen.", "Eine Tür.", True)] * 4
    with pytest.raises(InputError, match=r"Only one word has pairs \(4\)"):
        evaluate_word_in_context(reader, pairs, "de")

"""Association tests: by hand on four words, against brute force over all partitions, drawn partitions within their error."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from embeddings.analysis.association import association_test
from embeddings.analysis.vector_answers import AssociationSets
from embeddings.errors import InputError
from embeddings.vectors.table import Vectors
from tests.tables import at_degrees, drawn, numbered


def asked(first, second, near=4, far=5):
    """Sets of so many words each, in the model's order."""
    ends = np.cumsum([0, first, second, near, far])
    words = [tuple(f"w{n}" for n in range(a, b)) for a, b in pairwise(ends)]
    return AssociationSets("test", ("X", "Y", "A", "B"), tuple(words))


def test_four_targets_by_hand():
    """A points along 0°, B along 90°: an association is cos - sin of the angle."""
    words = ["rose", "lily", "ant", "flea", "love", "joy", "hate", "war"]
    model = Vectors(words, at_degrees(0, 30, 90, 60, 0, 0, 90, 90))
    sets = AssociationSets(
        "hand",
        ("X", "Y", "A", "B"),
        (tuple(words[:2]), tuple(words[2:4]), ("love", "joy"), ("hate", "war")),
    )
    answer = association_test(model, sets)
    half = (math.sqrt(3) - 1) / 2  # cos 30° - sin 30°
    assert [t.association for t in answer.targets] == pytest.approx([1, half, -1, -half], abs=1e-6)
    mean = (1 + half) / 2
    deviation = math.sqrt(2 * (1 + half**2) / 3)  # four values, mean 0, n - 1 = 3
    assert answer.statistic == pytest.approx(2 * mean, abs=1e-6)
    assert answer.effect_size == pytest.approx(2 * mean / deviation, abs=1e-6)
    assert answer.is_exact
    assert answer.partitions == 6
    assert answer.one_sided.p == pytest.approx(1 / 6)  # the observed partition alone
    assert answer.two_sided.p == pytest.approx(2 / 6)  # and its mirror image
    assert answer.one_sided.standard_error is None


@pytest.mark.parametrize(("first", "second"), [(4, 4), (5, 3), (2, 6)])
@pytest.mark.parametrize("seed", range(3))
def test_exact_p_values_equal_brute_force(first, second, seed):
    model, sets = drawn(24, 6, seed), asked(first, second)
    answer = association_test(model, sets)
    pick = [[int(word[1:]) for word in words] for words in sets.words]
    cosines = cosine_similarity(model.matrix.astype(np.float64))
    targets = pick[0] + pick[1]
    scores = [cosines[t][pick[2]].mean() - cosines[t][pick[3]].mean() for t in targets]
    n = len(targets)

    def difference(chosen):
        rest = [scores[i] for i in range(n) if i not in chosen]
        return np.mean([scores[i] for i in chosen]) - np.mean(rest)

    every = [difference(chosen) for chosen in combinations(range(n), first)]
    observed = difference(tuple(range(first)))
    assert answer.statistic == pytest.approx(observed, abs=1e-6)
    assert answer.effect_size == pytest.approx(observed / np.std(scores, ddof=1), abs=1e-5)
    assert answer.one_sided.p == np.mean([value >= observed - 1e-9 for value in every])
    assert answer.two_sided.p == np.mean([abs(v) >= abs(observed) - 1e-9 for v in every])


def test_drawn_partitions_agree_with_all_of_them_within_their_error(monkeypatch):
    from embeddings.analysis import association

    model, sets = drawn(24, 6, 5), asked(6, 6)
    exact = association_test(model, sets)
    monkeypatch.setattr(association, "MOST_PARTITIONS", 100)
    some = association_test(model, sets, draws=40_000)
    assert exact.is_exact
    assert not some.is_exact
    assert some.partitions == 40_000
    for side in ("one_sided", "two_sided"):
        p, sampled = getattr(exact, side).p, getattr(some, side)
        assert sampled.standard_error == pytest.approx(math.sqrt(p * (1 - p) / 40_000), rel=0.1)
        assert abs(sampled.p - p) < 4 * sampled.standard_error
    assert some == association_test(model, sets, draws=40_000)


def test_the_other_direction_has_the_other_tail():
    model, sets = drawn(24, 6, 7), asked(5, 5)
    swapped = AssociationSets("swapped", sets.titles, (*sets.words[1::-1], *sets.words[2:]))
    there, back = association_test(model, sets), association_test(model, swapped)
    assert back.effect_size == pytest.approx(-there.effect_size)
    assert back.two_sided.p == pytest.approx(there.two_sided.p)
    ties = 1 / there.partitions  # the observed partition is in both tails
    assert there.one_sided.p + back.one_sided.p == pytest.approx(1 + ties)


def test_words_without_vectors_are_named_and_left_out():
    model = drawn(24, 6, 1)
    sets = asked(4, 4)
    more = AssociationSets("t", sets.titles, (("w0", "W0", "w1", "nowhere"), *sets.words[1:]))
    answer = association_test(model, more)
    assert answer.sets[0].words == ("w0", "w1")  # capitals are the same word
    assert answer.sets[0].missing == ("nowhere",)
    few = AssociationSets("t", sets.titles, (("w0", "nowhere", "gone"), *sets.words[1:]))
    with pytest.raises(InputError, match="nowhere, gone"):
        association_test(model, few)
    both = AssociationSets("t", sets.titles, (("w0", "w1"), ("w1", "w2"), *sets.words[2:]))
    with pytest.raises(InputError, match="w1"):
        association_test(model, both)


def test_equal_associations_have_no_effect_size():
    model = numbered(at_degrees(0, 0, 0, 0, 0, 0, 90, 90))
    answer = association_test(model, asked(2, 2, 2, 2))
    assert math.isnan(answer.effect_size)
    assert answer.one_sided.p == 1

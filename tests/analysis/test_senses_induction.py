"""Induced senses: vectors of contexts by hand, planted senses found and named, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import normalize

from embeddings.analysis.context_answers import MIN_CLARITY
from embeddings.analysis.sense_agreement import annotated_labels, compare_annotations
from embeddings.analysis.sense_grouping import (
    cut_into,
    frequencies,
    frequencies_by,
    merge,
    move,
    rename,
    sense_tree,
    split,
)
from embeddings.analysis.sense_induction import (
    View,
    clarity,
    context_vectors,
    induce,
    label,
    score_word,
    word_space,
    word_weights,
)
from embeddings.corpora.corpus_answers import SenseGrouping, SurroundingWord
from embeddings.corpora.sense_contexts import FAR, Context, by_word, spans_of, surroundings
from embeddings.errors import FormatError, InputError
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
    unit = normalize(rows)
    merged = normalize(np.vstack([4 * unit[0] + 2 * unit[1], np.sqrt([[3], [2], [1]]) * unit[2:]]))
    merged -= merged.mean(0)
    first = np.linalg.eigh(merged.T @ merged)[1][:, -1]
    expected = normalize(merged - np.outer(merged @ first, first))
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


def test_planted_senses_are_found_and_named_by_their_words_each_time(space, contexts):
    found, again = (induce(contexts, space, "key") for _ in range(2))
    np.testing.assert_array_equal(found.agreement, again.agreement)
    assert found.labels.tolist() == again.labels.tolist()
    assert found.labels.tolist() == [0, 0, 1] * 6
    assert found.number == 2
    assert len(found.names) == 2
    assert set(found.names[0]) <= {*DOOR}
    assert set(found.names[1]) <= {*MUSIC}
    assert found.method == "words of the context, toy"


def test_contexts_without_known_words_are_one_sense(space):
    found = induce([beside("unknown")] * 4, space)
    assert found.number == 1
    assert found.labels.tolist() == [0] * 4


def test_fewer_than_three_contexts_are_refused(space):
    with pytest.raises(InputError, match=r"Contexts of “key”: 2, .* at least 3 are needed"):
        induce([beside("door")] * 2, space, "key")


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
    assert spans_of(context, "ru") == ()
    with pytest.raises(InputError, match="does not occur in context 1"):
        surroundings(context, "ru")


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


@pytest.mark.parametrize("seed", range(4))
def test_a_corpus_of_one_sense_is_not_split_and_one_of_two_is(seed):
    space, contexts = planted(seed, 1)
    assert not induce(contexts, space, "word").separates
    space, contexts = planted(seed, 2)
    found = induce(contexts, space, "word")
    assert found.separates
    assert found.labels.tolist() == [0, 1] * 30
    assert found.division()[1] == 2
    overlapping = replace(found, silhouette=0.04)
    assert not overlapping.separates
    assert overlapping.division()[0].tolist() == [0] * 60


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
    unclear = replace(unclear, clarity=MIN_CLARITY - 0.01)
    labels = np.zeros(6, np.int64)
    one = replace(unclear, labels=labels, number=1, names=((),))
    _, report = label(given, "en", lambda _: one)
    assert not report.words[0].separates
    assert (report.words[0].number, report.ari) == (1, 1.0)


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
    # (12^2 + 6^2) / 18^2
    assert report.one_sense_b_cubed == pytest.approx(2 * (5 / 9) / (1 + 5 / 9))
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


# Senses arranged by hand: numbers worked out on paper, trees against scipy


SIX = SenseGrouping((0, 0, 0, 1, 1, 2), ("money", "", "river"))


# two pairs that agree at 0.9 and 0.8, apart from each other at 0.1, and a fifth context apart from all
FIVE = np.array(
    [
        [1.0, 0.9, 0.1, 0.1, 0.0],
        [0.9, 1.0, 0.1, 0.1, 0.0],
        [0.1, 0.1, 1.0, 0.8, 0.0],
        [0.1, 0.1, 0.8, 1.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 1.0],
    ],
    np.float32,
)


def blocks(sizes, seed=0):
    """Contexts of some senses that mostly stand together."""
    senses = np.repeat(np.arange(len(sizes)), sizes)
    near = np.random.default_rng(seed).uniform(0, 0.2, (len(senses), len(senses)))
    near = (near + near.T) / 2
    together = np.where(senses[:, None] == senses, 1 - near, near).astype(np.float32)
    np.fill_diagonal(together, 1)
    return together, senses


@pytest.mark.parametrize("number", range(1, 13))
def test_as_many_senses_come_out_as_are_asked_for(number):
    labels = cut_into(blocks((5, 4, 3))[0], number)
    assert sorted(set(labels.tolist())) == list(range(number))


def test_the_number_that_the_contexts_have_gives_their_senses():
    together, senses = blocks((9, 7, 6, 5))
    assert cut_into(together, 4).tolist() == senses.tolist()


def test_contexts_that_no_clustering_separated_can_be_cut_all_the_same():
    assert len(set(cut_into(np.ones((6, 6), np.float32), 3).tolist())) == 3


@pytest.mark.parametrize("number", [0, 13])
def test_a_number_of_senses_that_cannot_be_had_is_refused(number):
    with pytest.raises(InputError, match=f"{number} senses cannot be had of 12 contexts"):
        cut_into(blocks((5, 4, 3))[0], number)


def test_merging_keeps_the_first_name_or_takes_the_second():
    assert merge(SIX, 0, 2) == SenseGrouping((0, 0, 0, 1, 1, 0), ("money", ""))
    assert merge(SIX, 1, 2) == SenseGrouping((0, 0, 0, 1, 1, 1), ("money", "river"))
    with pytest.raises(InputError, match="merged with itself"):
        merge(SIX, 1, 1)


def test_splitting_parts_a_sense_where_its_contexts_agree_least():
    whole = SenseGrouping((0, 0, 0, 0, 0), ("key",))
    first = split(whole, 0, FIVE)
    assert first == SenseGrouping((0, 0, 0, 0, 1), ("key", ""))
    assert split(first, 0, FIVE) == SenseGrouping((0, 0, 2, 2, 1), ("key", "", ""))
    with pytest.raises(InputError, match="Sense 2 has a single context"):
        split(first, 1, FIVE)


def test_moving_the_last_context_away_drops_its_sense():
    assert move(SIX, {5}, 0) == SenseGrouping((0, 0, 0, 1, 1, 0), ("money", ""))
    assert move(SIX, {0, 3}, 3) == SenseGrouping((3, 0, 0, 3, 1, 2), ("money", "", "river", ""))


def test_a_name_is_one_senses_alone():
    assert rename(SIX, 1, "  bench  press ").names == ("money", "bench press", "river")
    assert rename(SIX, 0, "").names == ("", "", "river")
    with pytest.raises(InputError, match="called “river” already"):
        rename(SIX, 0, "river")
    with pytest.raises(InputError, match="61 characters; at most 60"):
        rename(SIX, 0, "x" * 61)


def test_the_tree_is_that_of_scipy():
    together, _ = blocks((5, 4, 3))
    tree = sense_tree(together)
    linked = linkage(1 - together[np.triu_indices(12, 1)].astype(float), "average")
    assert sorted(top for _, (_, top), _, _ in tree.links) == pytest.approx(
        sorted(linked[:, 2].tolist())
    )
    by_height = sorted(zip(tree.links, tree.members, strict=True), key=lambda pair: pair[0][1][1])
    cut = fcluster(linked, 3, "maxclust")
    joined = {tuple(sorted(members)) for _, members in by_height[: 12 - 3]}
    for sense in set(cut):
        rows = tuple(np.flatnonzero(cut == sense).tolist())
        assert rows in joined
    for link, members in zip(tree.links, tree.members, strict=True):
        places = sorted(tree.leaves.index(leaf) for leaf in members)
        assert places == list(range(places[0], places[0] + len(places)))  # they stand side by side
        assert places[0] <= link[0][0] < link[3][0] <= places[-1]


def test_dates_stand_in_their_order_and_documents_by_frequency():
    dated = frequencies([0, 1, 0, 1], ["1999-03", "1870", "1999-01", ""])
    assert dated.values == ("1870", "1999-01", "1999-03")
    assert dated.counts == ((0, 1), (1, 0), (1, 0))
    named = frequencies([0, 0, 1, 1, 1], ["b", "a", "a", "a", "b"])
    assert (named.values, named.counts) == (("a", "b"), ((1, 2), (1, 1)))
    with pytest.raises(InputError, match="1001 different values"):
        frequencies([0] * 1001, [f"d{n}" for n in range(1001)])


def test_frequencies_are_counts_shares_and_uses_in_10_000_words_of_each_text():
    words = ["2500", "400", "400", "400"]
    counted = frequencies([0, 0, 1, 1], ["b", "a", "a", "a"], words)
    assert counted.values == ("a", "b")
    assert counted.counts == ((1, 2), (1, 0))
    assert counted.shares == ((1 / 3, 2 / 3), (1, 0))
    assert counted.words == (400, 2500)
    assert counted.per_10_000 == ((25, 50), (4, 0))  # 1 and 2 of 400, 1 of 2 500
    assert counted.table()[1] == [
        ["a", 1, 1, 1 / 3, 25, 400],
        ["a", 2, 2, 2 / 3, 50, 400],
        ["b", 1, 1, 1, 4, 2500],
        ["b", 2, 0, 0, 0, 2500],
    ]


@pytest.mark.parametrize(
    "words", [["9", "9", ""], ["9", "8", "3"], ["9", "9", "0"], ["9", "9", "x"]]
)
def test_a_text_without_one_number_of_words_gives_no_frequencies_by_words(words):
    counted = frequencies([0, 1, 1], ["a", "a", "b"], words)
    assert counted.shares == ((0.5, 0.5), (0, 1))
    assert (counted.words, counted.per_10_000) == ((), ())
    assert counted.table()[1][0] == ["a", 1, 1, 0.5, None, None]


def test_senses_are_counted_by_a_column_and_documents_named_with_their_file():
    places = [("a.txt", "1"), ("a.txt", "2"), ("b.txt", "1")]
    contexts = [
        Context("1", "key", "", "", (), "A key.", (("file", file), ("document", number)))
        for file, number in places
    ]
    by_document = frequencies_by(contexts, [0, 0, 0], "document")
    assert by_document.values == ("a.txt: 1", "a.txt: 2", "b.txt: 1")
    assert frequencies_by(contexts, [0, 0, 0], "file").counts == ((2,), (1,))
    with pytest.raises(InputError, match=r"column “year”.*there are: file, document"):
        frequencies_by(contexts, [0, 0, 0], "year")


# Agreement of two annotations: figures by hand, refusals by their sentences


TEXTS = ("The bank was closed.", "On the bank of the river.", "A bank lends.", "bank and bank")


CONTEXTS = tuple(
    Context(str(row), "bank", "", "", ((text.index("bank"), text.index("bank") + 4),), text)
    for row, text in enumerate(TEXTS)
)


def annotated(*labels):
    return tuple(replace(c, gold=label) for c, label in zip(CONTEXTS, labels, strict=True))


def test_figures_by_hand():
    """Ten contexts: 4 of a agree, 1 of a is b there, 5 of b agree; kappa = (0.9 - 0.5) / (1 - 0.5)."""
    result = compare_annotations(["1"] * 5 + ["2"] * 5, ["a"] * 4 + ["b"] * 6)
    assert result.table == ((4, 1), (0, 5))
    assert result.matching == (("1", "a"), ("2", "b"))
    assert result.kappa == pytest.approx(0.8)
    # pairs: together in both 6 + 10, here 20, there 21, of 45: (16 - 20 * 21 / 45) / (20.5 - 20 * 21 / 45)
    assert result.ari == pytest.approx((16 - 420 / 45) / (20.5 - 420 / 45))
    precision, recall = (16 / 5 + 1 / 5 + 25 / 5) / 10, (16 / 4 + 1 / 6 + 25 / 6) / 10
    assert result.b_cubed == pytest.approx(2 * precision * recall / (precision + recall))
    assert result.one_sense_b_cubed == pytest.approx(2 * 0.52 / (1 + 0.52))  # (4^2 + 6^2) / 10^2


def test_equal_names_mean_the_same_only_when_asked_to():
    senses, labels = ["1", "1", "2", "2"], ["2", "2", "1", "1"]
    assert compare_annotations(senses, labels).kappa == 1
    assert compare_annotations(senses, labels, same_names=True).kappa == -1


def test_one_sense_on_both_sides_is_full_agreement():
    result = compare_annotations(["1", "1", "1"], ["a", "a", "a"])
    assert (result.ari, result.v_measure, result.kappa) == (1, 1, 1)


def test_contexts_without_a_label_are_counted_apart():
    result = compare_annotations(["1", "1", "2"], ["a", "a", ""])
    assert (result.contexts, result.lacking) == (2, 1)
    with pytest.raises(InputError, match="annotated in both: 1"):
        compare_annotations(["1", "2"], ["a", ""])


def test_annotations_meet_by_text_and_position():
    shuffled = annotated("m", "r", "m", "x")[::-1]
    assert annotated_labels(CONTEXTS, shuffled, "en", "mine.tsv") == ("m", "r", "m", "x")
    second = replace(CONTEXTS[3], positions=((9, 13),))
    assert annotated_labels([second], (*shuffled[1:], replace(second, gold="y")), "en", "f") == (
        "y",
    )


def test_a_file_with_predicted_senses_alone_is_an_annotation_too():
    predicted = tuple(replace(c, predicted="7") for c in CONTEXTS)
    assert set(annotated_labels(CONTEXTS, predicted, "en", "f")) == {"7"}


LABELLED = annotated("m", "r", "m", "x")
OTHER = replace(LABELLED[0], text="Some other bank.", positions=((11, 15),))
LONGER = replace(LABELLED[3], context_id="9", positions=((0, 8),))


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([OTHER], "annotates other contexts: none of its 1 .*Some other bank"),
        ([LABELLED[3], LONGER], r"context 9: .*positions 0-4 \(context 3\) and 0-8 overlap"),
        (
            [*LABELLED, replace(LABELLED[0], context_id="9", gold="r")],
            r"two labels for the same position, m \(context 0\) and r",
        ),
        (CONTEXTS, "gives no context a sense"),
    ],
)
def test_an_annotation_of_other_contexts_and_one_that_contradicts_itself_are_refused(
    rows, sentence
):
    with pytest.raises(FormatError, match=sentence):
        annotated_labels(CONTEXTS, rows, "en", "mine.tsv")

"""Agreement of two annotations: figures by hand and against scikit-learn, refusals by their sentences."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, cohen_kappa_score, v_measure_score

from embeddings.analysis.sense_agreement import annotated_labels, compare_annotations
from embeddings.corpora.sense_contexts import Context
from embeddings.errors import FormatError, InputError

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


def test_figures_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    senses = [f"s{n}" for n in rng.integers(0, 3, 60)]
    labels = [
        s.replace("s", "l") if n < 0.7 else "l9"
        for s, n in zip(senses, rng.random(60), strict=True)
    ]
    result = compare_annotations(senses, labels)
    assert result.ari == pytest.approx(adjusted_rand_score(labels, senses))
    assert result.v_measure == pytest.approx(v_measure_score(labels, senses))
    named = [dict(result.matching)[s] for s in senses]
    assert result.kappa == pytest.approx(cohen_kappa_score(labels, named))


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


def test_other_contexts_are_refused():
    other = replace(CONTEXTS[0], gold="m", text="Some other bank.", positions=((11, 15),))
    with pytest.raises(
        FormatError, match=r"annotates other contexts: none of its 1 .*Some other bank"
    ):
        annotated_labels(CONTEXTS, [other], "en", "mine.tsv")


def test_overlapping_positions_are_refused():
    rows = [replace(CONTEXTS[3], gold="m", positions=((0, 4),))]
    rows += [replace(CONTEXTS[3], context_id="9", gold="m", positions=((0, 8),))]
    with pytest.raises(
        FormatError, match=r"context 9: .*positions 0-4 \(context 3\) and 0-8 overlap"
    ):
        annotated_labels(CONTEXTS, rows, "en", "mine.tsv")


def test_two_labels_for_one_position_are_refused():
    rows = [*annotated("m", "r", "m", "x"), replace(CONTEXTS[0], context_id="9", gold="r")]
    with pytest.raises(
        FormatError, match=r"two labels for the same position, m \(context 0\) and r"
    ):
        annotated_labels(CONTEXTS, rows, "en", "mine.tsv")


def test_an_annotation_without_labels_is_refused():
    with pytest.raises(FormatError, match="gives no context a sense"):
        annotated_labels(CONTEXTS, CONTEXTS, "en", "mine.tsv")

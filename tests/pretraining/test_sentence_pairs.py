"""From documents to pairs: which segments stand together, and what they are called."""

import numpy as np
import pytest

from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.pretraining.sentence_pairs import NO_PAIR
from tests.pretraining.small_corpora import MAX, drawn, origin, small_corpus


@pytest.mark.parametrize("objective", ["nsp", "sop"])
def test_pairs_fit_and_labels_are_halves(corpus, objective):
    pairs = drawn(corpus, objective)
    assert pairs.lengths.max() <= MAX
    assert pairs.first_length.min() >= 1
    assert (pairs.second_length[pairs.label == NO_PAIR] == 0).all()
    assert (pairs.second_length[pairs.label != NO_PAIR] >= 1).all()
    true, false = (pairs.label == 0).sum(), (pairs.label == 1).sum()
    assert abs(int(true) - int(false)) <= 1


def test_without_a_sentence_task_every_pair_is_true_and_has_no_label(corpus):
    pairs = drawn(corpus, "none")
    assert (pairs.label == NO_PAIR).all()
    two = pairs.second_length > 0
    assert two.any()
    assert (pairs.second[two] == (pairs.first + pairs.first_length)[two]).all()
    assert pairs.first_length.sum() + pairs.second_length.sum() == len(corpus.ids)


def test_true_second_segments_follow_their_first(corpus):
    pairs = drawn(corpus, "nsp")
    true = pairs.label == 0
    assert (pairs.second[true] == (pairs.first + pairs.first_length)[true]).all()
    assert (origin(corpus, pairs.first[true]) == origin(corpus, pairs.second[true])).all()


def test_false_second_segments_are_of_another_document_of_the_same_source(corpus):
    pairs = drawn(corpus, "nsp")
    false = pairs.label == 1
    first, second = origin(corpus, pairs.first[false]), origin(corpus, pairs.second[false])
    assert (first != second).all()
    assert (corpus.document_source[first] == corpus.document_source[second]).all()
    assert (corpus.document_source[first] == pairs.source[false]).all()


def test_false_second_segments_are_of_like_length():
    """On a corpus of some size the lengths of true and false second segments have the same spread."""
    pairs = drawn(small_corpus(600), "nsp")
    true, false = (pairs.second_length[pairs.label == label] for label in (0, 1))
    assert false.mean() == pytest.approx(true.mean(), rel=0.05)
    assert np.percentile(false, [10, 50, 90]) == pytest.approx(
        np.percentile(true, [10, 50, 90]), abs=1
    )


def test_every_token_is_read_once_in_true_and_swapped_pairs(corpus):
    pairs = drawn(corpus, "sop")
    seen = np.zeros(len(corpus.ids), int)
    for place, length in zip(
        np.append(pairs.first, pairs.second),
        np.append(pairs.first_length, pairs.second_length),
        strict=True,
    ):
        seen[place : place + length] += 1
    assert (seen == 1).all()


def test_swapped_pairs_are_neighbours_in_the_wrong_order(corpus):
    pairs = drawn(corpus, "sop")
    false = pairs.label == 1
    assert (pairs.first[false] == (pairs.second + pairs.second_length)[false]).all()


def test_segments_end_where_sentences_end(corpus):
    """Except in sentences longer than half a sequence, which are cut."""
    pairs = drawn(corpus, "sop")
    ends = np.append(
        pairs.first + pairs.first_length,
        (pairs.second + pairs.second_length)[pairs.second_length > 0],
    )
    inside_long = corpus.ids[ends - 1] >= 10
    long = (
        np.diff(corpus.sentence_bounds)[
            np.searchsorted(corpus.sentence_bounds, ends - 1, side="right") - 1
        ]
        > (MAX - 3) // 2
    )
    assert (np.isin(ends, corpus.sentence_bounds) | long)[inside_long].all()


def test_a_lonely_document_keeps_its_true_pairs():
    corpus = PreparedCorpus.from_documents({"en_a.txt": [[[10] * 5] * 20]}, 50)
    assert set(drawn(corpus, "nsp").label.tolist()) <= {0, NO_PAIR}


def test_epochs_differ_and_seeds_repeat(corpus):
    one, other, again = (drawn(corpus, "nsp", seed) for seed in (1, 2, 1))
    assert not np.array_equal(one.first, other.first)
    assert np.array_equal(one.first, again.first)
    assert np.array_equal(one.label, again.label)


def test_heldout_documents_are_not_trained_on(corpus):
    training, heldout = corpus.split(0.1)
    assert len(heldout) == 3
    assert set(corpus.document_source[heldout].tolist()) == {0, 1}
    pairs = drawn(corpus, "nsp", documents=training)
    used = np.append(pairs.first, pairs.second[pairs.second_length > 0])
    assert not np.isin(origin(corpus, used), heldout).any()

"""Two models compared: planted copies, rotations and swaps; parity with scipy."""

import numpy as np
import pytest
import scipy.linalg
import scipy.stats
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import normalize

from embeddings import Vectors
from embeddings.analysis.model_comparison import (
    align,
    common_map,
    compare,
    most_moved,
    orthogonal_procrustes,
)
from embeddings.errors import InputError
from tests.tables import drawn

RANDOM = np.random.default_rng(5)
FIRST = drawn(60, 8, 4)
WORDS, MATRIX = FIRST.words, FIRST.matrix
TURN = scipy.stats.ortho_group.rvs(8, random_state=3).astype(np.float32)


def table(matrix, words=WORDS, language=""):
    return Vectors(words, np.asarray(matrix, np.float32), language=language)


@pytest.mark.parametrize("shape", [(40, 6), (5, 9), (200, 3)])
def test_the_rotation_is_scipys(shape):
    rows, targets = RANDOM.normal(size=(2, *shape))
    found = orthogonal_procrustes(rows, targets)
    reference, _ = scipy.linalg.orthogonal_procrustes(rows, targets)
    left = np.linalg.norm(rows @ found - targets)
    assert left == pytest.approx(np.linalg.norm(rows @ reference - targets), abs=1e-9)
    np.testing.assert_allclose(found @ found.T, np.eye(shape[1]), atol=1e-9)
    if shape[0] > shape[1]:  # with fewer rows than columns the best rotation is not unique
        np.testing.assert_allclose(found, reference, atol=1e-8)


def test_a_rotated_and_stretched_copy_agrees_wholly():
    alignment = align(FIRST, table(3 * MATRIX @ TURN))
    found = compare(alignment, WORDS[:20], topn=7)
    assert found.procrustes_error == pytest.approx(0, abs=1e-6)
    assert found.overlap == 1
    assert found.spearman == pytest.approx(1, abs=1e-6)
    assert {word.overlap for word in found.words} == {1}
    np.testing.assert_allclose([word.movement for word in found.words], 0, atol=1e-6)
    mapped = common_map(alignment, WORDS[:20])
    np.testing.assert_allclose(mapped.first, mapped.second, atol=1e-5)


def test_a_swapped_pair_moves_most():
    swapped = (MATRIX @ TURN).copy()
    swapped[[7, 31]] = swapped[[31, 7]]
    alignment = align(FIRST, table(swapped))
    assert {word.word for word in most_moved(alignment, words=2)} == {"w7", "w31"}
    found = compare(alignment, WORDS, topn=5)
    moved = sorted(found.words, key=lambda word: -word.movement)
    assert {word.word for word in moved[:2]} == {"w7", "w31"}
    mapped = common_map(alignment, WORDS)
    length = np.linalg.norm(mapped.second - mapped.first, axis=1)
    assert set(np.argsort(-length)[:2]) == {7, 31}


def test_overlap_is_the_jaccard_index_of_the_nearest():
    other = RANDOM.normal(size=(60, 8))
    found = compare(align(FIRST, table(other)), ["w3"], topn=10).words[0]
    near = []
    for matrix in (MATRIX, other):
        order = np.argsort(-cosine_similarity(matrix)[3])
        near.append([WORDS[i] for i in order if i != 3][:10])
    shared = set(near[0]) & set(near[1])
    assert found.overlap == pytest.approx(len(shared) / (20 - len(shared)))
    assert set(found.shared) == shared
    assert [w for w in near[0] if w not in shared] == list(found.first_only)
    assert [w for w in near[1] if w not in shared] == list(found.second_only)


def test_movement_and_error_are_those_of_scipys_rotation():
    other = RANDOM.normal(size=(60, 8))
    alignment = align(FIRST, table(other))

    units = normalize(MATRIX.astype(float)), normalize(other)
    rows, targets = (normalize(unit - unit.mean(axis=0)) for unit in units)
    rotation, scale = scipy.linalg.orthogonal_procrustes(rows, targets)
    left = rows @ rotation - targets
    np.testing.assert_allclose(alignment.movement, (left**2).sum(axis=1) / 2, atol=1e-5)
    some = [59, 0, 7]
    for found, expected in zip(alignment.aligned(some), (rows @ rotation, targets), strict=True):
        np.testing.assert_allclose(found, expected[some], atol=1e-5)
    assert alignment.error == pytest.approx(1 - scale / 60, abs=1e-5)


def test_agreement_of_similarities_is_scipys_spearman():
    other = RANDOM.normal(size=(60, 5))
    found = compare(align(FIRST, table(other)), WORDS[:12])
    pairs = np.triu_indices(12, 1)
    cosines = [cosine_similarity(matrix[:12])[pairs] for matrix in (MATRIX, other)]
    assert found.spearman == pytest.approx(scipy.stats.spearmanr(*cosines).statistic, abs=1e-6)
    assert found.dimensions == (8, 5)


@pytest.mark.parametrize("turned", [False, True])
def test_zeros_pad_the_narrower_model(turned):
    narrow = table(MATRIX)
    wide = table(np.hstack([MATRIX, np.zeros((60, 4))]) @ np.linalg.qr(np.eye(12) + 0.3)[0])
    models = (wide, narrow) if turned else (narrow, wide)
    alignment = align(*models)
    assert alignment.error == pytest.approx(0, abs=1e-6)
    first, second = alignment.aligned([3, 41])
    assert first.shape == (2, 12)
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_an_alignment_of_whole_models_copies_none_of_their_rows():
    second = table(RANDOM.normal(size=(60, 8)))
    alignment = align(FIRST, second)
    assert alignment.units[0] is FIRST.unit
    assert alignment.units[1] is second.unit
    held = (*alignment.means, alignment.rotation, alignment.movement)
    assert sum(array.nbytes for array in held) < FIRST.unit.nbytes


def test_only_common_words_count_and_the_others_are_named():
    order = RANDOM.permutation(60)[:40]
    other = Vectors([WORDS[i] for i in order], MATRIX[order])
    alignment = align(FIRST, other)
    assert alignment.words == tuple(WORDS[i] for i in sorted(order))
    absent = next(word for word in WORDS if word not in other)
    known = alignment.words[:3]
    found = compare(alignment, [known[0], absent, *known], topn=4)
    assert found.missing == (absent,)
    assert [word.word for word in found.words] == list(known)
    assert found.common == 40
    assert found.overlap == 1
    assert all(near in other for word in found.words for near in word.shared)


def test_capitals_count_as_small_letters_where_one_model_has_none():
    cased = table(MATRIX, words=[word.upper() for word in WORDS])
    for models in ((cased, FIRST), (FIRST, cased)):
        alignment = align(*models)
        assert len(alignment.words) == 60
        assert alignment.error == pytest.approx(0, abs=1e-6)
        assert compare(alignment, ["W5", "w6"]).missing == ()


def test_a_common_vocabulary_is_cut_to_the_commonest_of_the_first():
    assert align(FIRST, table(MATRIX[:, :5]), restrict_vocab=10).words == WORDS[:10]
    shuffled = Vectors(WORDS[::-1], MATRIX[::-1])
    assert align(FIRST, shuffled, restrict_vocab=10).words == WORDS[:10]


def test_a_neighbourhood_larger_than_the_vocabulary_is_all_of_it():
    found = compare(align(FIRST, table(-MATRIX)), ["w0"], topn=500)
    assert len(found.words[0].shared) == 59
    assert found.overlap == 1


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: align(FIRST, table(MATRIX, [f"x{i}" for i in range(60)])), "0 words in common"),
        (
            lambda: align(table(MATRIX, language="en"), table(MATRIX, language="ru")),
            "Compare models of one language",
        ),
        (lambda: align(FIRST, FIRST, restrict_vocab=1), "restrict_vocab=1 is out of range"),
        (lambda: compare(align(FIRST, FIRST), ["zzz", "yyy"]), "in both models: zzz, yyy"),
        (lambda: compare(align(FIRST, FIRST), []), "in both models"),
        (lambda: compare(align(FIRST, FIRST), ["w1"], topn=0), "topn=0"),
        (lambda: common_map(align(FIRST, FIRST), ["w1", "w1"]), "too few for pca"),
    ],
)
def test_bad_input_is_a_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()

"""Scores on test sets: by hand, and equal to gensim's and scipy's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata, spearmanr

from embeddings import Vectors
from embeddings.analysis.evaluation import (
    average_ranks,
    combine,
    evaluate_analogies,
    evaluate_pairs,
    read_analogies,
    read_word_pairs,
    spearman,
)
from embeddings.errors import FormatError, InputError, MissingFileError


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_change_nothing(royal, tmp_path, end, mark):
    path = tmp_path / "set.txt"
    lines = [": family", "man woman king queen", "Man King Woman Queen", "", "man woman king pear"]
    path.write_bytes((mark + end.join(lines)).encode())
    score = evaluate_analogies(royal, path)
    assert (score.accuracy, score.covered, score.total) == (1.0, 2, 3)
    assert [s.name for s in score.sections] == ["family"]


def test_a_wrong_answer_counts_and_a_rare_word_leaves_the_question_out(royal, tmp_path):
    path = tmp_path / "set.txt"
    path.write_text(": one\nman woman king queen\nman woman king apple\n")
    score = evaluate_analogies(royal, path)
    assert (score.accuracy, score.covered) == (0.5, 2)
    restricted = evaluate_analogies(royal, path, restrict_vocab=4)
    assert (restricted.accuracy, restricted.covered, restricted.total) == (1.0, 1, 2)


def test_nothing_covered_is_nan_not_zero(royal, tmp_path):
    path = tmp_path / "set.txt"
    path.write_text("a b c d\n")
    score = evaluate_analogies(royal, path)
    assert math.isnan(score.accuracy)
    assert (score.covered, score.total, score.sections[0].name) == (0, 1, "set")


def test_combined_sets_keep_sections_and_weigh_by_questions(royal, tmp_path):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text(": a\nman woman king queen\n")
    second.write_text(": b\nman woman king apple\nman woman queen apple\nman woman king queen\n")
    both = combine([evaluate_analogies(royal, first), evaluate_analogies(royal, second)])
    assert [s.name for s in both.sections] == ["a", "b"]
    assert both.accuracy == pytest.approx(2 / 4)


@pytest.mark.parametrize("restrict", [30, 60])
def test_accuracy_equals_gensim(tmp_path, restrict):
    from gensim.models import KeyedVectors

    random = np.random.default_rng(0)
    words = [f"w{i}" for i in range(60)]
    matrix = random.normal(size=(60, 3)).astype(np.float32)
    lines = [": one"] + [" ".join(random.choice(words, 4)) for _ in range(600)]
    lines[300] = ": two"
    path = tmp_path / "set.txt"
    path.write_text("\n".join(lines))
    keyed = KeyedVectors(3)
    keyed.add_vectors(words, matrix)
    expected, sections = keyed.evaluate_word_analogies(str(path), restrict_vocab=restrict)
    score = evaluate_analogies(Vectors(words, matrix), path, restrict)
    assert 0 < score.accuracy == pytest.approx(expected)
    assert [s.correct for s in score.sections] == [len(s["correct"]) for s in sections[:-1]]


def test_pair_score_equals_gensim(tmp_path):
    from gensim.models import KeyedVectors

    random = np.random.default_rng(1)
    words = [f"w{i}" for i in range(40)]
    matrix = random.normal(size=(40, 5)).astype(np.float32)
    path = tmp_path / "pairs.tsv"
    lines = [f"{a}\t{b}\t{random.integers(5)}" for a, b in random.choice(words, (50, 2))]
    path.write_text("\n".join([*lines, "w1\tnone\t3"]))
    keyed = KeyedVectors(5)
    keyed.add_vectors(words, matrix)
    _, expected, _ = keyed.evaluate_word_pairs(str(path))
    score = evaluate_pairs(Vectors(words, matrix), path)
    assert score.spearman == pytest.approx(expected.statistic, abs=1e-6)
    assert (score.file, score.covered, score.total) == ("pairs.tsv", 50, 51)


@given(arrays(np.int8, st.integers(2, 30), elements=st.integers(-3, 3)), st.randoms())
def test_spearman_with_ties_equals_scipy(first, random):
    second = np.array([random.randint(-2, 2) for _ in first])
    np.testing.assert_array_equal(average_ranks(first), rankdata(first))
    if len(set(first)) > 1 and len(set(second)) > 1:
        expected = spearmanr(first, second).statistic
        assert spearman(first, second) == pytest.approx(expected, abs=1e-12)
    else:
        assert math.isnan(spearman(first, second))


@pytest.mark.parametrize(
    "text",
    [
        "king\tqueen\t8.5\nman\twoman\t8\n",
        "word 1\tword 2\tscore\textra\rking\tqueen\t8.5\t1\rman\twoman\t8\t2",
        "word1,word2,sim\r\nking,queen,8.5\r\nman,woman,8\r\n",
        "king queen 8.5\nman   woman 8\n",
        "# judged\nking;queen;8.5\n\nman;woman;8",
    ],
)
def test_pairs_are_read_whatever_parts_them(tmp_path, text):
    path = tmp_path / "pairs"
    path.write_bytes(text.encode())
    assert read_word_pairs(path) == [("king", "queen", 8.5), ("man", "woman", 8.0)]


@pytest.mark.parametrize(
    ("reader", "content", "sentence"),
    [
        (
            read_analogies,
            b": s\na b c d\na b c\n",
            r"line 3: words found: 3; a question has four.*“a b c”",
        ),
        (read_analogies, b": only\n", "holds no line of the form “a b c d”"),
        (read_analogies, b": s\n\xff\xfe\n", "cannot be read: it is not UTF-8"),
        (
            read_word_pairs,
            b"a\tb\t1\nc\td\tmuch\n",
            r"line 2: “c\td\tmuch” is not two words and a number",
        ),
        (read_word_pairs, b"a b\n", r"line 1: “a b” is not"),
        (read_word_pairs, b"a b nan\nc d nan\n", r"line 2: “c d nan” is not"),
        (read_word_pairs, b"word,word,score\n", "holds no line of the form “word word score”"),
    ],
)
def test_a_file_that_is_no_test_set_is_refused_by_line(tmp_path, reader, content, sentence):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=sentence):
        reader(path)


def test_a_missing_file_and_a_bad_restriction_are_refused(royal, tmp_path):
    with pytest.raises(MissingFileError, match=r"none\.txt does not exist"):
        evaluate_pairs(royal, tmp_path / "none.txt")
    with pytest.raises(InputError, match="restrict_vocab=0 is out of range"):
        evaluate_analogies(royal, tmp_path / "none.txt", 0)


@pytest.mark.parametrize("reader", [read_analogies, read_word_pairs])
def test_a_folder_is_not_said_to_be_missing(tmp_path, reader):
    with pytest.raises(InputError, match="is a folder, and a file is needed there"):
        reader(tmp_path)

"""Scores on test sets by hand, and correlations equal to scipy's; equal to gensim's: tests/vectors/test_gensim_habits.py."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata, spearmanr

from embeddings.analysis.evaluation import (
    average_ranks,
    combine,
    evaluate_analogies,
    evaluate_pairs,
    read_analogies,
    read_word_pairs,
    spearman,
)
from embeddings.corpora.evaluation_sets import (
    WordInContext,
    WordInContextPair,
    read_blanks,
    read_minimal_pairs,
    read_word_in_context,
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


WORDS_IN_CONTEXT = "lemma\tpos\tsame\tstart1\tend1\tsentence1\tstart2\tend2\tsentence2\n"
BLANK = "He read the [MASK].\tletter\n"


def test_words_in_two_contexts_are_read_with_their_spans_and_answers(tmp_path):
    lines = (
        "key\tNOUN\tT\t4\t7\tThe key.\t2\t6\tA keys!\n\n",
        "lock\tNOUN\tF\t0\t4\tLock it.\t0\t4\tLock.\n",
    )
    (tmp_path / "dev.tsv").write_text(WORDS_IN_CONTEXT + "".join(lines), encoding="utf-8")
    first, second = read_word_in_context(tmp_path / "dev.tsv")
    assert first == WordInContextPair(
        "key", WordInContext("The key.", (4, 7)), WordInContext("A keys!", (2, 6)), True
    )
    assert not second.is_same


def words_in_context(same, start1, end1, start2="0"):
    return f"{WORDS_IN_CONTEXT}key\tNOUN\t{same}\t{start1}\t{end1}\tThe key.\t{start2}\t3\tKey\n"


BAD = {
    read_analogies: {
        ": s\na b c d\na b c\n": "line 3: words found: 3; a question has four.*“a b c”",
        ": only\n": "holds no line of the form “a b c d”",
        ": s\n\udcff\udcfe\n": "cannot be read: it is not UTF-8",
    },
    read_word_pairs: {
        "a\tb\t1\nc\td\tmuch\n": "line 2: “c\td\tmuch” is not two words and a number",
        "a b\n": "line 1: “a b” is not",
        "a b nan\nc d nan\n": "line 2: “c d nan” is not",
        "word,word,score\n": "holds no line of the form “word word score”",
    },
    read_blanks: {
        f"{BLANK}The key opens the door.\tdoor\n": "line 2: “The key opens the door.” has 0",
        f"{BLANK}The [MASK] opens the [MASK].\tdoor\n": "has 2",
        f"{BLANK}The key opens the [MASK].\n": "has no answer",
    },
    read_minimal_pairs: {
        "right\twrong\na\tb\n": "needs one column good",
        "good\tgood\tbad\na\tb\tc\n": "needs one column good",
        "good\tbad\n": "no pair",
        "good\tbad\nOnly one\n": "line 2: “Only one” lacks one",
        "": "needs one column good",
    },
    read_word_in_context: {
        "lemma\tsame\n": "needs one column start1",
        "": "needs one column lemma",
        WORDS_IN_CONTEXT: "holds no pair",
        f"{WORDS_IN_CONTEXT}key\tNOUN\tT\t4\t7\tThe key.\n": "line 2: fields found: 6",
        words_in_context("yes", 4, 7): "column same says “yes”",
        words_in_context("T", 4, 70): "characters 4 to 70 are no word",
        words_in_context("T", 4, 7, -1): "characters -1 to 3",
        words_in_context("T", 3, 4): "characters 3 to 4",
    },
}


@pytest.mark.parametrize(
    ("reader", "text"), [(reader, text) for reader in BAD for text in BAD[reader]]
)
def test_a_file_that_is_no_test_set_is_refused_by_line(tmp_path, reader, text):
    path = tmp_path / "bad.txt"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(FormatError, match=BAD[reader][text]):
        reader(path)


def test_a_missing_file_is_refused_and_a_bad_restriction_before_the_file_is_read(royal, tmp_path):
    with pytest.raises(MissingFileError, match=r"none\.txt does not exist"):
        evaluate_pairs(royal, tmp_path / "none.txt")
    with pytest.raises(InputError, match="restrict_vocab=0 is out of range"):
        evaluate_analogies(royal, tmp_path / "none.txt", 0)

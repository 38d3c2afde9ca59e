"""Searching a concordance: forms, words near, bounded patterns, orders; collocates against counts by hand and scipy."""

import re
import sqlite3
import time
from math import log2

import pytest
from scipy.stats import chi2_contingency

from embeddings.corpora.concordance import Concordance, build_concordance
from embeddings.corpora.concordance_search import (
    ConcordanceQuery,
    collocates,
    log_dice,
    log_likelihood,
    search,
)
from embeddings.errors import InputError
from embeddings.text.words import bounded_pattern

LINES = [
    "The old key turned in the rusty lock.",
    "A key and its lock belong together.",
    "He lost the keys of the house.",
    "The key of C major opens the piece.",
    "A rusty gate stood open.",
    "No lock was on the door; far away, behind the seven hills and the river, lay the key.",
]


@pytest.fixture(scope="module")
def concordance(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search")
    (folder / "text.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    build_concordance([folder / "text.txt"], folder / "small.sqlite")
    return Concordance.open(folder / "small.sqlite")


def lines_with(concordance, **asked):
    answer = search(concordance, ConcordanceQuery("key", "en", **asked))
    return [line.text for line in answer.lines]


def test_all_forms_are_found_in_the_order_of_the_text(concordance):
    answer = search(concordance, ConcordanceQuery("key", "en"))
    assert [line.text for line in answer.lines] == [*LINES[:4], LINES[5]]
    assert {form.form for form in answer.forms} == {"key", "keys"}
    assert answer.is_complete
    assert answer.examined == 5


@pytest.fixture
def two_files(tmp_path):
    """Two files, the first of two documents, the second one long paragraph; and their index."""
    (tmp_path / "a.txt").write_text("The key turns.\nThe key turns.\n\nNo lock here.\n", "utf-8")
    pause = "Nothing happens in here today. " * 20  # 620 characters, 100 words
    (tmp_path / "b.txt").write_text(f"A key, my key. {pause}One key more.\n", "utf-8")
    build_concordance([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "two.sqlite")
    return Concordance.open(tmp_path / "two.sqlite")


def test_an_exhaustive_search_has_every_use_and_the_words_of_file_and_document(two_files):
    (once, cut) = search(two_files, ConcordanceQuery("key", "en")).lines
    assert (once.text, cut.text[:6], cut.file_words) == ("The key turns.", "A key,", None)
    answer = search(two_files, ConcordanceQuery("key", "en", is_exhaustive=True))
    assert [
        (line.file, line.document, len(line.spans), line.file_words, line.document_words)
        for line in answer.lines
    ] == [  # 6 + 3 words; 4 + 100 + 3
        ("a.txt", 1, 1, 9, 6),
        ("a.txt", 1, 1, 9, 6),
        ("b.txt", 1, 2, 107, 107),
        ("b.txt", 1, 1, 107, 107),
    ]
    assert answer.is_complete
    assert answer.lines[3].text.endswith("One key more.")


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_lines_that_lack_a_use_do_not_know_the_words_of_their_text(two_files, limit):
    answer = search(two_files, ConcordanceQuery("key", "en", limit=limit, is_exhaustive=True))
    assert len(answer.lines) == limit
    assert not answer.is_complete
    assert {line.document_words for line in answer.lines} == {None}


def test_an_index_of_the_first_version_is_searched_without_the_words_of_its_texts(two_files):
    with sqlite3.connect(two_files.path) as connection:
        connection.execute("ALTER TABLE documents DROP COLUMN words")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    answer = search(two_files, ConcordanceQuery("key", "en", is_exhaustive=True))
    assert [line.document_words for line in answer.lines] == [None] * 4


def test_other_words_stand_within_the_window(concordance):
    assert lines_with(concordance, near=("lock",), window=3) == [LINES[1]]
    assert lines_with(concordance, near=("lock",), window=5) == LINES[:2]
    assert lines_with(concordance, near=("locks", "rusty"), window=5) == LINES[:1]
    assert lines_with(concordance, near=("lock",), window=40) == [LINES[0], LINES[1], LINES[5]]
    line = search(concordance, ConcordanceQuery("key", "en", ("lock",), 5)).lines[0]
    assert [line.text[a:b] for a, b in line.spans] == ["key", "lock"]


def test_a_pattern_narrows_the_lines(concordance):
    assert lines_with(concordance, pattern=r"\bC major\b") == [LINES[3]]
    assert lines_with(concordance, pattern="RUSTY") == [LINES[0]]
    assert lines_with(concordance, pattern="zebra") == []


def test_lines_are_sorted_by_the_words_before_or_behind(concordance):
    # the words before «key», the next first: a; old, the; the; the, lay, river; the, lost, he
    before = lines_with(concordance, order="left")
    assert before == [LINES[1], LINES[0], LINES[3], LINES[5], LINES[2]]
    behind = lines_with(concordance, order="right")
    rests = [re.split(r"\bkeys?\b", line)[1].lower().split() for line in behind]
    assert rests == sorted(rests)


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+b", "(a|a)*b", ".*.*.*x", "a?" * 12 + "a{12}", "(", "x" * 101, "[z-a]", "(?P<a"],
)
def test_patterns_that_could_search_for_ever_or_are_none_are_refused(concordance, pattern):
    with pytest.raises(InputError, match=re.escape(pattern[:20])):
        lines_with(concordance, pattern=pattern)


@pytest.mark.parametrize(
    "pattern", [".*x.*y", r"(?:a|b)?c", "a{2}b+", "a?b?c?d?e?f?g?h?", r"\?\?\?"]
)
def test_what_is_allowed_ends_soon_on_a_long_line(pattern):
    began = time.monotonic()
    bounded_pattern(pattern, 2).search("ab" * 160)
    assert time.monotonic() - began < 0.5


def test_a_search_that_takes_too_long_stops_and_says_so(concordance, monkeypatch):
    from embeddings.corpora import concordance_search

    monkeypatch.setattr(concordance_search, "SECONDS", -1)
    answer = search(concordance, ConcordanceQuery("key", "en"))
    assert not answer.is_complete
    assert answer.lines == ()


def test_log_likelihood_is_scipys_g_and_signed():
    for together, first, second, total in ((8, 20, 30, 200), (1, 50, 60, 200), (5, 5, 5, 40)):
        table = [
            [together, first - together],
            [second - together, total - first - second + together],
        ]
        g = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
        sign = 1 if together >= first * second / total else -1
        assert log_likelihood(together, first, second, total) == pytest.approx(sign * g)
    assert log_dice(5, 10, 40) == pytest.approx(14 + log2(10 / 50))


def test_collocates_are_counted_in_paragraphs_within_the_window(tmp_path):
    lines = (
        ["strong tea and strong coffee"] * 4
        + ["weak tea"] * 2
        + ["coffee alone"] * 3
        + ["tea at last, in the end, far from any strong drink"]
    )
    lines = [f"{line} {number}" for number, line in enumerate(lines)]
    (tmp_path / "t.txt").write_text("\n".join(lines), encoding="utf-8")
    build_concordance([tmp_path / "t.txt"], tmp_path / "t.sqlite")
    by_word = {
        c.word: c for c in collocates(Concordance.open(tmp_path / "t.sqlite"), "tea", "en", 3, 2)
    }
    assert by_word["strong"].together == 4  # in the last line it stands too far
    assert by_word["strong"].paragraphs == 5
    assert by_word["weak"].together == 2
    assert by_word["strong"].log_dice == pytest.approx(14 + log2(2 * 4 / (7 + 5)))
    assert by_word["strong"].log_likelihood == pytest.approx(log_likelihood(4, 7, 5, 10))
    assert "tea" not in by_word
    assert "alone" not in by_word


def test_a_word_that_is_not_there_has_no_lines_and_no_collocates(concordance):
    assert search(concordance, ConcordanceQuery("zebra", "en")).lines == ()
    assert collocates(concordance, "zebra", "en") == ()
    with pytest.raises(InputError):
        search(concordance, ConcordanceQuery("...", "en"))

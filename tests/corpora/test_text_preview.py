"""The preview of a short text is that of the compiled loops, word by word."""

import numpy as np
import pytest

from embeddings.corpora.text_files import text_files
from embeddings.corpora.text_preview import BOUND, MAX_FREQUENT_WORDS, SHORT, preview
from embeddings.corpora.word_counts import count_beginning
from embeddings.errors import InputError
from embeddings.jobs.recipes import demonstration
from embeddings.text_comparison import comparison_size
from tests.corpora.small_texts import write

HARD = "Don’t pay 1,000 in 1914-1918 — кто-то сказал: «за\u0301мок»!\n\nStraße, STRASSE ﬁne\u00ad\r\nΣΊΣΥΦΟΣ\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Short texts: the demonstrations, and one with what is hard to tokenize."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    hard = tmp_path / "hard.txt"
    hard.write_text(HARD * 3, encoding="utf-8")
    return {**{name: demonstration(name) for name in ("en", "ru", "de")}, "hard": hard}


@pytest.mark.parametrize("name", ["en", "ru", "de", "hard"])
@pytest.mark.parametrize("lower", [True, False])
def test_a_short_text_is_counted_as_the_compiled_loops_count_it(files, name, lower):
    short = preview([files[name]], lower=lower)
    counts, common, read = count_beginning(
        text_files([files[name]]), lower=lower, bound=BOUND, most=MAX_FREQUENT_WORDS
    )
    assert short.total < SHORT
    assert short.common == common
    assert np.array_equal(short.counts, counts)
    assert short.read == short.total == read


def test_a_preview_counts_what_training_will_see(tmp_path):
    found = preview([write(tmp_path / "a.txt", "The cat. A CAT!\n\nthe dog\n")])
    assert (found.words, found.counts.tolist()) == (6, [2, 2, 1, 1])
    assert dict(found.common) == {"the": 2, "cat": 2, "a": 1, "dog": 1}
    assert found.sentences == (
        ("The cat. A CAT!", ("the", "cat", "a", "cat")),
        ("the dog", ("the", "dog")),
    )
    assert [found.vocabulary(least) for least in (1, 2, 3)] == [4, 2, 0]
    assert [found.kept_tokens(least) for least in (1, 2, 3)] == [6, 4, 0]
    assert found.read == found.total


def test_a_preview_of_a_large_text_is_of_its_beginning(tmp_path):
    found = preview([write(tmp_path / "a.txt", "cat dog\n" * 400_000)], bound=1 << 20)
    assert found.read < found.total
    assert np.isclose(found.words, 800_000 * found.read / found.total, rtol=0.01)


def test_a_text_without_a_word_is_an_error_however_long_it_is(tmp_path):
    text = tmp_path / "text.txt"
    for length in (1, SHORT):
        text.write_text("… — !\n" * length, encoding="utf-8")
        with pytest.raises(InputError, match=r"text\.txt"):
            preview([text])


# What two sides of a comparison hold is counted by hand: documents, tokens, words common enough on both


def test_documents_tokens_and_common_words_of_two_texts(tmp_path):
    first = write(tmp_path / "a.txt", "\nThe key.\nThe door\n\n\n…\n\nthe lock\n")
    second = write(tmp_path / "b.txt", "the the KEY key\n\nkey door door\n\nwall\n")
    size = comparison_size([first], [second])
    assert size.documents == (2, 3)
    assert size.tokens == (6, 8)
    assert sorted(size.common.tolist()) == [1, 1, 2]  # door 1 and 2, key 1 and 3, the 3 and 2
    assert [size.measured(least) for least in (1, 2, 3)] == [3, 1, 0]
    assert size.is_whole


def test_each_file_ends_a_document(tmp_path):
    for name in ("a", "b"):
        write(tmp_path / f"{name}.txt", "key door\n")
    other = tmp_path / "other"
    other.mkdir()
    write(other / "c.txt", "key\n")
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    assert comparison_size(files, [other]).documents == (2, 1)


def test_a_long_text_is_counted_in_its_beginning_and_scaled_up(tmp_path):
    lines = "key door wall\n\n" * 400_000  # 6 MB, in blocks of 1 MiB
    text = write(tmp_path / "a.txt", lines)
    size = comparison_size([text], [text], bound=1)
    assert not size.is_whole
    assert size.tokens[0] == pytest.approx(1_200_000, rel=0.001)
    assert size.documents[0] == pytest.approx(400_000, rel=0.001)
    assert np.all(size.common < 100_000)


def test_a_text_without_a_word_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match=r"b\.txt"):
        comparison_size([write(tmp_path / "a.txt", "key\n")], [write(tmp_path / "b.txt", "… !\n")])

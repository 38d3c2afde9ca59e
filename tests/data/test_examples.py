"""The example sentences of the pages are complete, and their blanks can be hidden."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "data" / "contexts" / "examples.toml"


@pytest.fixture(scope="module")
def pairs():
    return tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))["pair"]


def test_each_language_has_at_least_three_pairs(pairs):
    counts = Counter(pair["language"] for pair in pairs)
    assert set(counts) == {"en", "ru", "de"}
    assert min(counts.values()) >= 3


def test_each_pair_names_exactly_what_the_pages_read(pairs):
    assert {frozenset(pair) for pair in pairs} == {
        frozenset({"language", "first", "second", "blank"})
    }


def test_blank_is_a_whole_word_that_occurs_once_in_the_first_sentence(pairs):
    for pair in pairs:
        assert re.findall(r"\w+", pair["first"]).count(pair["blank"]) == 1, pair


def test_sentences_are_whole_and_differ(pairs):
    texts = [pair[side] for pair in pairs for side in ("first", "second")]
    assert len(texts) == len(set(texts))
    assert all(text[0].isupper() and text.endswith(".") for text in texts)

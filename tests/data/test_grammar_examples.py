"""The minimal pairs of the page Grammar: a dozen phenomena a language, each named in three languages."""

import csv
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from app.wording import LANGUAGES, wording
from embeddings.corpora.evaluation_sets import read_minimal_pairs

FILE = Path(__file__).resolve().parents[2] / "data" / "grammar" / "examples.tsv"


@pytest.fixture(scope="module")
def pairs():
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_each_language_has_a_dozen_phenomena_each_once(pairs):
    assert set(pairs[0]) == {"language", "phenomenon", "good", "bad"}
    counts = Counter(pair["language"] for pair in pairs)
    assert set(counts) == {"en", "ru", "de"}
    assert min(counts.values()) >= 12
    assert max(Counter((pair["language"], pair["phenomenon"]) for pair in pairs).values()) == 1


def test_each_phenomenon_has_a_name_and_each_name_is_used(pairs):
    used = {f"phenomenon.{pair['phenomenon']}" for pair in pairs}
    for language in LANGUAGES:
        named = {key for key in wording(language).sentences if key.startswith("phenomenon.")}
        assert named == used


def test_sentences_are_whole_and_differ_in_one_or_two_words(pairs):
    for pair in pairs:
        good, bad = pair["good"], pair["bad"]
        assert all(text[0].isupper() and text.endswith(".") for text in (good, bad)), pair
        assert good != bad
        first, second = good.rstrip(".").split(), bad.rstrip(".").split()
        changes = [
            code
            for code in SequenceMatcher(None, first, second).get_opcodes()
            if code[0] != "equal"
        ]
        assert 1 <= len(changes) <= 2, pair
        assert sum(max(b - a, d - c) for _, a, b, c, d in changes) <= 2, pair


def test_the_command_that_evaluates_pairs_reads_the_file(pairs):
    read = read_minimal_pairs(FILE)
    assert [(pair.good, pair.bad, pair.phenomenon) for pair in read] == [
        (pair["good"], pair["bad"], pair["phenomenon"]) for pair in pairs
    ]

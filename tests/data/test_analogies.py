"""The Russian analogy set is well formed, has no question that cannot be answered, and is built."""

import unicodedata
from collections import Counter

import pytest

from benchmarks import build_data
from benchmarks.build_data import ANALOGIES, analogy_text, read_pairs

QUESTIONS = ANALOGIES / "ru.txt"
PAIRS = ANALOGIES / "ru_pairs.tsv"


@pytest.fixture(scope="module")
def sections():
    by_section, current = {}, None
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        if line.startswith(": "):
            current = by_section.setdefault(line[2:], [])
        else:
            current.append(tuple(line.split(" ")))
    return by_section


@pytest.fixture(scope="module")
def pairs():
    return read_pairs(PAIRS)


def test_set_has_between_three_and_seven_thousand_questions_in_twenty_sections(sections):
    assert 3_000 <= sum(map(len, sections.values())) <= 7_000
    assert len(sections) >= 20
    assert all(len(questions) >= 100 for questions in sections.values())


def test_each_section_has_twenty_pairs_and_no_word_of_a_section_occurs_twice(pairs):
    for section, members in pairs.items():
        words = Counter(word.lower() for pair in members for word in pair)
        assert len(members) >= 20, section
        assert [word for word, count in words.items() if count > 1] == [], section


def test_words_are_plain_russian_in_nfc_and_without_yo(pairs):
    for members in pairs.values():
        for word in (word for pair in members for word in pair):
            assert word.isalpha()
            assert unicodedata.is_normalized("NFC", word)
            assert set(word.lower()) <= set("абвгдежзийклмнопрстуфхцчшщъыьэюя"), word


def test_grammar_sections_are_marked_as_in_googles_set(sections):
    marked = [name for name in sections if name.startswith("gram")]
    assert [name.split("-")[0] for name in marked] == [f"gram{n}" for n in range(1, 18)]


def test_builder_reproduces_the_file_byte_for_byte(pairs):
    assert analogy_text(pairs).encode() == QUESTIONS.read_bytes()


def test_builder_asks_what_a_hand_count_gives(monkeypatch):
    monkeypatch.setattr(build_data, "QUESTIONS_PER_SECTION", 3)
    sections = {"s": [("a", "A"), ("b", "B"), ("c", "C")]}
    assert analogy_text(sections) == ": s\na A b B\nb B c C\nc C a A\n"

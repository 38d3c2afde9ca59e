"""The Russian analogy set is well formed, has no question that cannot be answered, and is built."""

import csv
import importlib.util
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = ROOT / "data" / "analogies" / "ru.txt"
PAIRS = ROOT / "data" / "analogies" / "ru_pairs.tsv"


def load_builder():
    path = ROOT / "benchmarks" / "build_analogies.py"
    spec = importlib.util.spec_from_file_location("build_analogies", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    by_section = {}
    with PAIRS.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t")
    assert header == ["section", "first", "second"]
    for section, first, second in rows:
        by_section.setdefault(section, []).append((first, second))
    return by_section


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


def test_builder_reproduces_the_file_byte_for_byte():
    builder = load_builder()
    text = builder.render(builder.read_pairs(PAIRS))
    assert text.encode() == QUESTIONS.read_bytes()


def test_builder_asks_what_a_hand_count_gives(monkeypatch):
    builder = load_builder()
    monkeypatch.setattr(builder, "QUESTIONS_PER_SECTION", 3)
    sections = {"s": [("a", "A"), ("b", "B"), ("c", "C")]}
    assert builder.render(sections) == ": s\na A b B\nb B c C\nc C a A\n"

"""The check of words, which `make check` runs over the documents, finds what it looks for."""

import pytest

from tests import words


@pytest.mark.parametrize("text", ["built anew", "Whoever asks", "a word past the null"])
def test_an_expression_of_the_dialect_is_found_with_its_line(text):
    (found,) = words.banned("page.md", f"One line.\n{text}.")
    assert found.place == "page.md:2"


def test_a_sentence_of_36_words_is_too_long_and_one_of_35_is_not():
    long, short = " ".join(["word"] * 36) + ".", " ".join(["word"] * 35) + "."
    (found,) = words.long_sentences("page.md", f"Title\n\n{long} {short}")
    assert found.fault.startswith("36 words")


def test_code_tables_and_generated_blocks_are_not_read():
    text = "`anew`\n\n```\nanew\n```\n| anew |\n<!-- a -->\nanew\n<!-- /a -->\n"
    assert list(words.banned("page.md", words.plain(text))) == []


def test_a_dead_link_and_a_dead_anchor_are_named(monkeypatch):
    text = "[a](no.md)\n[b](../README.md#nowhere) [c](../README.md#install)"
    monkeypatch.setattr(words, "documents", lambda: iter([("docs/page.md", text)]))
    places = [found.place for found in words.dead_links()]
    assert places == ["docs/page.md:1", "docs/page.md:2"]

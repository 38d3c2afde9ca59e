"""The sentences written for the project keep the rules that make them a fair test of senses."""

import itertools
import re
import tomllib
import unicodedata
from collections import defaultdict
from functools import cache

import pytest
import simplemma

from embeddings.corpora.sense_contexts import read_contexts
from embeddings.shelf import data
from embeddings.text.lemmas import is_function_word

LANGUAGES = ("en", "ru", "de")
LETTERS = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d+")


@cache
def rows(language):
    found = read_contexts(data() / "contexts" / f"{language}.tsv")
    assert not any(row.further for row in found)
    return found


def cut(row):
    """The word at the row's position, and what stands around it."""
    ((start, end),) = row.positions
    return row.text[start:end], row.text[:start] + " " + row.text[end:]


def lemmas(text, language):
    """Lemmas of the content words: of two letters or more, and no function words."""
    words = (word for word in LETTERS.findall(text) if len(word) > 1)
    content = (word for word in words if not is_function_word(word, language))
    return {simplemma.lemmatize(word, lang=language).lower() for word in content}


def senses():
    text = (data() / "contexts" / "senses.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)["sense"]
    return {(sense["language"], sense["word"], sense["id"]): sense for sense in table}


def by_sense():
    grouped = defaultdict(list)
    for language in LANGUAGES:
        for row in rows(language):
            grouped[language, row.word, int(row.gold)].append(row)
    return grouped


@pytest.mark.parametrize("language", LANGUAGES)
def test_at_least_twelve_words_each_with_two_senses_or_more(language):
    count = defaultdict(set)
    for row in rows(language):
        count[row.word].add(row.gold)
    assert len(count) >= 12
    assert all(len(found) >= 2 for found in count.values())


def test_every_sense_of_the_table_has_at_least_six_sentences_and_there_are_no_others():
    found = by_sense()
    assert set(senses()) == set(found)
    assert [sense for sense, rows in found.items() if len(rows) < 6] == []


def test_every_sense_has_a_gloss_in_the_three_languages_and_says_whether_it_is_taught():
    for sense in senses().values():
        assert set(sense) == {"language", "word", "id", "name", "attested", "gloss"}
        assert set(sense["gloss"]) == set(LANGUAGES)
        assert all(sense["gloss"].values())
        assert isinstance(sense["attested"], bool)


def test_klyuch_has_five_senses_and_the_clef_and_the_wrench_are_not_taught():
    found = {s["name"]: s["attested"] for (_, word, _), s in senses().items() if word == "ключ"}
    assert found == {
        "door-key": True,
        "spring-of-water": True,
        "clef": False,
        "wrench": False,
        "cipher-key": True,
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_rows_are_numbered_and_hold_whole_sentences_of_eight_to_twenty_two_words(language):
    found = rows(language)
    assert [int(row.context_id) for row in found] == list(range(1, len(found) + 1))
    assert {row.predicted for row in found} == {""}
    texts = [row.text for row in found]
    assert len(texts) == len(set(texts))
    for text in texts:
        assert 8 <= len(LETTERS.findall(text)) <= 22, text
        assert text[0].isupper(), text
        assert text[-1] in ".!?", text
        assert unicodedata.is_normalized("NFC", text)
        assert "  " not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_positions_cut_out_a_whole_word_that_is_a_form_of_the_target(language):
    for row in rows(language):
        form, ((start, end),) = cut(row)[0], row.positions
        assert (start, end) in {match.span() for match in LETTERS.finditer(row.text)}
        assert is_form(form, row.word, language), (form, row.word)


def is_form(word, target, language):
    """Say whether a word is a form of the target: same bare stem, three letters more at most.

    Umlauts and, in Russian, vowels may change inside a stem (Schloss, Schlösser; узел, узлами).
    """
    bare = str.maketrans("äöü", "aou", "аеиоуыэюя" if language == "ru" else "")
    word, target = word.lower(), target.lower()
    same_stem = word.translate(bare).startswith(target.translate(bare))
    return same_stem and word[0] == target[0] and len(word) - len(target) <= 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_target_occurs_exactly_once(language):
    for row in rows(language):
        words = LETTERS.findall(cut(row)[1])
        again = {simplemma.lemmatize(word, lang=language).lower() for word in words}
        assert row.word.lower() not in again, row.text


def test_two_sentences_of_a_sense_share_at_most_one_content_word_besides_the_target():
    broken = []
    for (language, word, number), found in by_sense().items():
        sets = [lemmas(cut(row)[1], language) for row in found]
        for one, other in itertools.combinations(sets, 2):
            if len(one & other) > 1:
                broken.append((word, number, sorted(one & other)))
    assert broken == []


def test_lemmas_of_a_sentence_leave_out_words_of_grammar():
    assert lemmas("The dogs were on the banks", "en") == {"dog", "bank"}
    assert lemmas("Он открыл дверь ключами", "ru") == {"открыть", "дверь", "ключ"}
    assert lemmas("Die Schlösser der Könige", "de") == {"schloss", "könig"}

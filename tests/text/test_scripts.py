"""Words in the letters of another language."""

import pytest

from embeddings.text.lemmas import foreign


@pytest.mark.parametrize("language", ["en", "ru", "de"])
def test_a_word_without_letters_is_of_no_script(language):
    assert foreign(["2024", "50-60", "...", "€", ""], language) == ()


def test_letters_beside_digits_still_tell_the_script():
    assert foreign(["Т-34", "B2", "2-й"], "en") == ("Т-34", "2-й")
    assert foreign(["Т-34", "B2", "2-й"], "ru") == ("B2",)


def test_words_of_scripts_that_no_language_here_has_are_foreign_everywhere():
    assert foreign(["銀行", "кλ", "é"], "de") == ("銀行", "кλ")

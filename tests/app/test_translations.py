"""A language is one folder: what is missing in it is named, and the languages that ship lack nothing."""

import shutil

import pytest

from app.wording import FOLDER, LANGUAGES, Wording
from app.wording.check import main, problems


@pytest.fixture
def copied(tmp_path):
    """The Russian folder, to be spoiled."""
    return shutil.copytree(FOLDER / "ru", tmp_path / "ru")


def edit(folder, name, old, new):
    path = folder / f"{name}.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_that_ships_lacks_nothing(language):
    assert problems(language) == []


def test_a_copy_of_a_language_lacks_nothing(copied):
    assert problems("ru", copied) == []


def test_a_key_that_is_missing_is_named_with_its_english_sentence(copied):
    edit(copied, "fill", 'title = "Какое слово здесь пропущено?"\n', "")
    assert problems("ru", copied) == ["fill.title is missing: What word belongs here?"]


def test_a_page_that_is_missing_is_named_key_by_key(copied):
    (copied / "ratios.toml").unlink()
    keys = {sentence.split()[0] for sentence in problems("ru", copied)}
    assert keys == {key for key in Wording("ru").sentences if key.split(".")[0] in RATIOS}


RATIOS = {"ratios", "two", "probes", "counts", "cells"}  # the sections of that file


def test_an_error_message_that_is_missing_is_named(tmp_path):
    copied = shutil.copytree(FOLDER / "ru", tmp_path / "pl")
    missing = problems("pl", copied)
    assert (
        "errors.formula_empty is missing: The formula is empty. Type one, as: king - man + woman"
        in missing
    )
    assert {sentence.split(".")[0] for sentence in missing} == {"errors", "reasons"}


def test_a_placeholder_that_was_translated_is_named(copied):
    edit(copied, "fill", "слой {number}", "слой {номер}")
    assert problems("ru", copied) == [
        "fill.layer has the placeholders ['номер'] instead of ['number']."
    ]


def test_a_plural_form_that_is_missing_is_named(copied):
    edit(copied, "common", 'models.few = "{n} модели"\n', "")
    assert problems("ru", copied) == ["count.models lacks the forms ['few']."]


def test_a_plural_form_that_the_language_does_not_have_is_named(copied):
    edit(copied, "common", 'models.few = "', 'models.two = "{n} модели"\nmodels.few = "')
    assert problems("ru", copied) == [
        "count.models has the forms ['two'], which no whole number of this language takes."
    ]


def test_a_noun_behind_its_number_that_lacks_a_form_is_named(copied):
    edit(copied, "explore", "обучена {runs:раз|раза|раз}", "обучена {runs:раз|раза}")
    assert problems("ru", copied) == [
        "spread.lead gives 2 forms behind {runs} instead of 3: раз|раза."
    ]


def test_a_sentence_without_its_full_stop_is_named(copied):
    edit(copied, "fill", "хоть несколько раз.", "хоть несколько раз")
    (sentence,) = problems("ru", copied)
    assert sentence.startswith("fill_first.help does not end with a full stop: ")


@pytest.mark.parametrize(("quote", "is_named"), [('\\"{}\\"', True), ("«{}»", False)])
def test_straight_quotes_are_named(copied, quote, is_named):
    edit(copied, "fill", 'nav = "Пропуск"', f'nav = "{quote.format("Пропуск")}"')
    named = ['fill.nav has straight quotes: "Пропуск"'] if is_named else []
    assert problems("ru", copied) == named


def test_a_language_that_cldr_does_not_know_is_named(copied):
    assert problems("zq", copied) == ["CLDR knows no language «zq»: no plurals, numbers and dates."]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    assert problems("fr", tmp_path / "fr") == [f"There is no folder {tmp_path / 'fr'}."]


def test_a_language_whose_plurals_differ_is_asked_for_its_own_forms(copied):
    """Polish counts as Russian does, Arabic has six categories."""
    own = [text for text in problems("pl", copied) if not text.startswith(("errors.", "reasons."))]
    assert own == []
    lacking = {s for s in problems("ar", copied) if s.startswith("count.models lacks")}
    assert lacking == {"count.models lacks the forms ['other', 'two', 'zero']."}


def test_the_command_prints_the_number_of_problems(capsys):
    assert main([]) == 0
    assert capsys.readouterr().out.split() == ["en:", "0", "ru:", "0", "de:", "0"]

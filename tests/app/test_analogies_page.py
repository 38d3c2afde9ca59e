"""Analogies, headless: answers, formulas with a mistake, question sets."""

import pytest

from app.wording import wording
from tests.app.visits import LANGUAGES, QUEEN, open_page, page_text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", ["add", "mul"])
def test_the_planted_analogy_is_answered(small_shelf, language, rule):
    app = open_page("analogies", lang=language, rule=rule)
    assert QUEEN[language] in app.subheader[0].value


def test_inputs_answer_when_let(small_shelf):
    app = open_page("analogies", lang="en", formula="king + man", inputs=1)
    tables = [frame.value for frame in app.dataframe]
    assert {"king", "man"} & set(tables[0].iloc[:, 2])
    assert wording("en")("analogies.included") in page_text(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bad_formula_shows_where(small_shelf, language):
    app = open_page("analogies", lang=language, text="en", formula="king - (man + woman)")
    assert "8" in app.info[0].value
    assert "       ^" in app.code[0].value


def test_the_russian_set_is_scored_when_asked(small_shelf):
    app = open_page("analogies", lang="ru")
    app.button(key="score").click().run()
    assert not app.exception
    assert len(app.metric) == 3


def test_the_german_set_says_how_to_get_it(small_shelf, monkeypatch):
    monkeypatch.delenv("KLYUCH_MIRROR", raising=False)
    app = open_page("analogies", lang="de")
    assert "klyuch corpus get analogies-de" in page_text(app)

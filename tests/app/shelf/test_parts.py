"""The page of the shelf in three languages, part by part."""

import json

import pytest

from app.wording import wording
from tests.app.shelf.visits import LANGUAGES, PARTS, SAY, open_page, page_text


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_part_speaks_each_language_and_shows_something(home, language, part):
    app = open_page(lang=language, shelf_part=part)
    assert app.title[0].value == wording(language)("shelf.title")
    assert app.dataframe or app.file_uploader


def test_an_empty_shelf_says_so(home, tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "nothing"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "nothing"))
    assert SAY("shelf.empty") in page_text(open_page(lang="en"))


def test_strange_cards_do_not_break_the_page(home):
    card = home / "home" / "models" / "mine" / "card.json"
    told = json.loads(card.read_text())
    odd = {"scores": [1], "corpus": "text", "settings": 5, "seed": {"a": 1}, "origin": [2]}
    card.write_text(json.dumps({**told, **odd}))
    for part in PARTS:
        open_page(lang="en", shelf_model="mine", shelf_part=part)

"""A word that no model knows: why, and close spellings as buttons; words that are offered while one is typed."""

import numpy as np
import pytest
import streamlit as st

from app import shelf_models
from app.widgets.inputs import OFFERED, complete, replaced
from app.wording import wording
from embeddings import Vectors, shelf
from embeddings.errors import UnknownWordError
from embeddings.vectors.formats import native_folder, native_rows, write_native
from tests.app.visits import open_page, page_text

SAY = wording("en")


def test_an_unknown_word_is_answered_with_close_spellings_as_buttons(small_shelf):
    app = open_page(lang="ru", word="музика")
    assert "музика" in app.info[0].value
    next(b for b in app.button if b.label == "музыка").click().run()
    assert not app.info
    assert app.text_input(key="word").value == "музыка"


def test_an_unknown_word_says_whether_it_was_too_rare_or_never_seen(small_shelf, monkeypatch):
    entry = next(entry for entry in small_shelf if entry.language == "en")
    monkeypatch.setattr(shelf_models.vectors(entry), "corpus_count", {"zyx": 2}.get)
    app = open_page(text="en", lang="en", models=entry.name, word="zyx")
    assert SAY("unknown.rare") in page_text(app)
    app.text_input(key="word").set_value("xyzzy").run()
    assert SAY("unknown.why") in page_text(app)


def test_a_table_of_common_words_does_not_say_that_its_corpus_lacks_one(small_shelf, monkeypatch):
    for entry in small_shelf:
        monkeypatch.setattr(shelf_models.vectors(entry), "is_table", True)
        monkeypatch.setattr(shelf_models.vectors(entry), "corpus_count", lambda _: 0)
    app = open_page(lang="en", text="en", word="zyxw")
    assert "covers only the most frequent words" in page_text(app)
    assert SAY("unknown.never") not in page_text(app)
    app.text_input(key="word").set_value("wolf, dog, zyxw").run()
    assert SAY("unknown.table") in page_text(app)
    assert SAY("unknown.never") not in page_text(app)


def test_each_left_out_word_of_a_list_is_explained_with_close_spellings(small_shelf):
    app = open_page(lang="de", word="königin, musick")
    assert f"„musick“: {wording('de')('unknown.why')}" in page_text(app)
    button = next(b for b in app.button if str(b.key).startswith("instead-list"))
    assert button.label == "musik"
    button.click().run()
    assert app.text_input(key="word").value == "königin, musik"
    assert "„musick“" not in page_text(app)


@pytest.mark.parametrize(
    ("text", "became"),
    [
        ("king - mna + mnafoo", "king - man + mnafoo"),
        ("king -mna + 2*mna", "king -man + 2*man"),
        ("'mna' + mna's", "'man' + mna's"),
        ("foomna + mna", "foomna + man"),
    ],
)
def test_a_suggestion_replaces_whole_words_only(text, became, monkeypatch):
    monkeypatch.setattr(st, "session_state", {"formula": text})
    assert replaced("formula")(UnknownWordError("mna", 9))("man") == {"formula": became}


# Words that are offered while one is typed


@pytest.fixture
def two_models(own_home, monkeypatch):
    """Two models that stay in their files, as those of millions of words do."""
    monkeypatch.setattr(native_rows, "LOOKUP_PAST", 0)
    monkeypatch.setattr(native_folder, "MAPPED_PAST", 0)
    listed = {
        "first": ["the", "Quelle", "queen", "quer", "New York", *(f"x{n}" for n in range(30))],
        "second": ["queue", "queen", "ключ", "ключевой"],
    }
    for name, words in listed.items():
        rows = np.eye(len(words), 40, dtype=np.float32)
        write_native(Vectors(words, rows, name=name), own_home / "models" / name)
    return tuple(map(shelf.find, listed))


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("que", ["Quelle", "queue", "queen", "quer"]),  # of each model in turn, commonest first
        ("КЛ", ["ключ", "ключевой"]),
        ("king, qUEE", ["king, queen"]),
        ("the,new", ["the,New York"]),
        ("", []),
        ("king, ", []),
        ("nothing like it", []),
        ("x" * 101, []),
    ],
)
def test_the_last_word_is_completed_by_the_commonest_of_each_model(two_models, typed, offered):
    assert complete(two_models, typed) == offered


def test_at_most_ten_are_offered_and_a_damaged_model_offers_nothing(two_models):
    assert complete(two_models, "x") == [f"x{n}" for n in range(OFFERED)]
    first, second = two_models
    (first.path / "words.txt").write_text("x\n")
    assert complete((shelf.find("first"), second), "que") == ["queue", "queen"]

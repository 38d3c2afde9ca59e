"""The address of a page: what it holds, and when it is a link."""

import pytest

from app.wording import wording
from tests.app.visits import LANGUAGES, open_page, value


def test_the_address_holds_what_differs_from_the_defaults(small_shelf):
    app = open_page(lang="en", n=5, dim=3)
    app.slider(key="n").set_value(10).run()
    assert app.query_params["dim"] in ("3", ["3"])
    assert "n" not in app.query_params


@pytest.mark.parametrize("wrong", ["king - man + womann", "king - (man", ""])
def test_a_link_that_stops_the_page_can_be_corrected(small_shelf, wrong):
    app = open_page("analogies", lang="en", formula=wrong)
    assert not app.subheader
    assert value(app, "formula") == wrong
    app.text_input(key="formula").set_value("king - man + woman").run()
    assert "queen" in app.subheader[0].value
    assert "formula" not in app.query_params  # the first example is the default
    app.text_input(key="formula").set_value(wrong).run()
    assert value(app, "formula") == wrong
    app.segmented_control(key="lang").set_value("de").run()
    assert app.title[0].value == wording("de")("analogies.title")
    assert app.text_input(key="formula").value == wrong


def test_a_suggestion_replaces_the_unknown_word_of_a_link(small_shelf):
    app = open_page("analogies", lang="en", formula="king - man + womann")
    next(b for b in app.button if b.label == "woman").click().run()
    assert app.text_input(key="formula").value == "king - man + woman"
    assert "queen" in app.subheader[0].value


def test_a_click_that_still_brings_the_address_before_is_no_link(small_shelf):
    app = open_page("analogies", lang="en", formula="king - man + womann")
    app.segmented_control(key="lang").set_value("de").run()
    app.query_params["lang"] = "en"  # the browser had not heard of the new address yet
    next(b for b in app.button if b.label == "woman").click().run()
    assert app.title[0].value == wording("de")("analogies.title")
    assert "queen" in app.subheader[0].value


def test_a_second_fast_click_is_no_link_to_what_the_first_one_wrote(small_shelf, monkeypatch):
    from app.widgets import address

    app = open_page(lang="en")
    app.slider(key="n").set_value(5).run()
    app.slider(key="n").set_value(6).run()
    monkeypatch.setattr(address, "LATE", 0)  # however slow the machine is
    app.query_params["n"] = "5"  # the browser has heard of the first answer alone
    app.slider(key="n").set_value(7).run()
    assert app.slider(key="n").value == 7
    assert value(app, "n") == "7"


def test_going_back_is_a_link_again(small_shelf, monkeypatch):
    from app.widgets import address

    app = open_page(lang="en")
    app.slider(key="n").set_value(5).run()
    app.slider(key="n").set_value(6).run()
    monkeypatch.setattr(address, "LATE", 0)
    app.query_params["n"] = "5"
    app.run()
    assert app.slider(key="n").value == 5
    assert value(app, "n") == "5"


def test_ratios_with_a_mistake_reach_the_address(small_shelf):
    app = open_page("ratios", lang="en")
    app.text_input(key="two").set_value("ice").run()
    assert value(app, "two") == "ice"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_address_always_names_the_languages(small_shelf, language):
    app = open_page(lang=language)
    assert (value(app, "lang"), value(app, "text")) == (language, language)
    assert "word" not in app.query_params

"""What a person types: too long, another script, no word, signs of Markdown."""

import pytest

from app.widgets import inputs
from app.widgets.outputs import plain
from app.wording import wording
from tests.app import visits


def open_page(page, *, lang, **address):
    """The page as a link opens it, the screen and the models in one language."""
    return visits.open_page(page, timeout=120, lang=lang, text=lang, **address)


def test_a_line_that_is_too_long_typed_or_in_a_link_is_cut_and_said_to_be(networks):
    app = open_page("attention", lang="de", attention_first="a " * 3000)
    assert len(app.text_input(key="attention_first").value) == inputs.MAX_LINE_LENGTH
    assert len(app.query_params["attention_first"]) == inputs.MAX_LINE_LENGTH
    bound = wording("de").number(inputs.MAX_LINE_LENGTH)
    told = wording("de")("common.cut", bound=bound)
    app.text_input(key="attention_first").set_value("дверь").run()
    assert told not in [warning.value for warning in app.warning]
    app.text_input(key="attention_first").set_value("дверь " * 4000).run()
    assert len(app.text_input(key="attention_first").value) == inputs.MAX_LINE_LENGTH
    assert told in [warning.value for warning in app.warning]


@pytest.mark.parametrize(("language", "link"), [("en", "link"), ("ru", "ссылк"), ("de", "link")])
def test_what_was_cut_is_not_blamed_on_links_whose_bounds_differ(language, link):
    told = wording(language)("common.cut", bound="6 000")
    assert "6 000" in told
    assert link not in told.lower()


def test_pasted_sentences_that_are_too_long_are_cut_and_said_to_be(networks):
    app = open_page("contexts", lang="en", contexts_source="own", contexts_asked="zzz")
    app.text_area(key="contexts_lines").set_value("none of them\n" * 1000).run()
    assert len(app.text_area(key="contexts_lines").value) == 6000
    told = wording("en")("common.cut", bound="6,000")
    assert told in [warning.value for warning in app.warning]


@pytest.mark.parametrize("asked", ["river bank", "😀", "(a+)+$"])
def test_what_is_not_one_word_is_said_not_to_be(networks, asked):
    address = {"contexts_source": "own", "contexts_lines": f"Here is {asked}.\n{asked} there"}
    app = open_page("contexts", lang="ru", contexts_asked=asked, **address)
    told = wording("ru")("contexts.one_word", word=asked)
    assert [info.value for info in app.info] == [plain(told)]
    assert not app.expander

"""Tabs, the history and words that are offered, in a real chromium."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import enter, settle, wait_for_page

pytestmark = pytest.mark.browser


def test_tab_and_document_follow_page_and_screen_and_words_are_offered_while_one_is_typed(
    page, address
):
    say = wording("ru")
    page.goto(f"{address}/?lang=en&text=en&word=wolf")
    wait_for_page(page, "explore")
    expect(page).to_have_title("Explore – Klyuch")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.get_by_text(wording("en")("tour.title"))).to_have_count(0)  # after a shared link
    page.get_by_test_id("stSidebar").locator(".st-key-lang").get_by_text("Русский").click()
    wait_for_page(page, "explore", "ru")
    expect(page).to_have_title("Соседи – Klyuch")
    expect(page.locator("html")).to_have_attribute("lang", "ru")

    field = page.get_by_label(say("word.label"), exact=True)
    field.fill("king, justi")
    hint = page.get_by_test_id("InputInstructions")  # Streamlit's own, which is English
    expect(hint).to_have_text(say("frame.apply", keys="Enter"))
    offered = page.locator("#klyuch-typeahead option[value='king, justice']")
    expect(offered).to_have_count(1)
    expect(field).to_have_attribute("list", "klyuch-typeahead")
    expect(field).to_have_value("king, justi")
    assert "justi" not in page.url  # nothing is asked before Enter
    field.fill("justice")
    field.press("Enter")
    expect(page).to_have_url(re.compile("word=justice"))

    page.get_by_role("link", name=say("analogies.nav")).click()
    wait_for_page(page, "analogies", "ru")
    expect(page).to_have_title("Аналогии – Klyuch")


def go_back_to(page, name, path):
    """Press Back, twice at most, until the address is another page's: a page's settings are a history entry of their own.

    A page that is still running writes its settings again, another entry: each press waits until the page before it is at rest.
    """
    for _ in range(2):
        page.wait_for_timeout(1000)  # the server has begun what the last press asked for
        settle(page)
        page.go_back()
        if urlsplit(page.url).path == path:
            break
    wait_for_page(page, name)


def test_back_returns_to_the_page_before_and_to_what_was_asked_there(page, address):
    page.goto(f"{address}/explore?lang=en&text=en&word=wolf")
    wait_for_page(page, "explore")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert urlsplit(page.url).path == "/"
    field = page.get_by_label(wording("en")("word.label"), exact=True)
    enter(page, field, "justice", re.compile("word=justice"))
    for name in ("analogies", "compare"):
        page.get_by_role("link", name=wording("en")(f"{name}.nav")).click()
        wait_for_page(page, name)
        expect(page).to_have_url(re.compile(rf"/{name}\?"))  # the page has written its settings
    go_back_to(page, "analogies", "/analogies")
    go_back_to(page, "explore", "/")
    expect(field).to_have_value("justice")


INK = "() => document.querySelector('.js-plotly-plot').layout.font.color"


def test_figures_follow_the_theme_and_a_streamlit_that_says_something_else_is_reported(
    page, address
):
    """A link past the sidebar with another text stays as it is, and the console names it."""

    def rename(route):
        script = route.fetch()
        text = script.text().replace("Skip to main content", "Go to the content")
        route.fulfill(response=script, body=text)

    warnings = []
    page.on("console", lambda line: warnings.append(line.text) if "Klyuch" in line.text else None)
    page.emulate_media(color_scheme="light")
    page.goto(f"{address}/?lang=de&text=en&word=wolf")
    wait_for_page(page, "explore", "de")
    light = page.evaluate(INK)
    assert warnings == []
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"(light) => ({INK})() !== light", arg=light)
    page.route("**/index.*.js", rename)
    page.goto(f"{address}/?lang=de&text=en&word=wolf")
    wait_for_page(page, "explore", "de")
    expect(page.get_by_role("link", name="Go to the content")).to_have_count(1)
    assert "skips the sidebar" in warnings[0]

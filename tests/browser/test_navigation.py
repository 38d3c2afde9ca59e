"""Tabs, the history, the keyboard and saved figures, in a real chromium."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import enter, settle

pytestmark = pytest.mark.browser
expect.set_options(timeout=120_000)


def wait_for_page(page, name, language="en"):
    """Wait for a page's title and for its settings in the address."""
    expect(page.locator("h1")).to_have_text(wording(language)(f"{name}.title"))
    expect(page).to_have_url(re.compile(r"models="))
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    expect(page.get_by_text(wording(language)("common.take_away"))).to_be_visible()


def test_the_tab_names_the_page_and_the_document_follows_the_screen(page, address):
    page.goto(f"{address}/?lang=en&text=en&word=wolf")
    wait_for_page(page, "explore")
    expect(page).to_have_title("Explore – Klyuch")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_test_id("stSidebar").locator(".st-key-lang").get_by_text("Русский").click()
    wait_for_page(page, "explore", "ru")
    expect(page).to_have_title("Соседи – Klyuch")
    expect(page.locator("html")).to_have_attribute("lang", "ru")
    page.get_by_role("link", name=wording("ru")("analogies.nav")).click()
    wait_for_page(page, "analogies", "ru")
    expect(page).to_have_title("Аналогии – Klyuch")


def test_the_first_stop_of_the_keyboard_skips_the_sidebar(page, address):
    page.goto(f"{address}/?lang=de&text=en")
    wait_for_page(page, "explore", "de")
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name=wording("de")("frame.skip"))
    expect(
        page.locator("a[href^='#']").filter(has_text=re.compile("Inhalt|content"))
    ).to_have_count(1)
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    in_main = "document.querySelector('[data-testid=stMain]').contains(document.activeElement)"
    assert page.evaluate(in_main)
    assert "#" not in page.url


def go_back_to(page, name):
    """Press Back, twice at most, until another page stands there: a page's settings are a history entry of their own."""
    for _ in range(2):
        page.go_back()
        settle(page)
        if page.locator("h1").inner_text() == wording("en")(f"{name}.title"):
            break
    wait_for_page(page, name)
    settle(page)  # its run writes the address when it ends


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
    go_back_to(page, "analogies")
    go_back_to(page, "explore")
    expect(field).to_have_value("justice")


def test_an_offer_of_streamlit_to_developers_is_not_shown(page, address):
    page.goto(f"{address}/ratios?lang=en&text=en")
    wait_for_page(page, "ratios")
    settle(page)
    page.evaluate(
        """() => {
            const offer = document.createElement("div");
            offer.dataset.testid = "stSkillsNudge";
            offer.textContent = "Install";
            document.body.append(offer);
        }"""
    )
    expect(page.get_by_test_id("stSkillsNudge")).to_be_hidden()


def test_words_are_offered_while_one_is_typed_and_nothing_is_asked_before_enter(page, address):
    page.goto(f"{address}/?lang=ru&text=en&word=wolf")
    wait_for_page(page, "explore", "ru")
    settle(page)
    field = page.get_by_label(wording("ru")("word.label"), exact=True)
    field.fill("king, justi")
    hint = page.get_by_test_id("InputInstructions")  # Streamlit's own, which is English
    expect(hint).to_have_text(wording("ru")("frame.apply", keys="Enter"))
    offered = page.locator("#klyuch-typeahead option[value='king, justice']")
    expect(offered).to_have_count(1)
    expect(field).to_have_attribute("list", "klyuch-typeahead")
    expect(field).to_have_value("king, justi")
    assert "justi" not in page.url
    field.fill("justice")
    field.press("Enter")
    expect(page).to_have_url(re.compile("word=justice"))

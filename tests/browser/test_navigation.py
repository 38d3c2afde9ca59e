"""Tabs, the history, the keyboard and saved figures, in a real chromium."""

import re
from datetime import date
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

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


def test_the_tab_names_word_and_page_and_the_document_follows_the_screen(page, address):
    page.goto(f"{address}/?lang=en&text=en&word=wolf")
    wait_for_page(page, "explore")
    expect(page).to_have_title("wolf – Explore – Klyuch")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_test_id("stSidebar").locator(".st-key-lang").get_by_text("Русский").click()
    wait_for_page(page, "explore", "ru")
    expect(page).to_have_title("wolf – Соседи – Klyuch")
    expect(page.locator("html")).to_have_attribute("lang", "ru")
    page.get_by_role("link", name=wording("ru")("analogies.nav")).click()
    wait_for_page(page, "analogies", "ru")
    expect(page).to_have_title("king - man + woman – Аналогии – Klyuch")


def test_the_first_stop_of_the_keyboard_skips_the_sidebar(page, address):
    page.goto(f"{address}/?lang=de&text=en")
    wait_for_page(page, "explore", "de")
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name=wording("de")("frame.skip"))
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    in_main = "document.querySelector('[data-testid=stMain]').contains(document.activeElement)"
    assert page.evaluate(in_main)
    assert "#" not in page.url


def test_back_pressed_once_returns_to_the_page_before_and_once_more_to_what_was_asked_there(
    page, address
):
    page.goto(f"{address}/explore?lang=en&text=en&word=wolf")
    wait_for_page(page, "explore")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert urlsplit(page.url).path == "/"
    field = page.get_by_label(wording("en")("word.label"), exact=True)
    enter(page, field, "justice", re.compile("word=justice"))
    for name in ("analogies", "compare"):
        page.get_by_role("link", name=wording("en")(f"{name}.nav")).click()
        wait_for_page(page, name)
    page.go_back()
    wait_for_page(page, "analogies")
    page.go_back()
    wait_for_page(page, "explore")
    expect(field).to_have_value("justice")
    page.go_back()
    expect(field).to_have_value("wolf")
    page.go_forward()
    expect(field).to_have_value("justice")


@pytest.mark.parametrize("first", ["path", "settings"])
def test_a_new_page_is_one_entry_of_the_history_whichever_is_written_first(page, address, first):
    page.goto(f"{address}/?lang=en&text=en&word=wolf")
    wait_for_page(page, "explore")
    settle(page)
    before, entries = page.url, page.evaluate("history.length")
    writes = {"path": ["/learn", "/learn?lang=en"], "settings": ["/?lang=en", "/learn?lang=en"]}
    for url in writes[first]:  # as Streamlit does, and as it does where the browser is slow
        page.evaluate("(url) => history.pushState({}, '', url)", url)
    assert page.url == f"{address}/learn?lang=en"
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    assert page.url == before


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


def test_every_setting_stands_in_the_address_of_a_first_visit(page, address):
    page.goto(f"{address}/attention?lang=en&text=en")
    expect(page).to_have_url(re.compile("network="))
    settings = parse_qs(urlsplit(page.url).query, keep_blank_values=True)
    names = {"lang", "text", "models", "network", "attention_first", "attention_layer"}
    assert names | {"attention_head", "attention_view", "attention_level"} <= set(settings)


def test_a_link_to_a_model_that_is_not_here_says_so(page, address):
    page.goto(f"{address}/?lang=en&text=en&models=en-skipgram,my-own-model")
    wait_for_page(page, "explore")
    expect(page.get_by_test_id("stAlert").first).to_contain_text("my-own-model")


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_a_saved_figure_is_captioned_with_word_model_and_day(chromium, address, tmp_path, scheme):
    with chromium.new_context(locale="en-US", color_scheme=scheme) as context:
        page = context.new_page()
        page.goto(f"{address}/?lang=en&text=en&word=wolf&models=en-glove")
        wait_for_page(page, "explore")
        with page.expect_download() as download:
            page.get_by_role("button", name="SVG").first.click()
        saved = tmp_path / "figure.svg"
        download.value.save_as(saved)
        drawing = Path(saved).read_text(encoding="utf-8")
        texts = re.findall(r">([^<>]+)</t(?:ext|span)>", drawing)
        assert f"wolf · en-glove · {wording('en').date(date.today().isoformat())}" in " ".join(
            texts
        )
        height = float(re.search(r'<svg[^>]* height="([\d.]+)"', drawing)[1])
        shown = page.locator(".js-plotly-plot").first.bounding_box()["height"]
        assert height > shown + 10  # the caption has room of its own, below the figure


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

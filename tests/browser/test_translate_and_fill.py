"""Translate, Fill the blank, Grammar and the decoder in Inside as a person uses them, in a real chromium, with shipped models."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from app.wording import wording

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SAY = wording("en")
PATIENCE = 120_000  # milliseconds, on a machine that is busy with other work
expect.set_options(timeout=PATIENCE)


def open_page(page, address, name, language="en", **query):
    """A page with its title, and no fault on it."""
    page.goto(f"{address}/{name}?{urlencode({'lang': language, 'text': 'en'} | query)}")
    expect(page.locator("h1")).to_have_text(wording(language)(f"{name}.title"))
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def type_text(page, key, text):
    """Type into the field of a key."""
    field = page.locator(f".st-key-{key} input")
    field.fill(text)
    field.press("Enter")


def press_button(page, key):
    """Press the button of a key, once that of the view before is gone."""
    button = page.locator(f".st-key-{key} button")
    expect(button).to_have_count(1)
    button.click()


@pytest.fixture
def translate_page(page, address):
    """Translate, opened, with a sentence typed."""
    open_page(page, address, "translate")
    type_text(page, "translate_text", "Two dogs are playing in the snow.")
    expect(page).to_have_url(re.compile("translate_text=Two"))
    expect(page.get_by_test_id("stHeading").filter(has_text="Hunde").first).to_be_visible()
    return page


def test_a_typed_sentence_is_translated_step_by_step(translate_page):
    page = translate_page
    written = page.get_by_test_id("stHeading").filter(has_text="Zwei")
    expect(page.locator(".st-key-translate-back button")).to_be_disabled()
    for step in (2, 3):
        press_button(page, "translate-on")
        expect(page).to_have_url(re.compile(f"translate_step={step}"))
    expect(written.last).to_contain_text("Hunde")
    for picture in ("translate-candidates", "translate-looked"):
        expect(page.locator(f".st-key-{picture} .js-plotly-plot").first).to_be_visible()
    press_button(page, "translate-back")
    expect(page).to_have_url(re.compile("translate_step=2"))
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def test_a_head_is_chosen_and_the_link_reopens_it(translate_page):
    page = translate_page
    page.get_by_role("radio", name=SAY("view.heads"), exact=True).click()
    stage = page.locator(".stage")
    expect(stage).to_have_attribute("aria-label", re.compile("average"))
    stage.focus()
    page.keyboard.press("ArrowLeft")
    expect(stage).not_to_have_attribute("aria-label", re.compile("average"))
    expect(page).to_have_url(re.compile(r"translate_head=\d"))
    label = stage.get_attribute("aria-label")
    page.goto(page.url)
    expect(page.locator(".stage")).to_have_attribute("aria-label", label)


def test_plain_stands_beside_fused_where_both_are_there(translate_page):
    page = translate_page
    page.get_by_role("radio", name=SAY("view.heads"), exact=True).click()
    for name in (SAY("translate.plain"), SAY("translate.fused")):
        expect(page.get_by_text(f"· {name}").first).to_be_visible()
    expect(page.locator(".stage .panel")).to_have_count(2)


def test_a_sentence_with_a_mask_is_filled_layer_by_layer(page, address):
    open_page(page, address, "fill")
    type_text(page, "fill_first", "The capital of France is [MASK].")
    expect(page).to_have_url(re.compile("fill_first=The"))
    expect(page.locator(".st-key-fill-1 .js-plotly-plot").first).to_be_visible()
    expect(page.get_by_test_id("stHeading").filter(has_text="capital of France is")).to_be_visible()
    page.get_by_role("radio", name=SAY("view.layers")).click()
    layers = page.locator(".st-key-fill-layers-1")
    expect(layers).to_contain_text(SAY("fill.layer", number=2))


def test_two_sentences_are_compared_and_an_example_fills_both(page, address):
    open_page(page, address, "grammar")
    page.get_by_role("button", name=SAY("common.examples")).click()
    page.get_by_role("button", name=SAY("phenomenon.attraction"), exact=True).last.click()
    expect(page).to_have_url(re.compile("grammar_second=The"))
    expect(page.locator(".st-key-grammar_second input")).to_have_value(re.compile("are on"))
    tokens = page.locator(".st-key-grammar-tokens")
    expect(tokens.locator(".ytick").filter(has_text="are")).to_have_count(1)
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def test_the_decoder_is_walked_from_the_mask_to_the_next_word(page, address):
    say = wording("de")
    open_page(page, address, "inside", "de", inside_half="decoder", decoder_step="mask")
    expect(page.locator("h2").first).to_contain_text(say("decoder.mask_title"))
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    for step in ("cross", "layer", "next"):
        press_button(page, "decoder-next")
        expect(page).to_have_url(re.compile(f"decoder_step={step}"))
        expect(page.locator("h2").first).to_contain_text(say(f"decoder.{step}_title"))
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


@pytest.mark.parametrize("name", ["translate", "fill", "grammar"])
def test_a_phone_shows_the_page_without_overflow(page, address, name):
    page.set_viewport_size({"width": 400, "height": 850})
    open_page(page, address, name)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    over = "[document.documentElement, ...document.querySelectorAll('[data-testid=stMain]')]"
    assert page.evaluate(f"Math.max(...{over}.map(e => e.scrollWidth - e.clientWidth))") <= 4


def test_a_head_that_is_switched_off_by_a_link_changes_the_guess(page, address):
    view = {"network": "bert-en", "attention_first": "He was very [MASK].", "off": "1"}
    open_page(page, address, "attention", **view)
    expect(page.get_by_text(SAY("off.nothing_off"))).to_be_visible()
    open_page(page, address, "attention", **view, off_heads="2.2")
    expect(page.get_by_text("The first guess was")).to_be_visible()
    expect(page.get_by_text(SAY("off.nothing_off"))).to_have_count(0)
    expect(page.locator(".st-key-head-effects .js-plotly-plot").first).to_be_visible()
    expect(page.locator("[data-testid=stException]")).to_have_count(0)

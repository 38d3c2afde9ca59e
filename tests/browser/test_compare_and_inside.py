"""Compare and Inside as a person uses them, in a real chromium."""

import re

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=120_000)
WIDTH = (
    "Math.max(...[document.documentElement, ...document.querySelectorAll('[data-testid=stMain]')]"
    ".map(e => e.scrollWidth - e.clientWidth))"
)


def wait_for_page(page, title):
    """Wait for a page's title, and for no fault on it."""
    expect(page.locator("h1")).to_have_text(title)
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


@pytest.mark.parametrize("language", ["en", "ru", "de"])
def test_two_models_are_compared_and_the_link_reopens_the_view(page, address, language):
    say = wording(language)
    page.goto(f"{address}/compare?lang={language}&text={language}")
    wait_for_page(page, say("compare.title"))
    for figure in ("compare-words", "compare-map"):
        expect(page.locator(f".st-key-{figure} .js-plotly-plot")).to_be_visible()
    expect(page.get_by_test_id("stMetric")).to_have_count(4)
    page.get_by_role("button", name=say("common.more_settings")).click()
    order = page.locator(".st-key-compared_by")
    order.get_by_role("button", name=say("compared_by.overlap")).or_(
        order.get_by_role("radio", name=say("compared_by.overlap"))
    ).first.click()
    expect(page).to_have_url(re.compile("compared_by=overlap"))
    page.goto(page.url)
    wait_for_page(page, say("compare.title"))
    for figure in ("compare-words", "compare-map"):
        expect(page.locator(f".st-key-{figure} .js-plotly-plot")).to_be_visible()


HEIGHT = "document.querySelector('[data-testid=stMain]').scrollHeight"
FIRST = "document.querySelector('{}').getBoundingClientRect().top"
VIEWS = {  # page and view, and what its answer is drawn in
    ("compare", "words"): ".st-key-compare-words",
    ("compare", "differ"): ".st-key-compare-moved",
    ("compare", "sets"): "[data-testid=stTable]",
    ("change", "report"): ".st-key-change",
    ("change", "texts"): ".st-key-sides_first_files",
    ("change", "periods"): ".st-key-sides_table_files",
    ("change", "whatif"): ".st-key-whatif_corpus",
    ("analogies", "answer"): ".st-key-plane",
    ("analogies", "steps"): ".st-key-step-0",
    ("analogies", "reliability"): ".st-key-spread",
    ("analogies", "sets"): ".st-key-questions",
}


@pytest.mark.parametrize(("name", "view"), VIEWS)
def test_a_view_is_short_and_its_answer_begins_on_the_first_screen(page, address, name, view):
    for width, height in ((1440, 900), (1024, 768)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{address}/{name}?lang=en&text=en&view={view}")
        wait_for_page(page, wording("en")(f"{name}.title"))
        answer = page.locator(VIEWS[name, view]).first
        expect(answer).to_be_visible()
        settle(page)
        assert width < 1440 or page.evaluate(HEIGHT) <= 1800
        assert page.evaluate(FIRST.format(VIEWS[name, view])) < height - 100


@pytest.mark.parametrize("name", ["compare", "inside"])
def test_a_phone_shows_the_page_without_overflow(page, address, name):
    page.set_viewport_size({"width": 400, "height": 850})
    page.goto(f"{address}/{name}?lang=en&text=en")
    wait_for_page(page, wording("en")(f"{name}.title"))
    expect(page.get_by_test_id("stMain")).to_be_visible()
    assert page.evaluate(WIDTH) <= 4


def test_inside_walks_or_says_how_to_get_a_network(page, address):
    say = wording("en")
    page.goto(f"{address}/inside?lang=en&text=en")
    wait_for_page(page, say("inside.title"))
    step_buttons = page.get_by_role("button", name=say("inside_step.embeddings"))
    expect(step_buttons.first.or_(page.get_by_text("klyuch bert pretrain"))).to_be_visible()
    if not step_buttons.count():
        return
    step_buttons.last.click()
    expect(page.locator("h2").first).to_contain_text(say("inside.embeddings_title"))
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    expect(page).to_have_url(re.compile("inside_step=embeddings"))

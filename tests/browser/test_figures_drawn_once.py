"""Figures are drawn once: they have the room that the names of their rows need from the start; theme, words follow."""

import re
from pathlib import Path

import pytest
import streamlit
from PIL import ImageColor
from playwright.sync_api import expect

from app.figures.palette import DARK, LIGHT
from app.wording import wording
from tests.browser.settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=120_000)
WIDENED = """() => [...document.querySelectorAll(".js-plotly-plot")]
  .filter(({ _fullLayout: { margin, _size } }) => _size.l > margin.l)
  .map((figure) => figure.closest("[class*=st-key-]").className)"""

[FORMULA_FONT] = (Path(streamlit.__file__).parent / "static/static/media").glob(
    "KaTeX_Main-Regular.*.woff2"
)
LOAD_FORMULA_FONT = """() => { // it comes while the figures are drawn, as over a slow line
  window.formulaFont = new FontFace("KaTeX_Main", "url(/slow.woff2)");
  document.fonts.add(formulaFont);
  formulaFont.load();
}"""

COUNT = """() => {
  window.drawnAgain = [];
  const watched = new WeakSet();
  const watch = ({ target }) => {
    if (!target.classList.contains("js-plotly-plot") || watched.has(target)) return;
    watched.add(target); // Plotly has begun to draw it
    const name = target.closest("[class*=st-key-]").className;
    target.on("plotly_beforeplot", () => { drawnAgain.push(name); });
  };
  const classes = { subtree: true, attributes: true, attributeFilter: ["class"] };
  new MutationObserver((changes) => changes.forEach(watch)).observe(document, classes);
}"""


@pytest.mark.parametrize("name", ["explore", "compare"])
def test_no_figure_is_drawn_again_when_a_page_is_opened(page, address, name):
    page.goto(f"{address}/learn?lang=en&text=en")
    settle(page)
    page.evaluate(COUNT)
    held = []
    page.route("**/slow.woff2", lambda request: held.append(request))
    page.evaluate(LOAD_FORMULA_FONT)
    page.get_by_role("link", name=wording("en")(f"{name}.nav")).click()
    expect(page.locator(".js-plotly-plot").nth(3)).to_be_visible()
    [request] = held
    request.fulfill(path=FORMULA_FONT)
    page.wait_for_function("formulaFont.status === 'loaded'")
    settle(page)
    page.wait_for_timeout(500)  # Streamlit's copy comes after the first drawing
    assert page.evaluate("drawnAgain") == []


def test_a_figure_shows_what_is_asked_anew(page, address):
    page.goto(f"{address}/?lang=en&text=en&word=wolf&models=en-glove")
    words = page.locator(".st-key-neighbours-en-glove .js-plotly-plot .ytick text")
    expect(words).to_have_count(10)
    settle(page)
    before = words.all_text_contents()
    page.get_by_role("button", name="justice", exact=True).click()
    expect(words.first).not_to_have_text(before[0])
    for word in before:  # names of the old rows may stay for a moment beside the new
        expect(words.filter(has_text=re.compile(f"^{re.escape(word)}$"))).to_have_count(0)


@pytest.mark.parametrize("name", ["explore", "analogies"])
def test_no_figure_needs_more_room_on_the_left_than_it_is_given(page, address, name):
    page.goto(f"{address}/{name}?lang=en&text=en")
    expect(page.locator("h1")).to_have_text(wording("en")(f"{name}.title"))
    expect(page.locator(".js-plotly-plot").nth(3)).to_be_visible()
    settle(page)
    assert page.evaluate(WIDENED) == []


def test_figures_take_the_ink_of_another_theme_and_give_it_back(page, address):
    page.goto(f"{address}/?lang=en&text=en&word=wolf&models=en-glove")
    words = page.locator(".js-plotly-plot .ytick text")
    expect(words.nth(10)).to_be_visible()
    settle(page)
    figures = page.locator(".js-plotly-plot:has(.ytick)")
    number = figures.count()
    assert number > 1
    for scheme, ink in [("dark", LIGHT), ("light", DARK)]:
        page.emulate_media(color_scheme=scheme)
        shown = ImageColor.getrgb(ink)
        for row in range(number):
            word = figures.nth(row).locator(".ytick text").first
            expect(word).to_have_css("fill", f"rgb{shown}")

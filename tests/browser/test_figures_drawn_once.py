"""Figures have the room that their labels need from the start: Plotly draws a figure anew where it has not."""

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=120_000)
WIDENED = """() => [...document.querySelectorAll(".js-plotly-plot")]
  .map(({ _fullLayout: { margin, _size } }) => ["l", "t", "b"].filter((side) => _size[side] > margin[side]).length)"""


@pytest.mark.parametrize("language", ["en", "ru", "de"])
@pytest.mark.parametrize("name", ["", "analogies", "ratios"])
def test_no_figure_needs_more_room_than_it_is_given(page, address, name, language):
    page.goto(f"{address}/{name}?lang={language}&text={language}")
    expect(page.locator("h1")).to_have_text(wording(language)(f"{name or 'explore'}.title"))
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    settle(page)
    widened = page.evaluate(WIDENED)
    assert widened
    assert not any(widened)

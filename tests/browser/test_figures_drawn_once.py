"""Figures have the room that the names of their rows need from the start: Plotly draws a figure anew where it has not."""

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=120_000)
WIDENED = """() => [...document.querySelectorAll(".js-plotly-plot")]
  .filter(({ _fullLayout: { margin, _size } }) => _size.l > margin.l)
  .map((figure) => figure.closest("[class*=st-key-]").className)"""


@pytest.mark.parametrize("name", ["explore", "analogies"])
def test_no_figure_needs_more_room_on_the_left_than_it_is_given(page, address, name):
    page.goto(f"{address}/{name}?lang=en&text=en")
    expect(page.locator("h1")).to_have_text(wording("en")(f"{name}.title"))
    expect(page.locator(".js-plotly-plot").nth(3)).to_be_visible()
    settle(page)
    assert page.evaluate(WIDENED) == []

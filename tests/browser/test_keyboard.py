"""What a person without a mouse, or with less motion wished, meets."""

import pytest
from playwright.sync_api import expect

from tests.browser.settling import settle

pytestmark = pytest.mark.browser
STOPS = 30  # keys from the top of Grammar to below its fields
FOCUSED = """() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  return [document.activeElement.ariaLabel ?? document.activeElement.innerText, outlineStyle, parseFloat(outlineWidth)];
}"""
SECONDS = """() => Math.max(...[...document.querySelectorAll("*")].flatMap((each) => {
  const { transitionDuration, animationDuration } = getComputedStyle(each);
  return `${transitionDuration},${animationDuration}`.split(",").map(parseFloat);
}))"""


def test_every_stop_of_the_keyboard_has_an_outline_and_the_fields_are_among_them(page, address):
    page.goto(f"{address}/grammar?lang=en&text=en")
    settle(page)
    stops = []
    for _ in range(STOPS):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(FOCUSED))
    assert [stop for stop in stops if stop[1:] != ["solid", 3]] == []
    assert {"First sentence", "Second sentence"} <= {name for name, *_ in stops}


def test_nothing_moves_where_less_motion_is_wished(page, address):
    page.goto(f"{address}/grammar?lang=en&text=en")
    settle(page)
    assert page.evaluate(SECONDS) > 0.05
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(SECONDS) < 0.001


def test_the_points_of_a_figure_are_reached_in_its_table_with_the_arrow_keys(page, address):
    page.goto(f"{address}/?lang=en&text=en&word=music")
    settle(page)
    grid = page.locator("[data-testid=stDataFrame] canvas").first
    grid.focus()
    page.keyboard.press("ArrowDown")
    chosen = grid.locator("[role=gridcell][aria-selected=true]")
    expect(chosen).to_have_count(1)
    first = chosen.inner_text()
    page.keyboard.press("ArrowDown")
    expect(chosen).not_to_have_text(first)

"""What a person without a mouse, or with less motion wished, meets."""

import re

import pytest
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import settle, wait_for_page

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
OFFER = """() => {
  const offer = document.createElement("div");
  offer.dataset.testid = "stSkillsNudge";
  offer.textContent = "Install";
  document.body.append(offer);
}"""


@pytest.mark.slow
def test_every_stop_of_the_keyboard_has_an_outline_and_nothing_moves_where_less_motion_is_wished(
    page, address
):
    page.goto(f"{address}/grammar?lang=en&text=en")
    settle(page)
    stops = []
    for _ in range(STOPS):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(FOCUSED))
    assert [stop for stop in stops if stop[1:] != ["solid", 3]] == []
    assert {"First sentence", "Second sentence"} <= {name for name, *_ in stops}
    assert page.evaluate(SECONDS) > 0.05
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(SECONDS) < 0.001


def test_the_first_stop_skips_the_sidebar_and_arrow_keys_reach_the_points_of_a_figure_in_its_table(
    page, address
):
    say = wording("de")
    page.goto(f"{address}/?lang=de&text=en&word=music")
    wait_for_page(page, "explore", "de")
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name=say("frame.skip"))
    skips = page.locator("a[href^='#']").filter(has_text=re.compile("Inhalt|content"))
    expect(skips).to_have_count(1)
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    in_main = "document.querySelector('[data-testid=stMain]').contains(document.activeElement)"
    assert page.evaluate(in_main)
    assert "#" not in page.url

    grid = page.locator("[data-testid=stDataFrame] canvas").first
    grid.focus()
    page.keyboard.press("ArrowDown")
    chosen = grid.locator("[role=gridcell][aria-selected=true]")
    expect(chosen).to_have_count(1)
    first = chosen.inner_text()
    page.keyboard.press("ArrowDown")
    expect(chosen).not_to_have_text(first)

    page.evaluate(OFFER)
    expect(page.get_by_test_id("stSkillsNudge")).to_be_hidden()  # Streamlit's own, to developers

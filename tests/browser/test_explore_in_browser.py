"""Explore and Associations in a real chromium: sizes of the views, the first screen, list and map linked."""

import pytest
from playwright.sync_api import expect

from app.views.explore.words_on_map import VIEWS
from app.wording import wording
from tests.browser.settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=120_000)
SAY = wording("en")
ROW = 35  # pixels of a row of a table
TALLEST = 1800  # pixels of a view at a width of 1440
HEIGHT = "document.querySelector('[data-testid=stMain]').scrollHeight"
RINGED = """() => document.querySelector('.js-plotly-plot').data.flatMap((trace) =>
    trace.customdata.filter((_, point) => trace.marker.line.width[point] > 1).map(([word]) => word))"""
PAGES = [("", view) for view in VIEWS]
PAGES += [("associations", view) for view in ("axes", "list", "test")]


@pytest.mark.parametrize(("name", "view"), PAGES)
def test_no_view_is_taller_than_two_screens(page, address, name, view):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{address}/{name}?lang=en&text=en&view={view}")
    expect(page.locator("h1")).to_have_text(SAY(f"{name or 'explore'}.title"))
    settle(page)
    assert page.evaluate(HEIGHT) <= TALLEST


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768)])
@pytest.mark.parametrize("name", ["", "associations"])
def test_the_upper_half_of_the_picture_is_on_the_first_screen(page, address, name, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{address}/{name}?lang=en&text=en")
    chart = page.locator(".js-plotly-plot").first
    expect(chart).to_be_visible()
    settle(page)
    box = chart.bounding_box()
    assert box["y"] + box["height"] / 2 <= size[1]


def test_a_selected_cell_rings_its_point_and_a_box_on_the_map_filters_the_lists(page, address):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{address}/?lang=en&text=en&word=king&models=en-skipgram")
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    settle(page)
    assert page.evaluate(RINGED) == []
    grid = page.locator(".st-key-neighbours").get_by_test_id("stDataFrame")
    grid.click(position={"x": 60, "y": 1.5 * ROW})
    walk = page.locator(".st-key-walk")
    expect(walk).to_be_visible()
    settle(page)
    (word,) = page.evaluate(RINGED)
    expect(walk).to_contain_text(SAY("map.look_up", word=word))

    listed = page.locator(".st-key-as-list")
    expect(listed).to_contain_text("9")  # the word and its eight neighbours
    plot = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    left, top = plot["x"] + 2, plot["y"] + 2
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(left + plot["width"] / 2, top + plot["height"] - 4, steps=8)
    page.mouse.up()
    expect(listed).not_to_contain_text("9")
    settle(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)

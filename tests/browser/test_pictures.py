"""Pictures of the pages for the README and the documentation; ``KLYUCH_PICTURES=docs/pictures`` keeps them."""

import os
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from app.wording import wording
from tests.browser.settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
VIEWS = Path(__file__).resolve().parents[2] / "app" / "views"
HEIGHTS = {"analogies": 1500, "contexts": 1250, "classify": 1250}  # others: 1000
LANGUAGES = {"contexts": "ru"}  # others: English
KEPT = os.environ.get("KLYUCH_PICTURES")
PAGES = sorted(path.parent.name for path in VIEWS.glob("*/__init__.py")) if KEPT else ["analogies"]
WIDTH = 1000  # of a picture that is kept


@pytest.mark.parametrize("name", PAGES)
def test_the_page_stands_for_a_picture(page, address, tmp_path, name):
    language, height = LANGUAGES.get(name, "en"), HEIGHTS.get(name, 1000)
    path = "" if name == "explore" else name
    page.set_viewport_size({"width": 1360, "height": height})
    page.goto(f"{address}/{path}?lang={language}&text={language}")
    expect(page.locator("h1")).to_have_text(wording(language)(f"{name}.title"))
    settle(page)
    figures = page.get_by_test_id("stPlotlyChart").count()
    expect(page.locator("[data-testid=stPlotlyChart] .js-plotly-plot")).to_have_count(figures)
    if KEPT:
        page.wait_for_timeout(2500)  # figures fade in
    expect(page.get_by_test_id("stException")).to_have_count(0)
    folder = Path(KEPT or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / f"{name}-{language}.webp"
    with Image.open(BytesIO(page.screenshot())) as shot:
        shot.resize((WIDTH, round(shot.height * WIDTH / shot.width))).save(picture, quality=80)
    with Image.open(picture) as kept:
        assert kept.size[0] == WIDTH
    assert picture.stat().st_size > 10_000  # an empty page is smaller

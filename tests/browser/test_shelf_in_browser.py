"""The shelf in a real browser: a file in, looked at, out again as another tool wants it, deleted once."""

import json
import zipfile
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import expect

from app.wording import wording
from embeddings import Vectors
from embeddings.vectors.formats import read, write, write_native
from tests.browser.settling import settle, upload

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SAY = wording("en")
expect.set_options(timeout=120_000)
TABLE = Vectors(
    [f"word{number}" for number in range(20)],
    np.random.default_rng(1).normal(size=(20, 6)).astype(np.float32),
    np.arange(20, 0, -1),
    language="en",
)
WIDTH = (
    "Math.max(...[document.documentElement, ...document.querySelectorAll('[data-testid=stMain]')]"
    ".map(e => e.scrollWidth - e.clientWidth))"
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A person's folder with two models of their own."""
    home = tmp_path_factory.mktemp("shelf-home")
    for name in ("mine", "twice"):
        write_native(TABLE, home / "models" / name)
    return home


@pytest.fixture(scope="module")
def shelf_address(home, serve):
    """Address of an app on that folder."""
    with serve(home) as address:
        yield address


def open_shelf(page, address, **query):
    page.goto(f"{address}/shelf?lang=en&" + "&".join(f"{k}={quote(v)}" for k, v in query.items()))
    expect(page.locator("h1")).to_have_text(SAY("shelf.title"))
    expect(page.get_by_test_id("stException")).to_have_count(0)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def test_a_file_comes_in_and_goes_out_in_other_formats(page, shelf_address, home, tmp_path):
    write(TABLE, tmp_path / "mine too.vec")
    open_shelf(page, shelf_address, shelf_part="bring")
    upload(page, tmp_path / "mine too.vec")
    expect(page.get_by_placeholder("mine-too")).to_be_visible()  # the file has come in
    press(page, SAY("shelf_bring.start"))
    expect(page.get_by_test_id("stAlert").first).to_contain_text("mine-too")
    press(page, SAY("shelf_bring.look"))
    expect(page.get_by_role("heading", name="mine-too", exact=True)).to_be_visible()
    card = json.loads((home / "models" / "mine-too" / "card.json").read_text())
    assert card["origin"]["source"] == "mine too.vec"

    for format in ("parquet", "projector"):
        open_shelf(page, shelf_address, shelf_model="mine-too", shelf_format=format)
        with page.expect_download() as download:
            press(page, SAY("shelf_export.download"))
        saved = tmp_path / download.value.suggested_filename
        download.value.save_as(saved)
        if saved.suffix == ".zip":
            with zipfile.ZipFile(saved) as archive:
                archive.extractall(tmp_path / "unpacked")
            saved = tmp_path / "unpacked" / "mine-too"
        assert read(saved).words == TABLE.words
        assert np.array_equal(read(saved).matrix, TABLE.matrix)


def test_files_are_found_sound(page, shelf_address):
    open_shelf(page, shelf_address, shelf_model="mine")
    press(page, SAY("shelf_files.check"))
    expect(page.get_by_test_id("stAlert").first).to_contain_text("all 3 files")


def test_the_second_of_two_windows_that_delete_a_model_gets_a_sentence(
    page, shelf_address, home, chromium
):
    with chromium.new_context(viewport={"width": 1280, "height": 900}) as context:
        second_page = context.new_page()
        second_page.set_default_timeout(120_000)
        for window in (page, second_page):
            open_shelf(window, shelf_address, shelf_model="twice")
            press(window, SAY("shelf_change.delete"))
            expect(window.get_by_role("button", name=SAY("shelf_change.yes"))).to_be_visible()
        press(page, SAY("shelf_change.yes"))
        expect(page.get_by_test_id("stAlert").first).to_contain_text("is deleted")
        press(second_page, SAY("shelf_change.yes"))
        expect(second_page.get_by_test_id("stAlert").first).to_contain_text("twice")
        expect(second_page.get_by_test_id("stAlert").first).to_contain_text("another window")
    assert not (home / "models" / "twice").exists()


@pytest.mark.parametrize("part", ["models", "bring", "scores", "corpora"])
def test_a_phone_shows_every_part_without_overflow_and_nothing_comes_from_outside(
    page, shelf_address, part
):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 400, "height": 850})
    open_shelf(page, shelf_address, shelf_part=part)
    settle(page)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(WIDTH) <= 4
    inside = (shelf_address, shelf_address.replace("http", "ws"), "data:", "blob:")
    assert [url for url in asked if not url.startswith(inside)] == []

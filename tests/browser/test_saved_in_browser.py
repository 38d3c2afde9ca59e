"""Saved answers in a real chromium: opened from disk, with the network cut."""

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from app.widgets.saved_files import PAGES
from app.wording import wording
from embeddings import load
from embeddings.saved_page.answer import Point, Row, SavedAnswer, Scatter, Source, Table
from embeddings.saved_page.html_page import MAX_BYTES, labels, saved_page
from embeddings.saved_page.questions import Ranking, neighbour_answer
from tests.browser.settling import settle
from tests.browser.test_layout import find_faults
from tests.saved_page.contract import data_of

pytestmark = pytest.mark.browser
MODELS = {"en": ("en-skipgram", "bank"), "ru": ("ru-skipgram", "ключ"), "de": ("de-glove", "schloss")}  # fmt: skip
FAST = 500  # milliseconds from disk until a file answers
READY = "performance.getEntriesByType('navigation')[0].domComplete"
LED_TO = "analogies"
NASTY = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def near_file(tmp_path_factory):
    """Return a function that writes the neighbours of a language's word as a file."""
    folder = tmp_path_factory.mktemp("saved")

    def written(language):
        path = folder / f"{language}.html"
        name, word = MODELS[language]
        vectors = load(name)
        ranking = Ranking(name, "#0072B2", vectors, vectors.neighbours(word, 200))
        answer = neighbour_answer(word, [ranking], Source(language=language), shown=8)
        path.write_text(saved_page(answer), encoding="utf-8")
        return path, vectors, word

    return written


def opening(page):
    """Milliseconds from disk until a file answers: the quickest of up to three, as other tests run beside."""
    times = [page.evaluate(READY)]
    while min(times) >= FAST and len(times) < 3:
        page.reload()
        times.append(page.evaluate(READY))
    return min(times)


@pytest.mark.parametrize("language", MODELS)
def test_pointing_links_rows_and_points_and_a_word_leads_on(visit, near_file, language):
    path, vectors, word = near_file(language)
    page = visit(path, locale=language)
    said = labels(language)
    assert opening(page) < FAST
    row = page.locator("tbody tr").nth(2)
    near = vectors.neighbours(word, 3)[2].word
    row.hover()
    assert page.locator("text.marked").all_text_contents() == [near]
    page.locator("circle.point").nth(5).hover(force=True)
    marked = page.locator("text.marked").text_content()
    assert page.locator("tr.marked button").all_text_contents() in ([marked], [])
    row.locator("button").click()
    step = vectors.neighbours(near, 1)[0].word
    assert page.locator("tbody tr button").first.text_content() == step
    assert page.get_by_text(said["near"].format(word=near)).is_visible()
    page.get_by_role("button", name=said["start"]).click()
    assert page.locator("tbody tr").count() == 200
    page.get_by_label(said["search"]).fill(near)
    assert near in page.locator("tbody tr:visible button").all_text_contents()
    assert page.locator("tbody tr:visible").count() < 200


def test_markup_right_to_left_and_two_thousand_points_are_texts(visit, tmp_path):
    words = [NASTY, "مفتاح", *(f"w{n}" for n in range(1998))]
    points = tuple(Point(word, n % 50, n // 50) for n, word in enumerate(words))
    rows = tuple(Row(word, (None, ("", word, ""))) for word in words)
    source, table = Source((NASTY,), {NASTY: NASTY}), Table(NASTY, (NASTY, "b"), rows)
    answer = SavedAnswer(NASTY, NASTY, source, (table,), Scatter(NASTY, points))
    path = tmp_path / "nasty.html"
    path.write_text(saved_page(answer), encoding="utf-8")
    page = visit(path)
    assert page.locator("circle.point").count() == 2000
    assert page.locator("h1").text_content() == NASTY
    page.locator("tbody tr").nth(0).hover()
    assert page.locator("text.marked").text_content() == NASTY
    assert page.locator("img").count() == 0
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_an_empty_answer_says_so(visit, tmp_path):
    path = tmp_path / "empty.html"
    path.write_text(saved_page(SavedAnswer("t", "q", Source(), (Table("t", ("word",), ()),))))
    assert visit(path).get_by_text(labels("en")["nothing"]).is_visible()


def test_a_file_is_read_in_both_themes_on_a_phone_on_paper_and_by_keyboard(visit, near_file):
    path, _, _ = near_file("en")
    grounds = {}
    for scheme in ("light", "dark"):
        page = visit(path, color_scheme=scheme)
        grounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert grounds == {"light": "rgb(255, 254, 251)", "dark": "rgb(23, 23, 26)"}
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("input").is_visible()
    page.emulate_media(media="screen")
    button = page.locator("tbody button").nth(4)
    button.focus()
    assert page.locator("tr.marked").count() == 1
    page.keyboard.press("Enter")
    assert page.locator("tbody tr").count() == 10


def serious_faults(visit, path):
    """The serious faults that axe-core finds in a file, in both themes; the file answers soon."""
    faults, opened = [], visit(path, color_scheme="light")
    assert opening(opened) < FAST
    opened.evaluate(AXE_SCRIPT)
    faults += find_faults(opened, "html")
    opened.emulate_media(color_scheme="dark")
    faults += find_faults(opened, "html", "color-contrast")  # all that a theme changes
    opened.context.close()  # many open pages slow each other down
    return faults


@pytest.mark.parametrize(
    ("name", "language"),
    [
        pytest.param(name, [*MODELS][at % 3], marks=() if name == LED_TO else pytest.mark.slow)
        for at, name in enumerate(PAGES)
    ],
)
def test_the_file_of_every_page_is_accessible_in_both_themes_asks_for_nothing_and_leads_back(
    page, address, visit, tmp_path, name, language
):
    formula = "paris - frankreich + deutschland"
    asked = {"lang": language, "text": language} | ({"formula": formula} if name == LED_TO else {})
    page.goto(f"{address}/{'' if name == 'explore' else name}?{urlencode(asked)}")
    save = page.get_by_role("button", name=wording(language)("common.save_file"))
    save.wait_for()
    settle(page)  # a page that is drawn again takes back the file that it offers
    with page.expect_download() as download:
        save.click()
    path = tmp_path / "file.html"
    download.value.save_as(path)
    text = path.read_text(encoding="utf-8")
    assert any(table["rows"] for table in data_of(text)["tables"])
    assert path.stat().st_size <= MAX_BYTES
    assert f'<html lang="{language}"' in text
    assert serious_faults(visit, path) == []
    back = unescape(re.search(r'<a href="([^"]+)"', text)[1])
    assert back.partition("?")[0] == (address if name == "explore" else f"{address}/{name}")
    if name == LED_TO:
        page.goto(back)
        page.get_by_role("heading", name=formula).wait_for()

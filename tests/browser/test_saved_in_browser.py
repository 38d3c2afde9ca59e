"""Saved answers in a real chromium: opened from disk, with the network cut."""

import pytest

from embeddings import load
from embeddings.saved_page.answer import Point, Row, SavedAnswer, Scatter, Source, Table, labels
from embeddings.saved_page.html_page import saved_page
from embeddings.saved_page.questions import Ranking, neighbour_answer

pytestmark = pytest.mark.browser
MODELS = {"en": ("en-skipgram", "bank"), "ru": ("ru-skipgram", "ключ"), "de": ("de-glove", "schloss")}  # fmt: skip
NASTY = "</script><img src=x onerror=alert(1)>"
FAST = 500  # milliseconds from disk until a file answers


@pytest.fixture
def visit(chromium):
    """Return a function that opens a file with the network cut; at the end nothing was asked for and nothing went wrong."""
    contexts, trouble = [], []

    def opened(path, **options):
        context = chromium.new_context(
            viewport={"width": 1280, "height": 900}, offline=True, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: (trouble.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: trouble.append(r.url) if r.url != path.as_uri() else None)
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert trouble == []


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


@pytest.mark.parametrize("language", MODELS)
def test_pointing_links_rows_and_points_and_a_word_leads_on(visit, near_file, language):
    path, vectors, word = near_file(language)
    page = visit(path, locale=language)
    said = labels(language)
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
    assert ready < FAST
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


def test_the_file_of_a_page_leads_back_to_it(page, address, visit, tmp_path):
    link = f"{address}/analogies?lang=en&text=en&formula=paris+-+france+%2B+germany"
    page.goto(link)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    path = tmp_path / "analogies.html"
    download.value.save_as(path)
    opened = visit(path)
    opened.locator("tbody button").nth(2).hover()
    assert opened.locator("tr.marked").count() >= 1
    back = opened.get_by_role("link").get_attribute("href")
    assert back.startswith(f"{address}/analogies?")
    page.goto(back)
    page.get_by_role("heading", name="paris - france + germany").wait_for()

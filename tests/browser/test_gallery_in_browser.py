"""The gallery: every file opens from disk with the network cut, and the index leads to all of them."""

import datetime
import json
import os
import re
import subprocess
import sys
from urllib.parse import parse_qsl, urlsplit

import pytest

from app.views.learn.lesson_pages import LESSONS
from app.wording import LANGUAGES, wording
from benchmarks.gallery import ITEMS
from embeddings import citation
from embeddings.files import sha256
from embeddings.saved_page.html_page import MAX_BYTES
from tests.browser.conftest import ROOT
from tests.browser.test_saved_in_browser import serious_faults
from tests.saved_page.contract import data_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]
DATA = ROOT / "data"
WEIGHTS = ("models/{}/vectors.safetensors", "models/{}/model.safetensors", "changes/{}.json")


@pytest.fixture(scope="module")
def gallery(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gallery")
    command = [sys.executable, "-m", "benchmarks.gallery", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=ROOT, check=True, env=environment, capture_output=True)
    return folder


def test_every_file_of_the_index_answers_without_a_network(gallery, visit):
    page = visit(gallery / "index.html")
    names = page.get_by_role("link").evaluate_all("links => links.map(a => a.getAttribute('href'))")
    assert {*names, "index.html"} == {path.name for path in gallery.iterdir()}
    answers = [name for name in names if not name.startswith("lesson-")]
    assert len(answers) == 8
    assert len(names) == 8 + len(LESSONS) * len(LANGUAGES)
    page.get_by_role("link", name="king - man + woman").click()
    assert page.locator("tbody tr").count() > 0
    for name in answers:
        path = gallery / name
        assert path.stat().st_size <= MAX_BYTES
        text = path.read_text(encoding="utf-8")
        assert str(ROOT) not in text
        opened = visit(path)
        if name == "it.html":
            assert opened.locator(".stage path").count() > 5
            continue
        data = data_of(text)
        rows = opened.locator("tbody tr")
        assert rows.count() == sum(len(table["rows"]) for table in data["tables"]) > 0
        rows.nth(1).hover()
        assert opened.locator("tr.marked").count() >= 1
        if data["figure"]:
            linked = {point[0] for point in data["figure"]["points"]}
            assert linked & {row[0] for table in data["tables"] for row in table["rows"]}


def test_every_answer_says_which_model_or_report_its_settings_its_day_and_how_it_is_found_again(
    gallery, visit
):
    trained = ("skipgram", "cbow", "glove")
    named = {
        "king": [f"en-{method}" for method in trained],
        "klyuch": [f"ru-{method}" for method in trained],
        **{"klyuch-senses": ["bert-ru"], "schloss": ["bert-de"], "bank": ["bert-en"]},
        **{"grammar": ["bert-en"], "it": ["bert-en"], "change": ["en-fiction-wikipedia"]},
    }
    answers = {path.stem for path in gallery.iterdir() if not path.stem.startswith("lesson-")}
    assert named.keys() == answers - {"index"}
    for name, sources in named.items():
        page = visit(gallery / f"{name}.html")
        footer = page.locator("footer").inner_text()
        assert citation.sentence() in footer, name
        for source in sources:
            path = next(path for place in WEIGHTS for path in DATA.glob(place.format(source)))
            line = next(line for line in footer.splitlines() if re.match(rf"{source}[ ;]", line))
            assert f"sha256 {sha256(path)[:16]}" in line, name
        facts = page.locator("footer dt").count()
        assert facts >= 4, name
        assert str(datetime.date.today().year) in page.locator("footer dd").first.inner_text()
        if name == "it":
            assert "klyuch attention" in page.locator("footer code").inner_text()
            continue
        link = urlsplit(page.locator("footer a").get_attribute("href"))
        item = next(item for item in ITEMS if item.name == name)
        assert link.path == f"/{item.page}"
        assert item.asked.items() <= dict(parse_qsl(link.query)).items()


@pytest.mark.parametrize("name", [*(item.name for item in ITEMS), "it"])
def test_a_file_on_paper_is_white_and_nothing_of_it_is_cut_off(gallery, visit, name):
    page = visit(gallery / f"{name}.html", color_scheme="dark")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 with margins of 1 cm
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.wait_for_function(  # attention is drawn anew once its observer has seen the new width
        "[...document.querySelectorAll('td, th, svg, p, li')].every(n => n.getBoundingClientRect().right <= 718)"
    )
    heights = page.locator(".around").evaluate_all(
        "nodes => nodes.map(node => node.scrollHeight - node.clientHeight)"
    )
    assert not any(heights)


@pytest.mark.parametrize("name", [*(item.name for item in ITEMS if item.page != "change"), "it"])
def test_letters_of_a_figure_are_not_small_on_a_phone(gallery, visit, name):
    page = visit(gallery / f"{name}.html")
    page.set_viewport_size({"width": 400, "height": 800})
    page.reload()
    texts = page.locator("figure svg text:visible")
    sizes = texts.evaluate_all(
        "nodes => nodes.map(n => parseFloat(getComputedStyle(n).fontSize) * n.getScreenCTM().a)"
    )
    assert all(size >= 11 for size in sizes)
    assert sizes or name == "grammar"


def test_no_file_has_a_serious_fault_in_either_theme(gallery, visit):
    paths = [*gallery.glob("[!l]*.html"), *gallery.glob("lesson-near-*.html")]
    faults = {path.name: serious_faults(visit, path) for path in paths}
    assert len(faults) == 1 + 8 + len(LANGUAGES)
    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lesson_checks_each_guess_and_counts_the_right_ones(gallery, visit, language):
    say = wording(language)
    for lesson in LESSONS:
        path = gallery / f"lesson-{lesson.name}-{language}.html"
        assert path.stat().st_size <= MAX_BYTES
        page, total = visit(path), len(lesson.steps)
        right = json.loads(page.locator("#lesson").text_content())
        steps = page.locator("section.step")
        assert steps.count() == len(right) == total
        assert not page.locator(".solved, #remember").locator("visible=true").count()
        for number, answer in enumerate(right):
            step = steps.nth(number)
            options = step.get_by_role("button")
            wrong = (answer + 1) % options.count()
            chosen = options.nth(answer if number else wrong)  # the first guess is wrong
            chosen.click()
            assert chosen.get_attribute("aria-pressed") == "true"
            best = options.nth(answer).text_content()
            assert best in step.locator("li.right").text_content()
            (said,) = step.locator(".verdicts p:visible").all_text_contents()
            is_right = said == say("learn.right", answer=best.rstrip("."))
            assert is_right == (number > 0)
        (score,) = page.locator("#score p:visible").all_text_contents()
        assert score == say("learn.score", correct=total - 1, total=total).strip("*")
        steps.nth(0).get_by_role("button").nth(right[0]).click()
        (score,) = page.locator("#score p:visible").all_text_contents()
        assert score == say("learn.score", correct=total, total=total).strip("*")
        assert page.locator("#remember").is_visible()


def test_a_lesson_on_paper_has_boxes_and_lines_and_no_answers(gallery, visit):
    page = visit(gallery / "lesson-near-en.html")
    page.emulate_media(media="print")
    assert page.locator(".reason:visible").count() == 2 * page.locator("section.step").count()
    assert not page.locator(".solved, .verdicts p").locator("visible=true").count()
    box = "element => getComputedStyle(element, '::before').content"
    assert "\u2610" in page.locator(".options button").first.evaluate(box)


def test_what_the_files_hold_is_the_answer_that_they_promise(gallery):
    king = data_of((gallery / "king.html").read_text(encoding="utf-8"))
    assert [row[1][2] for row in king["tables"][0]["rows"] if row[1][1] == "1"] == ["queen"] * 3
    for name, word in (("klyuch-senses", "ключ"), ("schloss", "Schloss"), ("bank", "bank")):
        data = data_of((gallery / f"{name}.html").read_text(encoding="utf-8"))
        sentences = [row[1][1] for row in data["tables"][0]["rows"]]
        marked = [re.search(r"\[(.*?)\]", sentence)[1].lower() for sentence in sentences]
        assert all(form[:4] in (word[:4].lower(), "schl") for form in marked)
        assert len({row[1][2] for row in data["tables"][0]["rows"]}) > 1

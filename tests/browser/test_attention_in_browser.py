"""The attention view in a real chromium: on the page and as a file of its own."""

import json
import re
from statistics import median
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from app.wording import wording
from embeddings.attention_view.html_page import standalone
from embeddings.attention_view.payload import Panel, ViewState
from embeddings.probing.attention_maps import head_profiles, prepare
from embeddings.probing.attention_weights import attention
from embeddings.probing.network import open_reader
from embeddings.saved_page.answer import Source

pytestmark = pytest.mark.browser


NASTY = "</script><img src=x onerror=alert(1)>"


SAY = wording("en")


DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
FAST = 300  # milliseconds from a key to the new picture, where the head is there already


@pytest.fixture(scope="module")
def written_view(tiny_bert, tmp_path_factory):
    """A file of two texts beside each other, one of them nasty."""
    reader = open_reader(tiny_bert)
    panels = []
    for key, texts in (("a", ("Старик открыл дверь.", NASTY)), ("b", ("Он ушёл.", ""))):
        weights = attention(reader, *texts)
        panels.append(Panel(prepare(weights), head_profiles(weights), " ".join(texts), key))
    page = standalone(
        panels,
        ViewState(1, "1"),
        heading=NASTY,
        source=Source((NASTY,), {NASTY: NASTY}),
        about=NASTY,
    )
    path = tmp_path_factory.mktemp("written") / "view.html"
    path.write_text(page, encoding="utf-8")
    return path, panels


def open_attention(page, address, **query):
    """The page with its view drawn."""
    asked = {"lang": "en", "text": "en", "network": "albert-en-ru-de"} | query
    page.goto(f"{address}/attention?{urlencode(asked)}")
    expect(page.locator("h1")).to_have_text(SAY("attention.title"))
    expect(page.locator(".stage .panel").first).to_be_visible()
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def measure_drawing(page):
    """Measure inside the browser: from a key going down to the picture of the head that it asked for."""
    page.locator(".stage").evaluate(
        """(stage) => {
            addEventListener("keydown", () => { window.pressed = performance.now(); }, true);
            const changed = () => {
                if (!stage.classList.contains("waits")) window.drawn = performance.now();
            };
            new MutationObserver(changed).observe(stage, { attributes: true });
        }"""
    )


def press_key(page, key, label):
    """Press a key; milliseconds until its picture is drawn."""
    page.keyboard.press(key)
    stage = page.locator(".stage:not(.waits)")
    expect(stage).to_have_attribute("aria-label", label)
    return page.evaluate("window.drawn - window.pressed")


@pytest.mark.slow
def test_arrow_keys_change_head_and_layer_fast_and_the_link_remembers(page, address):
    open_attention(page, address, attention_layer=1, attention_head=1)
    stage = page.locator(".stage")
    expect(stage).to_have_attribute("aria-label", "Layer 1, Head 1")
    stage.focus()
    measure_drawing(page)
    times = [
        press_key(page, "ArrowRight", "Layer 1, Head 2"),
        press_key(page, "ArrowDown", "Layer 2, Head 2"),
        press_key(page, "ArrowRight", "Layer 2, Head 3"),
    ]
    # back at once, while the page still answers to the keys before
    times.append(press_key(page, "ArrowLeft", "Layer 2, Head 2"))
    assert median(times) < FAST, times
    expect(page).to_have_url(re.compile("attention_layer=2"))
    expect(page).to_have_url(re.compile("attention_head=2"))
    expect(page.locator(".stage")).to_have_attribute("aria-label", "Layer 2, Head 2")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator(".stage")).to_have_attribute("aria-label", "Layer 2, Head 2")


def test_pointing_at_a_word_leaves_only_its_lines_with_their_values(page, written_view):
    path, panels = written_view
    page.goto(path.as_uri())
    word = page.locator(".panel").first.locator("[data-side=from]", has_text="открыл").first
    word.hover()
    weights = panels[0].shown.head_weights(1, "1")[panels[0].shown.tokens.index("открыл")]
    best = int(weights.argmax())
    readout = page.locator(".readout").inner_text()
    assert readout.startswith(
        f"открыл → {panels[0].shown.to_side.labels[best]} {weights[best]:.3f}"
    )
    word.click()
    page.mouse.move(5, 5)
    assert page.locator(".readout").inner_text() == readout  # held
    page.keyboard.press("Escape")
    page.locator("svg").first.focus()
    page.keyboard.press("Escape")
    assert page.locator(".readout").inner_text() == ""
    page.keyboard.press("ArrowDown")
    assert page.locator(".readout").inner_text().startswith("[CLS] → ")


def test_a_cell_of_the_matrix_tells_its_weight(page, written_view):
    path, panels = written_view
    page.goto(path.as_uri())
    page.get_by_role("button", name="Matrix").click()
    page.locator("svg").nth(1).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    attention_map = panels[1].shown
    value = attention_map.head_weights(1, "1")[1, 1]
    labels = attention_map.tokens
    assert page.locator(".readout").inner_text() == f"{labels[1]} → {labels[1]}: {value:.4f}"


def test_the_grid_shows_every_head_and_opens_the_one_clicked(page, written_view):
    path, _ = written_view
    page.goto(path.as_uri())
    page.get_by_role("button", name="All heads").click()
    heads = page.locator(".panel").first.locator(".heads button")
    expect(heads).to_have_count(2 * 5)
    heads.nth(5 + 4).click()
    expect(page.locator(".stage")).to_have_attribute("aria-label", "Layer 2, Head rollout")
    expect(page.locator("svg path").first).to_be_attached()


@pytest.mark.slow
def test_each_view_of_two_texts_fits_and_is_saved_as_a_picture(page, written_view, tmp_path):
    path, _ = written_view
    page.goto(path.as_uri())
    for view in ("Lines", "Matrix", "All heads"):
        page.get_by_role("button", name=view).click()
        for around in page.locator(".around").all() if view != "All heads" else ():
            assert around.evaluate("e => e.clientWidth > 300 && e.scrollWidth <= e.clientWidth + 1")
        starts = {}
        for kind in ("SVG", "PNG"):
            with page.expect_download() as download:
                page.get_by_role("button", name=kind).click()
            saved = tmp_path / download.value.suggested_filename
            download.value.save_as(saved)
            starts[kind] = saved.read_bytes()
        assert starts["PNG"].startswith(b"\x89PNG"), view
        assert starts["SVG"].startswith(b"<svg"), view
        assert b"var(--" not in starts["SVG"]  # colours of paper stand in it, not those of a theme
        assert "Он ушёл.".encode() in starts["SVG"]


def test_a_file_keeps_its_nasty_texts_as_texts_asks_nobody_and_runs_no_other_script(
    page, visit, written_view
):
    path, _ = written_view
    opened = visit(path)
    assert NASTY in opened.locator("h1").inner_text()
    for view in ("Matrix", "All heads", "Lines"):
        opened.get_by_role("button", name=view).click()
        opened.evaluate(DRAWN)
    assert opened.locator("img").count() == 0
    page.goto(path.as_uri())
    page.evaluate(
        """() => { const s = document.createElement("script"); s.textContent = "window.bad = 1"; document.body.append(s); }"""
    )
    assert page.evaluate("window.bad") is None


@pytest.mark.slow
def test_the_page_saves_the_view_as_a_file_in_its_language(page, address, tmp_path):
    open_attention(page, address, attention_first=NASTY)
    expect(page.locator(".stage .panel")).to_have_count(1)
    assert page.locator(".stage img").count() == 0
    with page.expect_download() as download:
        page.get_by_role("button", name=SAY("attention.html")).click()
    saved = tmp_path / "view.html"
    download.value.save_as(saved)
    text = saved.read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="attention">(.*?)</script>', text, re.S)[1])
    assert data["panels"][0]["title"] == NASTY
    assert len(data["panels"][0]["weights"]) == 4 * (4 + 2)  # heads, average and rollout


def test_a_word_that_is_clicked_stays_chosen_in_every_picture_and_in_the_row_of_heads(
    page, address
):
    open_attention(page, address)
    word = page.locator(".klyuch-attention [data-side=from][data-index='1']")
    name = word.locator("text").first.text_content()
    word.click()
    expect(page).to_have_url(re.compile("attention_word=1"))
    readout = page.locator(".klyuch-attention .readout")
    for view in ("matrix", "lines"):
        page.get_by_role("button", name=SAY(f"attention_shown.{view}"), exact=True).click()
        expect(page).to_have_url(re.compile(f"attention_view={view}"))
        expect(readout).to_contain_text(f"{name} →")
    page.get_by_role("radio", name=SAY("view.word")).click()
    expect(page.locator(".st-key-attention-word .js-plotly-plot").first).to_be_visible()
    expect(page.get_by_text(f"“{name}”").first).to_be_visible()


def test_a_view_that_is_hidden_at_first_is_drawn_when_shown_below_a_short_caption_of_a_long_text(
    visit, tiny_bert, tmp_path
):
    weights = attention(open_reader(tiny_bert), "Старик открыл дверь.")
    title = "The bank of the river. " * 90
    panels = [Panel(prepare(weights), head_profiles(weights), title, key) for key in ("a", "b")]
    text = standalone(panels, ViewState(1, "1"), heading="h", source=Source())
    path = tmp_path / "view.html"
    path.write_text(text.replace("<html ", "<html hidden "), encoding="utf-8")
    page = visit(path)
    page.evaluate("document.documentElement.hidden = false")
    expect(page.locator(".stage .panel svg").first).to_be_visible()
    caption = page.locator(".stage figcaption").first
    expect(caption).to_be_visible()
    assert caption.bounding_box()["height"] < 60
    assert caption.get_attribute("title").startswith("The bank of the river.")

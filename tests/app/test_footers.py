"""The row under every view: what it is, how it is reproduced and cited, its link with a QR code."""

import io
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
import streamlit as st
import zxingcpp
from PIL import Image

from app.widgets import footer, outputs
from app.wording import wording
from embeddings.shelf import load_vectors
from tests.app.visits import open_page, pasted, value

PAGES = sorted(
    path.parent.name for path in (Path(footer.__file__).parents[1] / "views").glob("*/__init__.py")
)
WITHOUT_CODE = {
    *("learn", "periods", "texts", "whatif"),  # lessons; forms that nobody filled in
    *("senses", "why", "reliability"),  # of Explore, whose small models keep nothing of these
}
PARTS = ("view", "shelf_part", "learn_shown", "inside_half")  # rows that choose what a page shows


def popovers(app, label):
    """Return the popovers of a label."""
    return [each for each in app.get("popover") if each.proto.popover.label == label]


def row_of(app, say):
    """Return how many helps, citations and links the page offers, and the code in its citation."""
    keys = ("common.explain", "common.take_away", "common.link")
    opened = popovers(app, say("common.take_away"))
    codes = [code.value for each in opened for code in each.get("code")]
    counts = [len(popovers(app, say(key))) for key in keys]
    python = [code for code in codes if code.startswith(("import embeddings", "from embeddings"))]
    for code in python:
        lines = [line for line in code.splitlines() if line]
        assert sum(not line.startswith(("import ", "from ")) for line in lines) <= 3, code
    return counts, sum(code.startswith("@misc{klyuch,") for code in codes), len(python)


@pytest.mark.parametrize("name", PAGES)
def test_every_view_offers_its_help_its_code_its_citation_and_its_link_once(every_kind, name):
    say, app = wording("en"), open_page(name, lang="en", text="en", boxes=())
    key = next((key for key in PARTS if key in app.session_state), "")
    names = app.segmented_control(key=key).options if key else [""]
    for number, view in enumerate(names):
        if key:
            chosen = app.segmented_control(key=key)
            app = chosen.set_value(chosen.options[number]).run()
            view = app.session_state[key]
        counts, citations, codes = row_of(app, say)
        assert (counts, citations) == ([1, 1, 1], 1), view
        is_bare = (view in WITHOUT_CODE and name in ("explore", "change")) or name == "learn"
        assert codes == (0 if is_bare else 1), view


def test_the_map_of_a_whole_vocabulary_is_a_table_and_its_code_prints_the_same(
    small_shelf, monkeypatch
):
    tables = {}
    monkeypatch.setattr(outputs, "csv", lambda _say, make, key: tables.update({key: make()}))
    app = open_page(lang="en", view="map", vocabulary_shown=1, vocabulary_space="small-en-glove")
    vectors = load_vectors("small-en-glove")
    rows = tables["vocabulary"]
    assert rows["word"].tolist() == list(vectors.words)
    (first, *_) = [line[-2:] for line in pasted(app)[1] if rows["word"][0] in line]
    assert list(map(float, first)) == pytest.approx(rows.loc[0, ["x", "y"]].tolist(), abs=1e-4)


def test_a_page_that_lacks_its_input_offers_help_citation_and_link_too(small_shelf):
    app = open_page("analogies", lang="de", formula=" ", boxes=())
    assert row_of(app, wording("de")) == ([1, 1, 1], 1, 0)


def test_the_link_that_a_page_offers_opens_it_as_it_is_and_is_in_the_qr_code(
    small_shelf, monkeypatch
):
    place, drawn = "http://klyuch.example/analogies", []
    monkeypatch.setattr(type(st.context), "url", property(lambda _: f"{place}?old=1"))
    monkeypatch.setattr(st, "image", lambda image, **shown: drawn.append((image, shown["alt"])))
    asked = {"lang": "ru", "formula": "king - man + woman", "rule": "mul"}
    app = open_page("analogies", boxes=("link",), **asked)
    link = next(code.value for code in app.code if code.value.startswith("http"))
    assert link.partition("?")[0] == place
    again = open_page("analogies", boxes=(), **dict(parse_qsl(urlsplit(link).query)))
    assert again.text_input(key="formula").value == asked["formula"]
    assert value(again, "rule") == asked["rule"]
    ((image, alt),) = drawn
    assert alt == wording("ru")("common.link_alt")
    assert read(image) == link


def read(image):
    """Return what a scanner reads in a picture."""
    return zxingcpp.read_barcode(Image.open(io.BytesIO(image))).text


@pytest.mark.parametrize("length", [60, 700, footer.MAX_QR_BYTES])
def test_a_qr_code_of_any_length_that_fits_is_read_as_the_link(length):
    link = "https://klyuch.example/contexts?word=%D0%BA%D0%BB%D1%8E%D1%87&lines="
    link += "a1-" * length
    link = link[:length]
    assert read(footer.qr_code(link)) == link


def test_a_link_that_no_qr_code_holds_is_given_without_one(small_shelf, monkeypatch):
    monkeypatch.setattr(type(st.context), "url", property(lambda _: "http://localhost:8501/"))
    words = ", ".join(f"слово{number}" for number in range(150))
    app = open_page("explore", boxes=("link",), lang="de", word=words)
    say, link = wording("de"), next(c.value for c in app.code if c.value.startswith("http"))
    notes = [caption.value for caption in app.caption]
    assert say("common.link_long", length=len(link), most=footer.MAX_QR_BYTES) in notes
    assert say("common.link_local") in notes  # no other device opens it

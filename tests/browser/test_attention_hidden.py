"""The attention view with little room: hidden at first, or under a caption of a whole page."""

import pytest
from playwright.sync_api import expect

from embeddings.attention_view.html_page import standalone
from embeddings.attention_view.payload import Panel, ViewState
from embeddings.probing.attention_maps import head_profiles, prepare
from embeddings.probing.attention_weights import attention
from embeddings.probing.network import open_reader

pytestmark = pytest.mark.browser
SHOW = "document.documentElement.hidden = false"


def write_view(folder, network, title):
    """A file of a short text with ``title``, twice beside itself."""
    weights = attention(open_reader(network), "Старик открыл дверь.")
    panels = [Panel(prepare(weights), head_profiles(weights), title, key) for key in ("a", "b")]
    path = folder / "view.html"
    path.write_text(standalone(panels, ViewState(1, "1"), heading="h", about="a"), encoding="utf-8")
    return path


def test_a_view_that_is_hidden_at_first_is_drawn_when_it_is_shown_without_an_error(
    page, tiny_bert, tmp_path
):
    path = write_view(tmp_path, tiny_bert, "one")
    path.write_text(path.read_text("utf-8").replace("<html ", "<html hidden "), "utf-8")
    errors = []
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    page.evaluate(SHOW)
    expect(page.locator(".stage .panel svg").first).to_be_visible()
    assert errors == []


def test_a_long_text_does_not_push_the_picture_down_by_its_caption(page, tiny_bert, tmp_path):
    page.goto(write_view(tmp_path, tiny_bert, "The bank of the river. " * 90).as_uri())
    caption = page.locator(".stage figcaption").first
    expect(caption).to_be_visible()
    assert caption.bounding_box()["height"] < 60
    assert caption.get_attribute("title").startswith("The bank of the river.")

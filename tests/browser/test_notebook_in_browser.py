"""A notebook that is executed, and its pictures in a real chromium."""

import base64
import json

import jsonschema
import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from embeddings import load
from tests.browser.conftest import ROOT
from tests.saved_page.contract import SCHEMA

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TEXT = "The animal did not cross the street because it was too tired."
SENTENCES = [
    "He turned the key in the lock.",
    "The keys hung by the door.",
    "A song in the key of G.",
    "They sang in the key of C.",
]
CELLS = (
    "import embeddings\nnetwork = embeddings.load('bert-en')",
    f"network.attention({TEXT!r})",
    f"contexts = network.contexts('key', {SENTENCES!r})\ncontexts.map(2)",
    "embeddings.load('en-glove').explore('ice', 5)",
)
VIEW, STATE = (f"application/vnd.jupyter.widget-{name}+json" for name in ("view", "state"))
RENDER = """async ([module, style, state]) => {
  document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
  const { default: widget } = await import(URL.createObjectURL(new Blob([module], { type: "text/javascript" })));
  widget.render({ model: { get: (name) => state[name] }, el: document.getElementById("cell") });
}"""


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """What each cell displays, by the type of the content, and the states of all widgets."""
    home = tmp_path_factory.mktemp("home")
    begin = f"import os, sys\nos.environ['KLYUCH_HOME'] = {str(home)!r}\nsys.path.insert(0, {str(ROOT)!r})"
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(text) for text in (begin, *CELLS)]
    NotebookClient(book, timeout=300, kernel_name="python3").execute()
    states = book.metadata["widgets"][STATE]["state"]
    shown = [cell.outputs[0]["data"] for cell in book.cells if cell.outputs]
    return [(data, states[data[VIEW]["model_id"]]["state"]) for data in shown]


@pytest.fixture
def drawn(chromium, cells):
    """Return a function that draws the picture of a cell; at the end nothing went wrong and nothing was asked for."""
    page, trouble = chromium.new_page(), []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda r: trouble.append(r.url) if not r.url.startswith("blob:") else None)

    def draw(number):
        _, state = cells[number]
        page.set_content("<div id=cell></div>")
        page.evaluate(RENDER, [state["_esm"], state["_css"], state])
        return page, state["data"]

    yield draw
    page.close()
    assert trouble == []


def test_attention_in_a_notebook_draws_the_lines_of_its_head(drawn):
    page, data = drawn(0)
    lines = base64.b64decode(data["panels"][0]["lines"]["{layer}/{head}".format(**data["at"])])
    assert page.locator("#cell .stage path").count() == len(np.frombuffer(lines, "<u2")) > 3
    assert page.locator("#cell svg text", has_text="animal").count() >= 1
    shown = load("bert-en").attention(TEXT).prepare()
    assert (data["at"]["layer"], data["at"]["head"]) == shown.telling_head()
    sent = base64.b64decode(data["panels"][0]["weights"]["1/1"])
    expected = shown.head_weights(1, "1").astype("<f2").ravel()
    np.testing.assert_array_equal(np.frombuffer(sent, "<f2"), expected)


def test_a_map_of_contexts_in_a_notebook_links_its_points_with_the_sentences(drawn):
    page, data = drawn(1)
    places = load("bert-en").contexts("key", SENTENCES).map(2).coordinates
    drawn_places = [point[1:3] for point in data["figure"]["points"]]
    np.testing.assert_allclose(drawn_places, places, atol=1e-4)
    assert page.locator("#cell tbody tr").count() == len(SENTENCES)
    page.locator("#cell circle.point").nth(2).hover(force=True)
    assert SENTENCES[2] in page.locator("#cell tr.marked").inner_text()


def test_neighbours_in_a_notebook_are_those_of_the_model(drawn):
    page, data = drawn(2)
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    near = load("en-glove").neighbours("ice", 200)
    assert page.locator("#cell tbody button").all_text_contents() == [n.word for n in near]
    assert page.locator("#cell circle.point").count() == 201


def test_a_reader_without_widgets_sees_the_numbers(cells):
    for data, _ in cells[:2]:
        assert "<table>" in data["text/html"]
    json.dumps([data for data, _ in cells])

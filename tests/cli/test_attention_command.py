"""``klyuch attention``: a page that loads nothing, a picture, numbers; refusals in a sentence."""

import base64
import hashlib
import html.parser
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from embeddings.probing.attention_maps import prepare
from embeddings.probing.attention_weights import attention
from embeddings.probing.network import open_reader
from tests.attention_view.page_data import data_of

TEXT = "Старик открыл дверь."
NASTY = "</script><img src=x onerror=alert(1)> & <b>дверь</b>"


@pytest.fixture
def attend(run):
    """``klyuch attention`` with arguments that it takes; returns what it printed as JSON."""
    return lambda *arguments: run("attention", *arguments, "--json").json


@pytest.fixture(scope="module")
def reader(tiny_bert):
    return open_reader(tiny_bert)


def halves(text):
    return np.frombuffer(base64.b64decode(text), "<f2").astype(np.float32)


class Elements(html.parser.HTMLParser):
    """Which elements a browser would make."""

    def __init__(self, page):
        super().__init__()
        self.names, self.attributes = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]


def test_words_filters_and_json_from_the_command_line(attend, tiny_bert, tmp_path):
    out = tmp_path / "out.npz"
    options = ("--word-level", "--special", "hidden", "--sentences", "1-1")
    asked = (TEXT, "--second", "Он ушёл.", "--model", tiny_bert, "--output", out)
    said = attend(*asked, *options)
    assert said["tokens"] == ["Старик", "открыл", "дверь", "."]
    assert said["truncated"] == 0
    with np.load(out) as saved:
        assert saved["weights"].shape[2:] == (4, 4)
        assert (saved["weights"][:, :4].sum(-1) < 1).all()


def test_the_page_holds_every_head_and_runs_no_script_but_its_own(
    attend, tiny_bert, reader, tmp_path
):
    out = tmp_path / "out.html"
    attend(TEXT, "--model", tiny_bert, "--output", out, "--layer", 2, "--head", 3)
    page = out.read_text(encoding="utf-8")
    data = data_of(page)
    assert data["at"] == {"layer": 2, "head": "3", "view": "lines", "word": -1, "turn": 0}
    found = prepare(attention(reader, TEXT))
    assert set(data["panels"][0]["weights"]) == {f"{n}/{h}" for n in (1, 2) for h in found.heads}
    for name, text in data["panels"][0]["weights"].items():
        layer, head = name.split("/")
        expected = found.head_weights(int(layer), head)
        np.testing.assert_allclose(halves(text).reshape(expected.shape), expected, atol=5e-4)
    own = re.search(r'<script type="module">(.*?)</script>', page, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize("second", ["", NASTY])
def test_a_sentence_that_looks_like_html_stays_text(attend, tiny_bert, tmp_path, second):
    page = tmp_path / "out.html"
    attend(NASTY, "--second", second, "--model", tiny_bert, "--output", page)
    made = Elements(page.read_text(encoding="utf-8"))
    assert made.names.count("script") == 2
    assert not {"img", "b", "link", "iframe", "base"} & set(made.names)
    assert not [a for a in made.attributes if a[1].startswith("on") or a[1] in {"src", "href"}]
    assert data_of(page.read_text(encoding="utf-8"))["panels"][0]["title"].startswith(NASTY)
    drawn = tmp_path / "out.svg"
    attend(NASTY, "--second", second, "--model", tiny_bert, "--output", drawn, "--word-level")
    root = ET.fromstring(drawn.read_text(encoding="utf-8"))
    tags = {node.tag.split("}")[1] for node in root.iter()}
    assert tags <= {"svg", "rect", "path", "text", "g"}
    assert "alert" in {node.text for node in root.iter()}


def test_a_picture_of_a_text_with_control_characters_is_sound_xml(attend, tiny_bert, tmp_path):
    out = tmp_path / "out.svg"
    attend("Он \x07ушёл.", "--model", tiny_bert, "--output", out)
    assert "ушёл" in "".join(ET.fromstring(out.read_text(encoding="utf-8")).itertext())

"""``klyuch attention``: a page that loads nothing, a picture, numbers; refusals in a sentence."""

import base64
import hashlib
import html.parser
import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import torch

from embeddings.attention_view.drawing import DRAWING, strongest_lines
from embeddings.attention_view.html_page import FOLDER, fitting, script, standalone
from embeddings.attention_view.payload import LABELS, Panel, ViewState, payload, thumbnails
from embeddings.attention_view.svg_picture import picture
from embeddings.probing.attention_maps import prepare
from embeddings.probing.attention_weights import attention
from embeddings.probing.network_with_tokenizer import open_reader

TEXT = "Старик открыл дверь."
NASTY = "</script><img src=x onerror=alert(1)> & <b>дверь</b>"


@pytest.fixture
def attend(run):
    """``klyuch attention`` with arguments that it takes; returns what it printed."""

    def ask(*arguments):
        code, out, err = run("attention", *arguments)
        assert code == 0, err
        return out

    return ask


@pytest.fixture(scope="module")
def reader(tiny_bert):
    return open_reader(tiny_bert)


@pytest.fixture(scope="module")
def panel(reader):
    found = attention(reader, TEXT)
    return Panel(prepare(found), (), TEXT, "a")


def halves(text):
    return np.frombuffer(base64.b64decode(text), "<f2").astype(np.float32)


def data_of(page):
    """The data of a page, as a browser reads it: up to the first </script>."""
    block = re.search(r'<script type="application/json" id="attention">(.*?)</script>', page, re.S)
    return json.loads(block[1])


class Elements(html.parser.HTMLParser):
    """Which elements a browser would make."""

    def __init__(self, page):
        super().__init__()
        self.names, self.attributes = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]


def test_numbers_are_those_of_the_network(attend, tiny_bert, reader, tmp_path):
    out = tmp_path / "out.npz"
    printed = attend(TEXT, "--second", "Он ушёл.", "--model", tiny_bert, "--output", out)
    tokens = reader.wordpiece.encode(TEXT, "Он ушёл.")
    ids, kinds = (torch.tensor([v]) for v in (tokens.ids, tokens.segments))
    with torch.inference_mode():
        expected = torch.cat(reader.network.encoder(ids, kinds, need_weights=True).attentions)
    with np.load(out) as saved:  # nothing pickled
        assert saved["heads"].tolist() == ["1", "2", "3", "average", "rollout"]
        np.testing.assert_allclose(saved["weights"][:, :3], expected.numpy(), atol=1e-6)
        assert saved["from_tokens"].tolist() == saved["to_tokens"].tolist() == [*tokens.tokens]
        assert saved["from_segments"].tolist() == [*tokens.segments]
    assert f"{len(tokens.ids)} tokens" in printed


def test_words_filters_and_json_from_the_command_line(attend, tiny_bert, tmp_path):
    out = tmp_path / "out.npz"
    options = ("--word-level", "--special", "renormalised", "--sentences", "1-1", "--json")
    asked = (TEXT, "--second", "Он ушёл.", "--model", tiny_bert, "--output", out)
    said = json.loads(attend(*asked, *options))
    assert said["tokens"] == ["Старик", "открыл", "дверь", "."]
    assert said["truncated"] == 0
    with np.load(out) as saved:
        np.testing.assert_allclose(saved["weights"][:, :4].sum(-1), 1, atol=1e-5)


def test_the_page_holds_every_head_and_runs_no_script_but_its_own(
    attend, tiny_bert, reader, tmp_path
):
    out = tmp_path / "out.html"
    attend(TEXT, "--model", tiny_bert, "--output", out, "--layer", 2, "--head", 3)
    page = out.read_text(encoding="utf-8")
    data = data_of(page)
    assert data["at"] == {"layer": 2, "head": "3", "view": "lines", "turn": 0}
    found = prepare(attention(reader, TEXT), level="token")
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


def test_the_view_sets_no_html_and_asks_nobody():
    code = script("component") + script("standalone")
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert forbidden not in code
    addresses = set(re.findall(r"https?://[^\"'` ]+", code))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert "</script" not in code


def test_a_picture_of_a_text_with_control_characters_is_sound_xml(attend, tiny_bert, tmp_path):
    out = tmp_path / "out.svg"
    attend("Он \x07ушёл.", "--model", tiny_bert, "--output", out)
    assert "ушёл" in "".join(ET.fromstring(out.read_text(encoding="utf-8")).itertext())


@pytest.mark.parametrize("view", ["lines", "matrix", "grid"])
def test_the_picture_has_a_mark_for_each_weight_that_can_be_seen(panel, view):
    drawn = ET.fromstring(picture([panel], ViewState(1, "2", view)))
    name = "{http://www.w3.org/2000/svg}"
    weights = panel.shown.head_weights(1, "2")
    weights = weights / max(weights.max(), 4 / weights.shape[1])
    if view == "lines":
        assert len(drawn.findall(f".//{name}path")) == (weights >= 0.02).sum()
    else:
        shaded = [r for r in drawn.iter(f"{name}rect") if r.get("fill-opacity")]
        small = thumbnails(panel.shown.weights) / 255
        expected = (weights >= 0.004) if view == "matrix" else (small >= 0.004)
        assert len(shaded) == expected.sum()
    texts = {node.text for node in drawn.iter(f"{name}text")}
    assert ({"Старик", "открыл"} <= texts) == (view != "grid")


def test_the_browser_is_told_the_lines_that_the_picture_draws(panel):
    sent = payload([panel], ViewState(1, "2"), [(1, "2")])["panels"][0]["lines"]["1/2"]
    cells = np.frombuffer(base64.b64decode(sent), "<u2")
    weights = panel.shown.head_weights(1, "2").ravel()
    assert (np.diff(weights[cells]) >= 0).all()  # the strongest lie on top
    drawn = ET.fromstring(picture([panel], ViewState(1, "2")))
    paths = drawn.findall(".//{http://www.w3.org/2000/svg}path")
    top = max(weights.max(), 4 / len(panel.shown.tokens))
    expected = [0.02 + 0.98 * (weight / top) ** 1.4 for weight in weights[cells]]
    opacities = [float(path.get("stroke-opacity")) for path in paths]
    np.testing.assert_allclose(opacities, expected, atol=0.004)


def test_no_more_lines_are_drawn_than_can_be_told_apart():
    weights = np.random.default_rng(0).random((300, 300))
    cells = strongest_lines(weights, 1.0)
    assert len(cells) == DRAWING.most_lines
    assert set(cells) == set(np.argsort(weights.ravel())[-DRAWING.most_lines :])
    assert len(strongest_lines(np.full((300, 300), 1 / 300), 4 / 300)) == DRAWING.most_lines
    assert len(strongest_lines(np.zeros((3, 0)), 1.0)) == 0


def test_a_colour_is_written_once(panel):
    page = standalone([panel], ViewState(1, "1"), heading="h")
    for colour in (*DRAWING.segments, DRAWING.frame, DRAWING.muted):
        assert not any(colour in path.read_text("utf-8") for path in FOLDER.glob("*.[jc]s*"))
        assert colour in page


def test_texts_beside_each_other_are_drawn_on_one_scale(reader, panel):
    other = Panel(prepare(attention(reader, "Он ушёл.")), (), "Он ушёл.", "b")
    drawn = ET.fromstring(picture([panel, other], ViewState(1, "1", "matrix")))
    strengths = [float(r.get("fill-opacity")) for r in drawn.iter() if r.get("fill-opacity")]
    tops = [p.shown.head_weights(1, "1").max() for p in (panel, other)]
    end = max(*tops, 4 / len(panel.shown.tokens), 4 / len(other.shown.tokens))
    for top in tops:
        assert pytest.approx(top / end, abs=1e-3) in strengths
    assert max(strengths) == pytest.approx(max(tops) / end, abs=1e-3)


def test_one_head_travels_at_a_time_and_thumbnails_stay_small(panel):
    sent = payload([panel], ViewState(2, "1"), [(2, "1")])
    assert list(sent["panels"][0]["weights"]) == ["2/1"]
    large = np.random.default_rng(0).random((3, 4, 500, 70)).astype(np.float32)
    large[0] = 1 / 70  # heads that spread evenly stay pale
    small = thumbnails(large)
    assert small.shape == (3, 4, 32, 32)
    edges = [range(i * 500 // 32, (i + 1) * 500 // 32) for i in range(32)]
    sides = [range(i * 70 // 32, (i + 1) * 70 // 32) for i in range(32)]
    means = np.array([[large[1, 2][np.ix_(r, c)].mean() for c in sides] for r in edges])
    np.testing.assert_allclose(small[1, 2], 255 * means / means.max(), atol=0.51)
    assert small.max((-1, -2)).tolist() == [[64] * 4, [255] * 4, [255] * 4]


def test_what_does_not_fit_stays_behind(panel):
    size = 2 * len(panel.shown.from_side) ** 2
    at, every = ViewState(2, "3"), [(n, head) for n in (1, 2) for head in panel.shown.heads]
    assert fitting([panel], at, size * 10) == every
    assert fitting([panel], at, size * 6) == [(2, head) for head in panel.shown.heads]
    assert fitting([panel, panel], at, size * 6) == [(2, "3")]
    data = data_of(standalone([panel], at, heading="h"))
    assert len(data["panels"][0]["weights"]) == len(every)
    assert data["labels"] == LABELS


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--output", "out.pdf"), "ends in .html"),
        (("--output", "out.svg", "--head", "9"), "Choose one of: 1, 2, 3, average, rollout"),
        (("--output", "out.svg", "--layer", "3"), "between 1 and 2"),
        (("--output", "out.svg", "--view", "waves"), "lines, matrix, grid"),
        (("--output", "out.svg", "--special", "away"), "shown, hidden, renormalised"),
        (("--output", "out.svg", "--sentences", "3"), "1-1, 1-2"),
        (("--output", "out.npz", "--sentences", "2-2"), "by --second"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    run, tiny_bert, tmp_path, monkeypatch, options, sentence
):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("attention", TEXT, "--model", tiny_bert, *options)
    assert (code, out) == (2, "")
    assert sentence in err
    assert list(tmp_path.iterdir()) == []


def test_an_empty_sentence_is_refused(run, tiny_bert, tmp_path):
    asked = ("--model", tiny_bert, "--output", tmp_path / "out.svg")
    code, out, err = run("attention", " ", *asked)
    assert (code, out) == (2, "")
    assert "nothing to look at" in err


def test_rollout_by_name_and_by_flag_is_the_same_picture(attend, tiny_bert, tmp_path):
    for name, options in (("a", ("--rollout",)), ("b", ("--head", "rollout"))):
        attend(TEXT, "--model", tiny_bert, "--output", tmp_path / f"{name}.svg", *options)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_wheel_carries_the_view():
    import tomllib
    from fnmatch import fnmatch
    from pathlib import Path

    import embeddings.attention_view as view

    root = Path(__file__).resolve().parents[2]
    told = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = told["tool"]["setuptools"]["package-data"]["embeddings"]
    folder = Path(view.__file__).parent
    for path in [*folder.glob("*.js"), *folder.glob("*.css")]:
        name = str(path.relative_to(root / "embeddings"))
        assert any(fnmatch(name, pattern) for pattern in patterns), name

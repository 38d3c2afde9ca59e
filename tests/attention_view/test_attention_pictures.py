"""The attention view: its picture, its page and what a browser is sent, drawn from one description."""

import base64
import tomllib
import xml.etree.ElementTree as ET
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest

from embeddings.attention_view.drawing import DRAWING, strongest_lines
from embeddings.attention_view.html_page import ATTENTION_VIEW_FOLDER, fitting, standalone
from embeddings.attention_view.payload import LABELS, Panel, ViewState, payload, thumbnails
from embeddings.attention_view.svg_picture import picture
from embeddings.probing.attention_maps import prepare
from embeddings.probing.attention_weights import attention
from embeddings.probing.network import open_reader
from embeddings.saved_page.answer import Source
from tests.attention_view.page_data import data_of

TEXT = "Старик открыл дверь."


@pytest.fixture(scope="module")
def reader(tiny_bert):
    return open_reader(tiny_bert)


@pytest.fixture(scope="module")
def panel(reader):
    weights = attention(reader, TEXT)
    return Panel(prepare(weights), (), TEXT, "a")


@pytest.mark.parametrize("view", ["lines", "matrix", "grid"])
def test_the_picture_has_a_mark_for_each_weight_that_can_be_seen(panel, view):
    drawn = ET.fromstring(picture(panel, ViewState(1, "2", view)))
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


def test_the_browser_is_told_the_lines_that_can_be_seen_weak_ones_first(panel):
    sent = payload([panel], ViewState(1, "2"), [(1, "2")])["panels"][0]["lines"]["1/2"]
    cells = np.frombuffer(base64.b64decode(sent), "<u2")
    weights = panel.shown.head_weights(1, "2").ravel()
    assert (np.diff(weights[cells]) >= 0).all()  # the strongest lie on top
    top = max(weights.max(), 4 / len(panel.shown.tokens))
    assert sorted(cells) == np.flatnonzero(weights >= 0.02 * top).tolist()
    drawn = ET.fromstring(picture(panel, ViewState(1, "2")))
    paths = drawn.findall(".//{http://www.w3.org/2000/svg}path")
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
    page = standalone([panel], ViewState(1, "1"), heading="h", source=Source())
    for colour in (*DRAWING.segments, DRAWING.frame, DRAWING.muted):
        assert not any(
            colour in path.read_text("utf-8") for path in ATTENTION_VIEW_FOLDER.glob("*.[jc]s*")
        )
        assert colour in page


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
    data = data_of(standalone([panel], at, heading="h", source=Source()))
    assert len(data["panels"][0]["weights"]) == len(every)
    assert data["labels"] == LABELS


def test_a_wheel_carries_the_view():
    root = Path(__file__).resolve().parents[2]
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["embeddings"]
    for path in [*ATTENTION_VIEW_FOLDER.glob("*.js"), *ATTENTION_VIEW_FOLDER.glob("*.css")]:
        name = str(path.relative_to(root / "embeddings"))
        assert any(fnmatch(name, pattern) for pattern in patterns), name

"""Plain figures against Plotly's own: what is sent, panels, shapes, changes."""

import json

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest
from plotly.subplots import make_subplots

from app.figures.palette import GREY, ink
from app.figures.plain_figure import MIN_VALUES_AS_BYTES, Figure, make_trace, panels
from tests.app.plotly_figures import as_plotly

VALUES = np.array([[0.5, np.nan, -1.5], [2.0, 3.0, 1e-3]])


def sent(figure):
    """The figure as it goes to the browser, the template apart."""
    spec = json.loads(plotly.io.to_json(figure, validate=False))
    spec["layout"].pop("template", None)
    return spec


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_arrays_of_many_numbers_are_sent_as_plotly_sends_them(kind):
    values = np.resize(VALUES, (MIN_VALUES_AS_BYTES // 3 + 1, 3)).astype(kind)
    plain = Figure(make_trace("heatmap", z=values, zmin=np.float64(-1)))
    assert sent(plain.to_dict())["data"] == sent(go.Figure(go.Heatmap(z=values, zmin=-1)))["data"]


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        (VALUES, [[0.5, None, -1.5], [2.0, 3.0, 0.001]]),
        (VALUES[0], [0.5, None, -1.5]),
        (VALUES[:0], []),
        (np.arange(3), [0, 1, 2]),
        (np.array(["a", "b"]), ["a", "b"]),
    ],
)
def test_arrays_of_few_numbers_are_sent_as_lists(values, listed):
    plain = Figure(make_trace("heatmap", z=values))
    assert sent(plain.to_dict())["data"][0]["z"] == listed


def test_numbers_of_32_bits_are_sent_with_as_many_digits_as_they_have():
    values = np.array([0.1, 1e-30, 16777216, -2 / 3], np.float32)
    numbers = Figure(make_trace("scatter", y=values)).to_dict()["data"][0]["y"]
    assert json.dumps(numbers[0]) == "0.1"
    assert np.array_equal(np.array(numbers, np.float32), values)


def drawn(figure, scatter, cells):
    """The same steps in either form."""
    cells(figure, scatter(y=[1, 2]), 1, 1)
    cells(figure, scatter(y=[2, 1], error_y=None), 2, 2)
    figure.update_xaxes(title="steps", gridcolor=GREY)
    figure.update_yaxes(range=[0, 3], col=2)
    figure.update_yaxes(title="low", row=2, col=1)
    figure.update_annotations(font={"size": 14}, yshift=6)
    figure.update_layout(legend={"x": 1}, title="whole")
    figure.update_layout(legend={"y": 0}, title={"font": {"size": 9}})
    figure.update_xaxes(range=None)
    return sent(figure.to_dict())


def test_panels_are_those_of_plotly():
    options = {"shared_yaxes": True, "horizontal_spacing": 0.06}
    titles = ["one", "", "three", "four"]
    theirs = make_subplots(2, 2, subplot_titles=titles, **options)
    expected = drawn(theirs, go.Scatter, lambda f, t, row, col: f.add_trace(t, row, col))
    ours = drawn(
        panels(2, 2, titles, **options),
        lambda **properties: make_trace("scatter", **properties),
        lambda f, t, row, col: f.add_trace(t, row, col),
    )
    for trace in expected["data"]:  # what Plotly's JavaScript takes for granted
        if trace["xaxis"] == "x":
            del trace["xaxis"], trace["yaxis"]
    assert ours == expected


def test_titles_of_panels_are_those_of_the_figure_that_asked():
    first, second = panels(1, 2, ["a", "b"]), panels(1, 2, ["c", "d"])
    first.update_annotations(font={"size": 20})
    assert [note["text"] for note in first.layout["annotations"]] == ["a", "b"]
    assert [note["text"] for note in second.layout["annotations"]] == ["c", "d"]
    assert second.layout["annotations"][0]["font"]["size"] == 16  # Plotly's own


def test_lines_and_bands_are_those_of_plotly():
    ours, theirs = Figure(), go.Figure(go.Scatter(x=[0], y=[0]))
    for figure in (ours, theirs):
        figure.add_vline(x=1, line={"color": GREY, "width": 1})
        figure.add_hline(y=2, line={"color": GREY})
    ours.add_vrect(x0=0, x1=3, fillcolor=GREY, line={"width": 0}, layer="below")
    theirs.add_vrect(x0=0, x1=3, fillcolor=GREY, line_width=0, layer="below")
    assert sent(ours.to_dict())["layout"]["shapes"] == sent(theirs)["layout"]["shapes"]


def test_ink_leaves_the_figure_that_it_is_given_as_it_was():
    figure = Figure(make_trace("heatmap", z=VALUES, texttemplate="%{z}")).lay_out(100)
    figure.add_annotation(x=0, y=0, text="a", font={"color": "#cccccc"})
    before = sent(figure.to_dict())
    light, dark = ink(figure, dark=False), ink(figure, dark=True)
    assert sent(figure.to_dict()) == before
    assert light.data[0]["textfont"]["color"] != dark.data[0]["textfont"]["color"]


def test_plotly_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="markr"):
        as_plotly(Figure(make_trace("scatter", markr={"size": 1})))

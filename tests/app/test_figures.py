"""Figures, asserted on their data."""

import numpy as np
import pytest

from app.figures.context_figures import (
    ContextMarks,
    MatrixOrder,
    context_map_figure,
    hover_text,
    layer_maps_figure,
    separation_figure,
    similarity_figure,
)
from app.figures.label_placement import place_labels
from app.figures.model_comparison import category_scores_figure
from app.figures.network_arrays import CellStyle, cells_figure
from app.figures.palette import (
    GREY,
    METHODS,
    OTHERS,
    PAPER,
    QUERY,
    ink,
    method_colour,
)
from app.figures.word_map import PointMarks, map_figure, parallelogram_figure
from app.figures.word_similarities import (
    axis_figure,
    ratios_figure,
)
from embeddings.analysis.context_answers import ContextMap, Separation
from embeddings.analysis.projection import by_group, context_maps
from embeddings.analysis.score_answers import AnalogyScore, SectionScore
from embeddings.analysis.vector_answers import AxisPosition, Projection, Ratio, Ratios, Term
from embeddings.errors import InputError
from tests.app.plotly_figures import checked

ink, axis_figure, category_scores_figure = map(checked, (ink, axis_figure, category_scores_figure))
map_figure, ratios_figure = map(checked, (map_figure, ratios_figure))
parallelogram_figure, similarity_figure = map(checked, (parallelogram_figure, similarity_figure))
context_map_figure, layer_maps_figure = map(checked, (context_map_figure, layer_maps_figure))
separation_figure = checked(separation_figure)


def projection(dimensions=2):
    coordinates = np.arange(4 * dimensions, dtype=float).reshape(4, dimensions) ** 1.5
    return Projection(("a", "b", "c", "d"), coordinates, "pca", (0.6, 0.2, 0.1)[:dimensions])


@pytest.mark.parametrize(("dimensions", "kind"), [(2, "scatter"), (3, "scatter3d")])
def test_a_map_has_a_trace_a_group_at_the_words_places(dimensions, kind):
    placed = projection(dimensions)
    marks = PointMarks(["g", "h", "g", "h"], {"g": "#111111", "h": "#222222"})
    figure = map_figure(placed, marks, ["x", "y", "z"])
    assert [trace.name for trace in figure.data] == ["g", "h"]
    assert {trace.type for trace in figure.data} == {kind}
    first = figure.data[0]
    assert np.allclose(np.c_[first.x, first.y], placed.coordinates[[0, 2], :2])
    assert [row[0] for row in first.customdata] == ["a", "c"]


def test_a_map_by_frequency_carries_the_numbers():
    marks = PointMarks([""] * 4, {}, (1.0, 2.0, 3.0, 4.0), "count")
    figure = map_figure(projection(), marks)
    assert list(figure.data[0].marker.color) == [1.0, 2.0, 3.0, 4.0]
    assert figure.layout.coloraxis.colorbar.title.text == "count"


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_label_shows_an_apostrophe_and_no_markup(dimensions):
    words = ("music's", "<b>", "c", "d")
    placed = Projection(words, projection(dimensions).coordinates, "pca")
    trace = map_figure(placed, PointMarks(["g"] * 4, {"g": "#111111"})).data[0]
    assert list(trace.text) == ["music's", "&lt;b&gt;", "c", "d"]


@pytest.mark.parametrize("dimensions", [2, 3])
def test_of_many_words_a_spread_is_labelled_the_strong_ones_first(dimensions):
    coordinates = np.random.default_rng(1).random((400, dimensions))
    words = tuple(f"w{i}" for i in range(400))
    marks = PointMarks(["g"] * 400, {"g": "#111111"}, strong={"w399"})
    trace = map_figure(Projection(words, coordinates, "pca"), marks).data[0]
    labelled = [row for row, label in enumerate(trace.text) if label]
    assert trace.text[399] == "<b>w399</b>"
    assert 20 <= len(labelled) <= 120
    apart = np.abs(coordinates[labelled][:, None] - coordinates[labelled][None])
    apart[np.arange(len(labelled)), np.arange(len(labelled))] = 1
    assert apart.max(axis=2).min() > 0.02


def test_up_to_a_hundred_and_twenty_words_all_have_their_label():
    coordinates = np.random.default_rng(1).random((120, 2))
    words = tuple(f"w{i}" for i in range(120))
    trace = map_figure(
        Projection(words, coordinates, "pca"), PointMarks(["g"] * 120, {"g": "#111111"})
    )
    assert list(trace.data[0].text) == list(words)


def test_labels_of_two_near_points_do_not_cover_each_other():
    close_points = np.array([[0.0, 0.0], [0.01, 0.0], [1.0, 1.0]])
    positions = place_labels(close_points, ["first", "second", "far"])
    assert positions[0] != positions[1]


def test_the_axis_is_sorted_by_mean_position_and_has_a_trace_a_model():
    positions = {
        "one": (AxisPosition("up", 0.5), AxisPosition("down", -0.5)),
        "two": (AxisPosition("up", 0.3), AxisPosition("down", 0.1)),
    }
    figure = axis_figure(positions, {"one": "#111111", "two": "#222222"}, ("low", "high"))
    assert list(figure.layout.yaxis.ticktext) == ["up", "down"]  # from the top
    assert [list(trace.x) for trace in figure.data] == [[0.5, -0.5], [0.3, 0.1]]
    assert [list(trace.y) for trace in figure.data] == [[0, 1], [0, 1]]


def test_a_parallelogram_has_its_two_arrows():
    words = ("king", "man", "woman", "queen", "king - man + woman")
    coordinates = np.array([[2.0, 1.0], [0.0, 1.0], [0.0, 0.0], [2.1, 0.1], [2.0, 0.0]])
    terms = (Term("king"), Term("man", -1.0), Term("woman"))
    figure = parallelogram_figure(Projection(words, coordinates, "pca"), terms)
    arrows = [(a.ax, a.ay, a.x, a.y) for a in figure.layout.annotations]
    assert arrows == [(0.0, 1.0, 2.0, 1.0), (0.0, 0.0, 2.0, 0.0)]
    assert np.allclose(np.c_[figure.data[0].x, figure.data[0].y], coordinates)


def test_a_formula_of_another_shape_has_no_arrows():
    words, coordinates = ("a", "b", "c", "a + b"), np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    figure = parallelogram_figure(Projection(words, coordinates, "pca"), (Term("a"), Term("b")))
    assert not figure.layout.annotations


def test_ratios_are_drawn_on_a_log_axis_with_arrows_at_its_edges_for_the_infinite():
    rows = (
        Ratio("solid", 8e-3, 1e-3, 8.0, 4.0),
        Ratio("never", 1e-3, 0.0, float("inf"), 2.0),
        Ratio("neither", 0.0, 0.0, float("nan"), 1.0),
        Ratio("only", 0.0, 1e-3, 0.0, 0.5),
    )
    ratios = Ratios("ice", "steam", rows)
    figure = ratios_figure(ratios, names=("c", "v", "s"), title="t", source={"solid": 8.9})
    by_name = {trace.name: trace for trace in figure.data}
    assert figure.layout.xaxis.type == "log"
    assert list(by_name["c"].x) == [8.0]
    assert list(by_name["v"].x) == [4.0, 2.0, 1.0, 0.5]
    edges = figure.data[-1]
    assert list(edges.marker.symbol) == ["triangle-right", "triangle-left"]
    assert [round(y) for y in edges.y] == [1, 3]
    assert list(by_name["s"].x) == [8.9]
    texts = [note.text for note in figure.layout.annotations]
    assert texts == ["<b>← steam</b>", "<b>ice →</b>"]
    without = ratios_figure(ratios, names=("c", "v", "s"), title="t")
    assert [trace.name for trace in without.data if trace.name] == ["c", "v"]


def test_scores_leave_out_what_is_not_covered():
    sections = (SectionScore("x", 1, 2, 4), SectionScore("y", 3, 3, 3), SectionScore("z", 0, 0, 9))
    score = AnalogyScore(0.8, 5, 16, sections)
    hover = "{correct} {covered} {total}"
    figure = category_scores_figure({"m": score}, {"m": "#111111"}, {"x": "X"}, hover)
    assert list(figure.data[0].x) == [0.5, 1.0]
    assert list(figure.layout.yaxis.ticktext) == ["y", "X"]
    assert figure.data[0].text[0] == "1 2 4"


def test_no_method_has_the_colour_of_another_or_of_words():
    assert len({method_colour(m) for m in ("skipgram", "cbow", "glove", "other")}) == 4
    assert not set(OTHERS) & {*METHODS.values(), QUERY, GREY}


SEEN = {  # linear RGB as it reaches an eye: Machado et al. (2009), severity 1
    "with all cones": np.eye(3),
    "without red ones": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "without green ones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "without blue ones": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def lab(colour, eye):
    """CIE L*a*b* of a colour as an eye sees it."""
    levels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    linear_seen = np.clip(np.array(eye) @ linear, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.maximum(to_xyz @ linear_seen / [0.9505, 1, 1.089], 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eye", SEEN.values(), ids=SEEN)
def test_the_word_asked_for_is_told_from_every_method(eye):
    others = [*(method_colour(m) for m in ("skipgram", "cbow", "glove", "bert")), GREY]
    assert min(np.linalg.norm(lab(QUERY, eye) - lab(other, eye)) for other in others) > 15


def test_ink_is_dark_on_light_and_light_on_dark():
    figure = cells_figure(np.ones((1, 1)), ["a"], ["a"], CellStyle())
    assert ink(figure, dark=False).layout.font.color == "#22201c" == PAPER["ink"]  # what is saved
    assert ink(figure, dark=True).layout.font.color == "#ecebe6"


# Figures of the page Contexts: points, rings, star, matrix order, curves; and the maps behind them


GROUPS = ("door", "water", "door", "clef")


COLOURS = {"door": "#0072B2", "water": "#D55E00", "clef": "#009E73"}


MARKS = ContextMarks(GROUPS, COLOURS, ("a", "b", "c", "d"), (False, False, False, True))


PLACES = ContextMap(np.array([[1.0, 0.0], [-1.0, 0.5], [1.0, 1.0], [-1.0, -1.5]]), (0.6, 0.3))


def states(seed=0, contexts=6, layers=3, size=12):
    return np.random.default_rng(seed).normal(size=(contexts, layers, size)).astype(np.float32)


def test_the_map_has_a_trace_a_group_and_one_star_at_the_mean():
    figure = context_map_figure(PLACES, MARKS, "static <one>", ("first", "second"))
    *groups, star = figure.data
    assert [trace.name for trace in groups] == ["door", "water", "clef"]
    assert [list(trace.customdata) for trace in groups] == [[0, 2], [1], [3]]
    assert list(groups[0].x) == [1.0, 1.0]
    assert list(groups[0].text) == ["1", "3"]
    assert (star.x[0], star.y[0], star.marker.symbol) == (0, 0, "star")
    assert star.name == "static &lt;one&gt;"
    assert figure.layout.xaxis.title.text == "first"
    assert [trace.marker.color[0] for trace in groups] == list(COLOURS.values())
    symbols = [list(trace.marker.symbol) for trace in groups]
    assert symbols == [["circle", "circle"], ["circle"], ["circle-open"]]  # the hollow one


def test_many_points_carry_no_numbers():
    many = 81
    layer_map = ContextMap(np.zeros((many, 2)), (1.0, 0.0))
    marks = ContextMarks(["a"] * many, {"a": "#0072B2"}, [""] * many, [False] * many)
    assert context_map_figure(layer_map, marks, "star").data[0].mode == "markers"


def test_all_layers_share_one_scale():
    wide = ContextMap(3 * PLACES.coordinates, (0.6, 0.3))
    maps = [PLACES, wide, PLACES, PLACES, PLACES, PLACES, PLACES]
    figure = layer_maps_figure(maps, MARKS, [f"layer {n}\n0.{n}" for n in range(7)], "star")
    ranges = {axis.range for axis in figure.select_xaxes() if axis.range}
    assert len(ranges) == 1
    low, high = ranges.pop()
    assert low < -3
    assert high > 3
    assert [a.text for a in figure.layout.annotations] == [f"layer {n}<br>0.{n}" for n in range(7)]
    assert len(figure.data) == 7 * 2  # points and star
    assert list(figure.data[0].marker.color) == [COLOURS[group] for group in GROUPS]
    assert figure.layout.height == 470  # two rows


def test_an_axis_of_next_to_no_variance_is_not_stretched_to_a_spread():
    flat = ContextMap(PLACES.coordinates * [1.0, 0.001], (1.0, 0.0))
    figure = context_map_figure(flat, MARKS, "star")
    across, up = (
        high - low for low, high in (figure.layout.xaxis.range, figure.layout.yaxis.range)
    )
    assert up == pytest.approx(across / 2)


def test_a_hover_shows_the_sentence_in_lines_with_the_word_bold_and_nothing_as_markup():
    page_text = hover_text("<i>Old</i> key " + "word " * 30, [(11, 14)], ["door & lock", ""])
    assert page_text.startswith("&lt;i&gt;Old&lt;/i&gt; <b>key</b> word")
    assert page_text.endswith("<br><i>door &amp; lock</i>")
    assert max(len(line) for line in page_text.split("<br>")) < 90


def test_the_matrix_is_ordered_by_group_and_white_at_the_baseline():
    cosines = np.array([[1.0, 0.2, 0.8], [0.2, 1.0, 0.3], [0.8, 0.3, 1.0]])
    figure = similarity_figure(cosines, 0.4, MatrixOrder([0, 2, 1], [2, 1]), ["one", "two", "<3>"])
    heat = figure.data[0]
    assert np.allclose(heat.z[0][1:], [0.8, 0.2])
    assert np.isnan(heat.z[1][1])
    assert (heat.zmin + heat.zmax) / 2 == pytest.approx(0.4)
    assert heat.zmax - 0.4 == pytest.approx(0.4)  # |0.8 - 0.4|
    assert list(figure.layout.xaxis.ticktext) == ["1", "3", "2"]
    assert [(s.x0, s.x1) for s in figure.layout.shapes] == [(-0.5, 1.5), (1.5, 2.5)]
    assert "&lt;3&gt;" in heat.customdata[0][1]


NAMES = {"silhouette": "s", "within": "in", "between": "out", "random": "random", "layer": "layer"}


def separation():
    layers = np.arange(3)
    return Separation(
        0.5 + 0.1 * layers, 0.4 + 0.1 * layers, 0.3 + 0.1 * layers,
        0.2 + 0.1 * layers, 0.1 + 0.1 * layers, 0.0 * layers,
        np.array([np.nan, 0.2, 0.3]), 2,
    )  # fmt: skip


def test_curves_are_those_of_the_layers_and_a_small_change_of_separation_looks_small():
    figure = separation_figure(separation(), NAMES)
    assert [trace.name for trace in figure.data] == ["s", "in", "out", "random"]
    assert list(figure.data[0].y) == [None, 0.2, 0.3]
    assert [trace.y[0] for trace in figure.data[1:]] == pytest.approx([0.5, 0.4, 0.3])
    assert figure.layout.yaxis.range == pytest.approx((0.15, 0.35))  # 0.2 and 0.3 in the middle
    assert figure.layout.yaxis2.range is None


@pytest.mark.parametrize("kept", [None, [0, 1, 3, 4]])
def test_a_layers_map_is_the_pca_of_the_kept_contexts_in_units_of_their_mean_length(kept):
    vectors = states()
    for layer, layer_map in enumerate(context_maps(vectors, kept)):
        rows = vectors[:, layer].astype(np.float64)
        fitted = rows if kept is None else rows[kept]
        unit = np.linalg.norm(fitted, axis=1).mean()
        mean = fitted.mean(axis=0)
        _, values, axes = np.linalg.svd((fitted - mean) / unit)
        expected = (rows - mean) / unit @ axes[:2].T
        assert np.allclose(np.abs(layer_map.coordinates), np.abs(expected), atol=1e-5)
        share = values**2 / (values**2).sum()
        assert layer_map.explained_variance_ratio == pytest.approx(tuple(share[:2]), abs=1e-5)


def test_two_contexts_are_too_few_to_fit_a_map_on():
    vectors = states()
    all_rows, few = context_maps(vectors), context_maps(vectors, [0, 1])
    assert np.array_equal(all_rows[0].coordinates, few[0].coordinates)


def test_maps_do_not_flip_between_layers():
    vectors = states(contexts=8, layers=1)
    turned = np.concatenate([vectors, -vectors, vectors], axis=1)
    first, second, third = context_maps(turned)
    assert np.allclose(first.coordinates, second.coordinates, atol=1e-5)
    assert np.allclose(first.coordinates, third.coordinates, atol=1e-5)


def test_equal_contexts_fall_on_one_point():
    vectors = np.ones((4, 2, 5), np.float32)
    for layer_map in context_maps(vectors):
        assert np.allclose(layer_map.coordinates, 0)
        assert layer_map.explained_variance_ratio == (0.0, 0.0)


@pytest.mark.parametrize("contexts", [0, 1, 2])
def test_too_few_contexts_make_no_map(contexts):
    with pytest.raises(
        InputError, match=f"^{contexts} (context is|contexts are) too few for a map"
    ):
        context_maps(states(contexts=contexts))


def test_rows_are_ordered_by_group_the_largest_first_and_the_most_typical_before():
    cosines = np.array(
        [[1.0, 0.0, 0.1, 0.2], [0.0, 1.0, 0.9, 0.5], [0.1, 0.9, 1.0, 0.1], [0.2, 0.5, 0.1, 1.0]]
    )
    assert by_group(cosines, ["a", "b", "b", "b"]) == [1, 2, 3, 0]

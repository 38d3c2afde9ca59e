"""Figures of the page Contexts: points, rings, star, matrix order, curves; and the maps behind them."""

import numpy as np
import pytest

from app.figures.context_figures import (
    ContextMarks,
    MatrixOrder,
    SeparationNames,
    context_map_figure,
    hover_text,
    layer_maps_figure,
    separation_figure,
    similarity_figure,
)
from embeddings.analysis.projection import by_group, context_maps
from embeddings.errors import InputError
from embeddings.results.sentence_answers import ContextMap, Separation
from tests.app.plotly_figures import checked

context_map_figure = checked(context_map_figure)
layer_maps_figure = checked(layer_maps_figure)
separation_figure = checked(separation_figure)
similarity_figure = checked(similarity_figure)

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


def test_unattested_contexts_are_rings():
    *groups, _ = context_map_figure(PLACES, MARKS, "star").data
    symbols = [list(trace.marker.symbol) for trace in groups]
    assert symbols == [["circle", "circle"], ["circle"], ["circle-open"]]


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


def separation():
    layers = np.arange(3)
    return Separation(
        0.5 + 0.1 * layers, 0.4 + 0.1 * layers, 0.3 + 0.1 * layers,
        0.2 + 0.1 * layers, 0.1 + 0.1 * layers, 0.0 * layers,
        np.array([np.nan, 0.2, 0.3]), np.full(3, np.nan), 2,
    )  # fmt: skip


@pytest.mark.parametrize(("centred", "first"), [(False, [0.5, 0.4, 0.3]), (True, [0.2, 0.1, 0.0])])
def test_curves_are_those_of_the_kind_of_cosine(centred, first):
    figure = separation_figure(
        separation(), SeparationNames("s", "in", "out", "random", "layer"), centred
    )
    assert [trace.name for trace in figure.data] == ["s", "in", "out", "random"]
    assert list(figure.data[0].y) == [None, 0.2, 0.3]
    assert [trace.y[0] for trace in figure.data[1:]] == pytest.approx(first)


def test_a_small_change_of_separation_looks_small():
    figure = separation_figure(
        separation(), SeparationNames("s", "in", "out", "random", "layer"), False
    )
    assert figure.layout.yaxis.range == pytest.approx((0.15, 0.35))  # 0.2 and 0.3 in the middle
    assert figure.layout.yaxis2.range is None


def test_each_layer_s_map_is_its_pca_in_units_of_the_mean_length():
    vectors = states()
    for layer, layer_map in enumerate(context_maps(vectors)):
        rows = vectors[:, layer].astype(np.float64)
        rows = rows / np.linalg.norm(rows, axis=1).mean()
        centred = rows - rows.mean(axis=0)
        left, values, _ = np.linalg.svd(centred, full_matrices=False)
        expected = (left * values)[:, :2]
        assert np.allclose(np.abs(layer_map.coordinates), np.abs(expected), atol=1e-5)
        share = values**2 / (values**2).sum()
        assert layer_map.explained_variance_ratio == pytest.approx(tuple(share[:2]), abs=1e-5)
        assert np.allclose(layer_map.coordinates.mean(axis=0), 0, atol=1e-6)


def test_contexts_left_out_are_laid_into_the_map_of_the_others():
    vectors = states()
    rows_kept = [0, 1, 3, 4]
    for layer, layer_map in enumerate(context_maps(vectors, rows_kept)):
        rows = vectors[:, layer].astype(np.float64)
        rows = rows / np.linalg.norm(rows[rows_kept], axis=1).mean()
        axes = np.linalg.svd(rows[rows_kept] - rows[rows_kept].mean(axis=0))[2][:2]
        expected = (rows - rows[rows_kept].mean(axis=0)) @ axes.T
        assert np.allclose(np.abs(layer_map.coordinates), np.abs(expected), atol=1e-5)


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

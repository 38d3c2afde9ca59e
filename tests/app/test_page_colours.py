"""Colour means one thing a page: on Inside by a table of meanings, on Lab by series."""

import numpy as np
import pytest

from app.figures.experiment_drawings import COLOURS, lab_figure, series_looks
from app.figures.network_arrays import (
    MEANINGS,
    CellStyle,
    cells_figure,
    network_costs_figure,
    position_waves_figure,
    wave_curves_figure,
    word_swap_figure,
)
from app.figures.palette import BOTH_WAYS, GREY
from embeddings.analysis.network_costs import bert_and_albert
from embeddings.lab import NAMES, read_experiment
from tests.app.plotly_figures import checked

cells_figure, network_costs_figure, position_waves_figure = map(
    checked, (cells_figure, network_costs_figure, position_waves_figure)
)
wave_curves_figure, word_swap_figure, lab_figure = map(
    checked, (wave_curves_figure, word_swap_figure, lab_figure)
)


def opaque(colour):
    """rgba(...) without its opacity, as #RRGGBB."""
    numbers = colour.removeprefix("rgba(").removesuffix(")").split(",")[:3]
    return "#" + "".join(f"{int(number):02X}" for number in numbers)


def test_each_colour_of_inside_has_one_meaning():
    assert len(set(MEANINGS.values())) == len(MEANINGS)


def test_figures_of_inside_draw_with_the_colour_of_what_they_show():
    assert [opaque(BOTH_WAYS[0][1]), opaque(BOTH_WAYS[-1][1])] == [
        MEANINGS["below zero"],
        MEANINGS["above zero"],
    ]
    table = np.arange(8.0).reshape(2, 4)
    heads = cells_figure(table, "ab", "cdef", CellStyle(every=2))
    waves = position_waves_figure(table, ("position", "column"), 2)
    frames = [*heads.layout.shapes, *waves.layout.shapes]
    assert {shape.line.color for shape in frames} == {MEANINGS["frame"]}
    curves = wave_curves_figure(table[:, :2], ("sine", "cosine"), "position")
    assert {trace.line.color for trace in curves.data} == {MEANINGS["wave"]}
    assert len({trace.line.dash for trace in curves.data}) == 2
    both = [("with", np.ones(2)), ("without", np.ones(2))]
    swap = word_swap_figure(["a", "b"], both, "cosine")
    assert {trace.marker.color for trace in swap.data} == {MEANINGS["cosine"]}
    assert len({trace.marker.symbol for trace in swap.data}) == 2


@pytest.mark.parametrize("kind", ["parameters", "operations"])
def test_a_part_of_a_network_has_its_colour_in_both_figures_of_costs(kind):
    networks = bert_and_albert(768, 12, embedding_size=128, sequence_length=128)
    costs = {network.name: getattr(network, kind) for network in networks}
    drawn = network_costs_figure(costs, {part: part for part in costs["BERT"]})
    assert {trace.name: trace.marker.color for trace in drawn.data} == {
        part: MEANINGS[part] for part in costs["BERT"]
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_series_of_the_lab_looks_the_same_in_every_figure_and_no_two_look_alike(name):
    drawings = read_experiment(name).drawings
    looks = series_looks(drawings)
    drawn = {}
    for drawing in drawings:
        figure = lab_figure(drawing, str, ("x", "y"), looks=looks)
        for series, trace in zip(drawing.series, figure.data, strict=True):
            drawn.setdefault(series.name, set()).add(trace.marker.color)
    assert drawn == {name: {look.colour} for name, look in looks.items()}
    assert len({(look.colour, look.dash) for look in looks.values()}) == len(looks)
    shown = {series.name for drawing in drawings for series in drawing.series if series.main}
    assert len({looks[series].colour for series in shown}) == min(len(shown), len(COLOURS))
    assert GREY not in COLOURS  # that of chance: error bars, and lines that are compared with

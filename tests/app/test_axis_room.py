"""Room for labels of axes, held against the widths of letters and against what a figure asks for."""

import pytest

from app.figures.axis_room import reserve
from app.figures.palette import lay_out, name_rows
from app.figures.plain_figure import Figure, make_trace, panels

LEAST, MOST = 0.45, 0.62  # width of a letter as a share of its size, on average over a long word
NAMES = ["go", "counterproductive", "Bedeutung"]


def rows_of(names, height=200):
    figure = lay_out(
        Figure(make_trace("scatter", x=[0.1] * len(names), y=list(range(len(names))))), height
    )
    name_rows(figure, names)
    return figure


def margins(figure):
    reserve(figure)
    return figure.layout["margin"]


def test_the_longest_name_of_a_row_has_room_on_the_left():
    room = margins(rows_of(NAMES))["l"]
    assert LEAST * 14 * 17 + 8 <= room <= MOST * 14 * 17 + 16  # 17 letters of 14 pixels


def test_wide_letters_take_more_room_than_narrow_ones():
    rooms = [margins(rows_of([name]))["l"] for name in ("little", "neuron", "mammmw")]
    assert rooms == sorted(set(rooms))


def test_lines_and_signs_of_html_count_as_what_is_read():
    assert margins(rows_of(["a&amp;b<br>cd"]))["l"] == margins(rows_of(["axb"]))["l"]


def test_an_axis_without_labels_and_title_has_no_room():
    figure = rows_of(["go"])
    figure.update_xaxes(visible=False)
    figure.update_yaxes(showticklabels=False)
    assert margins(figure) | {"t": 0} == {"l": 8, "r": 8, "t": 0, "b": 8}


def test_a_title_needs_more_room_than_none():
    plain, titled = rows_of(NAMES), rows_of(NAMES)
    titled.update_xaxes(title="cosine")
    titled.update_yaxes(title={"text": "word"})
    before, after = margins(plain), margins(titled)
    assert after["b"] - before["b"] == 30
    assert after["l"] > before["l"]


def test_a_legend_above_has_room_where_it_stands():
    figure = rows_of(NAMES, height=600)
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    figure.update_layout(showlegend=True, legend=legend)
    assert margins(figure)["t"] == 38 + 12  # two hundredths of 600 pixels above the figure


def test_more_room_than_is_needed_stays():
    figure = rows_of(["go"])
    figure.update_layout(margin={"l": 200, "b": 150, "t": 120, "r": 90})
    assert margins(figure) == {"l": 200, "b": 150, "t": 120, "r": 90}


@pytest.mark.parametrize(
    "figure", [panels(1, 2), Figure(make_trace("scatter3d", x=[0], y=[0], z=[0]))]
)
def test_panels_and_three_dimensions_are_left_as_they_are(figure):
    if figure.data:
        figure.update_layout(scene={})
    before = dict(figure.layout.get("margin", {}))
    reserve(figure)
    assert figure.layout.get("margin", {}) == before

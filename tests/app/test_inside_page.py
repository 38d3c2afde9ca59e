"""The page Inside, headless, on a tiny BERT; its figures, asserted on their data."""

from types import SimpleNamespace

import numpy as np
import pytest

from app.figures.network_arrays import (
    CellStyle,
    cells_figure,
    network_costs_figure,
    position_waves_figure,
    wave_curves_figure,
    word_swap_figure,
)
from app.loaders import shelf_models
from app.loaders.shelf_models import ask
from app.views.inside.array_cells import COLUMNS_SHOWN
from app.views.inside.encoder_steps import ENCODER_STEPS, guess_rows
from app.widgets.outputs import plain
from app.wording import wording
from embeddings import shelf
from embeddings.verbs import NetworkVerbs
from tests.app.plotly_figures import checked
from tests.app.visits import LANGUAGES, open_page, page_text, pasted

cells_figure, network_costs_figure = checked(cells_figure), checked(network_costs_figure)
position_waves_figure = checked(position_waves_figure)
wave_curves_figure, word_swap_figure = checked(wave_curves_figure), checked(word_swap_figure)

TEXT = "The old man opened the door."


def number(cell):
    """A number as English writes it, with a true minus."""
    return float(cell.replace("−", "-"))


def open_step(step, language="en", **address):
    return open_page("inside", lang=language, inside_step=step, **address)


@pytest.mark.parametrize("language", LANGUAGES)
def test_inside_speaks_each_language_and_shows_tokens_on_first_load(networks, language):
    app = open_page("inside", lang=language)
    say = wording(language)
    assert [title.value for title in app.title] == [say("inside.title")]
    example = say("inside.example")
    assert app.text_input(key="inside_text").value == example
    tokens = shelf_models.reader(networks[0]).wordpiece.encode(example)
    table = app.dataframe[0].value
    assert tuple(table.iloc[:, 2]) == tokens.tokens
    assert tuple(table.iloc[:, 3]) == tokens.ids
    assert not app.info


def test_steps_lead_from_one_to_the_next_and_each_is_explained_and_drawn(networks):
    app, say = open_step("tokens", "ru"), wording("ru")
    assert "inside-back" not in [button.key for button in app.button]
    for number, step in enumerate(ENCODER_STEPS, 1):
        assert app.header[0].value == f"{number}. {say(f'inside.{step}_title')}"
        assert say(f"inside.{step}_lead") in page_text(app)
        assert app.get("plotly_chart") or step in ("tokens", "back")
        assert not app.info
        if step == "forward":  # every column of the network can be reached
            columns = shelf_models.reader(networks[0]).config.intermediate_size
            assert app.slider(key="inside_from").max == columns - COLUMNS_SHOWN + 1
        if number < len(ENCODER_STEPS):
            app.button(key="inside-next").click().run()
    assert "inside-next" not in [button.key for button in app.button]
    app.button(key="inside-back").click().run()
    assert app.header[0].value.startswith(f"{number - 1}. ")


def test_the_row_in_full_is_that_of_the_head_and_the_code_prints_it(networks):
    app = open_step("scores", inside_text=TEXT, inside_layer=2, inside_head=3, inside_token=2)
    walk = ask(NetworkVerbs.walk, networks[0], TEXT, 2, 3)
    table, head = app.table[0].value, walk.at_head
    shown = [number(cell) for cell in table.iloc[:-1, 3]]
    np.testing.assert_allclose(shown, head.weights[2], atol=6e-4)
    assert number(table.iloc[-1, 3]) == pytest.approx(1, abs=2e-3)
    assert number(table.iloc[0, 0]) == pytest.approx(float(head.scores[2, 0]), abs=6e-4)
    lines, _ = pasted(app, networks[0])
    assert lines.startswith(f"{walk.tokens} {walk.ids}")
    assert str(head.weights.round(2)) in lines
    assert str([[guess.token for guess in position] for position in walk.guesses[-1]]) in lines


def test_a_hidden_token_is_guessed(networks):
    app = open_step("back", inside_text=TEXT, inside_token=3)
    walk = ask(NetworkVerbs.walk, networks[0], TEXT, 1, 1, masked=3)
    assert list(app.table[0].value.index) == [plain(guess.token) for guess in walk.guesses[-1][3]]
    assert "[MASK]" in page_text(app).replace("\\", "")


def test_costs_follow_the_sizes(networks):
    app = open_step("costs", inside_hidden=768, inside_layers=12)
    assert [metric.value for metric in app.metric[:2]] == ["109,081,344", "11,683,584"]
    app.slider(key="inside_layers").set_value(24).run()
    assert app.metric[1].value == "11,683,584"
    assert app.metric[0].value != "109,081,344"


def test_a_long_sentence_keeps_its_numbers_for_pointing(networks):
    app = open_step("scores", inside_text="The old man opened the door with a key and left.")
    tokens = len(ask(NetworkVerbs.walk, networks[0], app.text_input[0].value, 1, 1).tokens)
    assert wording("en")("inside.long", tokens=tokens, most=12) in page_text(app)


def test_bad_input_is_a_sentence(networks):
    app = open_step("order", "ru")
    for text, sentence in (
        (" ", "Введите предложение."),
        ("man " * 99, "64"),
        ("man", "хотя бы два слова"),
    ):
        app.text_input(key="inside_text").set_value(text).run()
        assert sentence in app.info[0].value


def test_an_albert_is_walked_too(tiny_albert, small_shelf, monkeypatch):
    entry = shelf.Entry("tiny-albert", "network", "albert", "en", tiny_albert)
    monkeypatch.setattr(shelf_models, "networks", lambda: (entry,))
    assert wording("en")("inside.widened", narrow=16, wide=24) in page_text(open_step("sum"))


def test_cells_stand_in_order_though_labels_repeat():
    values = np.array([[0.5, -2.0], [1.0, 0.0]])
    figure = cells_figure(values, ["the", "the"], ["1", "<b>"], CellStyle("t"))
    trace = figure.data[0]
    np.testing.assert_array_equal(trace.z, values)
    assert (trace.zmin, trace.zmax) == (-2, 2)
    assert list(figure.layout.yaxis.ticktext) == ["the", "the"]
    assert list(figure.layout.xaxis.ticktext) == ["1", "&lt;b&gt;"]
    assert trace.texttemplate == "%{text}"
    assert [*map(list, trace.text)] == [["0.50", "−2.00"], ["1.00", "0.00"]]
    german = cells_figure(values, "ab", "cd", CellStyle(digits=1), ",.")
    assert list(german.data[0].text[0]) == ["0,5", "−2,0"]
    plain = cells_figure(values, "ab", "cd", CellStyle(share=True, numbers=False, every=1))
    assert plain.data[0].texttemplate is None
    assert (plain.data[0].zmin, plain.data[0].zmax) == (0, 1)
    assert [shape.x0 for shape in plain.layout.shapes] == [0.5]


def test_what_a_mask_hides_is_minus_infinity_and_does_not_spoil_the_shades():
    values = np.array([[0.5, -np.inf], [1.0, -2.0]])
    figure = cells_figure(values, "ab", "cd", CellStyle())
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-2, 2)
    assert np.isnan(figure.data[0].z[0][1])
    assert [(note.x, note.y, note.text) for note in figure.layout.annotations] == [(1, 0, "−∞")]


def test_waves_mark_the_pair_of_columns_and_curves_are_its_columns():
    table = np.arange(12.0).reshape(3, 4)
    figure = position_waves_figure(table, ("position", "column"), 2)
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (1.5, 3.5)
    curves = wave_curves_figure(table[:, 2:], ("sine", "cosine"), "position")
    assert [list(trace.y) for trace in curves.data] == [[2, 6, 10], [3, 7, 11]]


def test_a_swap_has_a_dot_a_token_and_series():
    series = [("with", np.array([0.5, 1.0])), ("without", np.array([1.0, 1.0]))]
    figure = word_swap_figure(["a", "b"], series, "cosine")
    assert [list(trace.x) for trace in figure.data] == [[0.5, 1.0], [1.0, 1.0]]
    assert figure.layout.xaxis.range[0] < 0.5


@pytest.mark.parametrize(("scale", "unit"), [(1e6, "10⁶"), (1e9, "10⁹")])
def test_costs_are_stacked_by_part(scale, unit):
    costs = {
        "BERT": {"tokens": int(2 * scale), "pooler": int(scale)},
        "ALBERT": {"tokens": int(scale), "pooler": 0},
    }
    figure = network_costs_figure(costs, {"tokens": "X", "pooler": "Y"})
    assert [(trace.name, list(trace.x)) for trace in figure.data] == [("X", [2, 1]), ("Y", [1, 0])]
    assert unit in figure.layout.xaxis.ticksuffix


def test_the_file_of_guesses_by_layer_has_exact_probabilities():
    first, last = ("a", 2 / 3), ("b", 1 / 7)
    guesses = ((first, last), (last,)), ((last,), (first,))  # by layer and token
    walk = SimpleNamespace(
        tokens=("x", "x"),
        guesses=tuple(
            tuple(tuple(SimpleNamespace(token=t, probability=p) for t, p in at) for at in layer)
            for layer in guesses
        ),
    )
    assert guess_rows(wording("en"), walk).to_numpy().tolist() == [
        [0, "x", 0, 1, "a", 2 / 3],
        [0, "x", 0, 2, "b", 1 / 7],
        [1, "x", 0, 1, "b", 1 / 7],
        [0, "x", 1, 1, "b", 1 / 7],
        [1, "x", 1, 1, "a", 2 / 3],
    ]

"""The page Inside, headless, on a tiny BERT and tiny translators; its figures, asserted on their data."""

import numpy as np
import pytest

from app import shelf_models
from app.figures.network_arrays import (
    MEANINGS,
    CellStyle,
    cells_figure,
    network_costs_figure,
    position_waves_figure,
    wave_curves_figure,
    word_swap_figure,
)
from app.figures.palette import BOTH_WAYS
from app.shelf_models import ask
from app.views.inside.array_cells import COLUMNS_SHOWN
from app.views.inside.decoder_steps import DECODER_STEPS
from app.views.inside.encoder_steps import ENCODER_STEPS, guess_rows
from app.widgets.outputs import plain
from app.wording import first_texts, wording
from embeddings import shelf
from embeddings.analysis.network_costs import bert_and_albert
from embeddings.probing.decoder_walk import walk_decoder
from embeddings.shelf.loading import load_translator
from embeddings.verbs import NetworkVerbs
from tests.app.plotly_figures import checked
from tests.app.visits import LANGUAGES, open_page, page_text, pasted

cells_figure, network_costs_figure = checked(cells_figure), checked(network_costs_figure)
position_waves_figure = checked(position_waves_figure)
wave_curves_figure, word_swap_figure = checked(wave_curves_figure), checked(word_swap_figure)

TEXT = "The old man opened the door."
DECODED = first_texts("en", "decoded")[0]


def number(cell):
    """A number as English writes it, with a true minus."""
    return float(cell.replace("−", "-").replace("∞", "inf").replace(",", ""))


def open_step(step, **address):
    return open_page("inside", lang="en", inside_step=step, **address)


def open_decoder(step, **address):
    return open_page("inside", lang="en", inside_half="decoder", decoder_step=step, **address)


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


@pytest.mark.parametrize(
    ("half", "name", "steps", "without_figure"),
    [
        ("encoder", "inside", ENCODER_STEPS, ("tokens", "back")),
        ("decoder", "decoder", DECODER_STEPS, ("shift",)),
    ],
)
def test_steps_lead_from_one_to_the_next_and_each_is_explained_and_drawn(
    networks, translators, half, name, steps, without_figure
):
    address = {
        "inside_half": half,
        f"{name}_step": next(iter(steps)),
        "decoder_model": "small-fused",
    }
    app, say = open_page("inside", lang="ru", **address), wording("ru")
    assert f"{name}-back" not in [button.key for button in app.button]
    for number, step in enumerate(steps, 1):
        assert app.header[0].value == f"{number}. {say(f'{name}.{step}_title')}"
        assert say(f"{name}.{step}_lead") in page_text(app)
        assert app.get("plotly_chart") or step in without_figure
        assert not app.info
        if step == "forward":  # every column of the network can be reached
            columns = shelf_models.reader(networks[0]).config.intermediate_size
            assert app.slider(key="inside_from").max == columns - COLUMNS_SHOWN + 1
        if number < len(steps):
            app.button(key=f"{name}-next").click().run()
    assert f"{name}-next" not in [button.key for button in app.button]
    app.button(key=f"{name}-back").click().run()
    assert app.header[0].value.startswith(f"{number - 1}. ")


@pytest.mark.parametrize(
    ("half", "field", "refused"),
    [
        ("encoder", "inside_text", {"man " * 99: "64", "man": "хотя бы два слова"}),
        ("decoder", "decoder_text", {"dog " * 70: "60"}),
    ],
)
def test_bad_input_is_a_sentence(networks, translators, half, field, refused):
    address = {"inside_half": half, "inside_step": "order", "decoder_step": "mask"}
    app = open_page("inside", lang="ru", **address)
    for text, sentence in {" ": "Введите предложение.", **refused}.items():
        app.text_input(key=field).set_value(text).run()
        assert sentence in app.info[0].value


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


def test_the_file_of_guesses_by_layer_has_exact_probabilities(networks):
    walk = ask(NetworkVerbs.walk, networks[0], TEXT, 1, 1)
    assert guess_rows(wording("en"), walk).to_numpy().tolist() == [
        [position, walk.tokens[position], layer, rank, guess.token, guess.probability]
        for layer, tokens in enumerate(walk.guesses)
        for position, guesses in enumerate(tokens)
        for rank, guess in enumerate(guesses, 1)
    ]


# Colour means one thing on the page


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
    costs = {name: network[kind] for name, network in networks.items()}
    drawn = network_costs_figure(costs, {part: part for part in costs["BERT"]})
    assert {trace.name: trace.marker.color for trace in drawn.data} == {
        part: MEANINGS[part] for part in costs["BERT"]
    }


# The half of the decoder


@pytest.fixture
def walks(translators):
    """What the library itself returns for the example."""
    loaded = {name: load_translator(entry.path) for name, entry in translators.items()}
    return lambda name, *where: walk_decoder(loaded[name], DECODED, *where)


def test_the_shift_shows_the_target_behind_its_start_sign(walks):
    table = open_decoder("shift").dataframe[0].value
    walk = walks("small-plain")
    assert tuple(table.iloc[:, 1]) == walk.input_tokens
    assert tuple(table.iloc[:, 3]) == walk.output_tokens
    assert list(table.iloc[1:, 1]) == list(table.iloc[:-1, 3])
    assert tuple(table.iloc[:, 4]) == walk.output_ids


@pytest.mark.parametrize("name", ["small-plain", "small-fused"])
def test_attentions_have_their_sizes_rows_those_of_the_head_and_the_code_prints_them(walks, name):
    app = open_decoder(
        "three", decoder_model=name, decoder_layer=2, decoder_head=2, decoder_token=1,
        decoder_stage="masked",
    )  # fmt: skip
    walk = walks(name, 2, 2)
    source, target = len(walk.source_tokens), len(walk.input_tokens)
    sizes = [f"{source} × {source}", f"{target} × {target}", f"{target} × {source}"]
    if name == "small-fused":
        sizes.append(f"{target} × {len(walk.bert_tokens)}")
    assert list(app.table[0].value.iloc[:, 3]) == sizes
    assert len(app.get("plotly_chart")) == len(sizes)
    app.button(key="decoder-next").click().run()
    table, attention = app.table[0].value, walk.self_attention
    for column, part in enumerate(("scores", "scaled", "masked", "powers", "weights")):
        cells = [number(cell) for cell in table.iloc[:-1, column]]
        np.testing.assert_allclose(cells, getattr(attention, part)[1], atol=6e-4)
    assert list(table.iloc[2:-1, 2]) == ["−∞"] * (target - 2)  # later tokens have nothing
    assert number(table.iloc[-1, 4]) == pytest.approx(1, abs=2e-3)
    app.button(key="decoder-next").click().run()
    table = app.table[0].value  # of the look at the source
    assert tuple(table.index[:-1]) == tuple(map(plain, walk.source_tokens))
    cells = [number(cell) for cell in table.iloc[:-1, 4]]
    np.testing.assert_allclose(cells, walk.cross.weights[1], atol=6e-4)
    lines, _ = pasted(app)
    assert lines.startswith(f"{walk.input_tokens} {walk.output_tokens}")
    assert str(walk.cross.weights.round(2)) in lines
    assert name in app.code[-1].value

"""Inside, the decoder's half, headless, on tiny translators: one plain, one with a BERT fused in."""

import numpy as np
import pytest

from app.loaders import shelf_models
from app.views.inside.decoder_steps import DECODER_STEPS
from app.widgets.outputs import plain
from app.wording import first_texts, wording
from embeddings.probing.decoder_walk import walk_decoder
from embeddings.shelf.loading import load_translator
from tests.app.test_translate_page import home, translators  # noqa: F401 - fixtures
from tests.app.visits import open_page, page_text, pasted

TEXT = first_texts("en", "decoded")[0]


def open_step(step, language="en", **address):
    return open_page("inside", lang=language, inside_half="decoder", decoder_step=step, **address)


def number(cell):
    """A number as English writes it."""
    return float(cell.replace("−", "-").replace("∞", "inf").replace(",", ""))


@pytest.fixture
def walks(translators):  # noqa: F811
    """What the library itself returns for the example."""
    loaded = {name: load_translator(entry.path) for name, entry in translators.items()}
    return lambda name, *where: walk_decoder(loaded[name], TEXT, *where)


def test_steps_lead_from_one_to_the_next_and_each_is_explained_and_drawn(translators):  # noqa: F811
    app, say = open_step("shift", "de", decoder_model="small-fused"), wording("de")
    assert "decoder-back" not in [button.key for button in app.button]
    for step_number, step in enumerate(DECODER_STEPS, 1):
        assert app.header[0].value == f"{step_number}. {say(f'decoder.{step}_title')}"
        assert say(f"decoder.{step}_lead") in page_text(app)
        assert app.get("plotly_chart") or step == "shift"
        assert not app.info
        if step_number < len(DECODER_STEPS):
            app.button(key="decoder-next").click().run()
    assert "decoder-next" not in [button.key for button in app.button]
    app.button(key="decoder-back").click().run()
    assert app.header[0].value.startswith(f"{step_number - 1}. ")


def test_the_shift_shows_the_target_behind_its_start_sign(walks):
    table = open_step("shift").dataframe[0].value
    walk = walks("small-plain")
    assert tuple(table.iloc[:, 1]) == walk.input_tokens
    assert tuple(table.iloc[:, 3]) == walk.output_tokens
    assert list(table.iloc[1:, 1]) == list(table.iloc[:-1, 3])
    assert tuple(table.iloc[:, 4]) == walk.output_ids


@pytest.mark.parametrize("name", ["small-plain", "small-fused"])
def test_attentions_have_their_sizes_rows_those_of_the_head_and_the_code_prints_them(walks, name):
    app = open_step(
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


def test_the_next_word_has_its_score_power_and_share(walks):
    app = open_step("next", decoder_token=1)
    table, walk = app.table[0].value, walks("small-plain")
    candidates = walk.following[1]
    assert tuple(table.index[:-1]) == tuple(plain(candidate.token) for candidate in candidates)
    for column, part in enumerate(("score", "power", "probability")):
        cells = [number(cell) for cell in table.iloc[:-1, column]]
        np.testing.assert_allclose(
            cells, [getattr(candidate, part) for candidate in candidates], atol=6e-5
        )
    assert number(table.iloc[-1, 1]) == pytest.approx(walk.sums[1], abs=1e-4)


def test_bad_input_is_a_sentence(translators):  # noqa: F811
    app = open_step("mask", "ru", decoder_text=" ")
    assert "Введите предложение" in app.info[0].value
    app.text_input(key="decoder_text").set_value("dog " * 70).run()
    assert "60" in app.info[0].value


def test_without_a_translator_the_page_says_which_command_makes_one(small_shelf, monkeypatch):
    monkeypatch.setattr(shelf_models, "translators", lambda: ())
    app = open_step("mask", "ru")
    assert app.info[0].value == wording("ru")("translate.none")
    assert "klyuch translation train" in app.code[0].value

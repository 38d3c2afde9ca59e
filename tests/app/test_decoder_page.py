"""Inside, the decoder's half, headless, on tiny translators: one plain, one with a BERT fused in."""

import numpy as np
import pytest

from app.loaders import shelf_models
from app.views.inside.decoder_steps import DECODER_STEPS
from app.views.inside.decoder_tokens import EXAMPLES
from app.wording import wording
from embeddings.probing.decoder_walk import walk_decoder
from embeddings.shelf.loading import load_translator
from tests.app.test_snippets import printed
from tests.app.test_translate_page import home, translators  # noqa: F401 - fixtures
from tests.app.visits import opened, said

LANGUAGES = ("en", "ru", "de")
TEXT = EXAMPLES["en"]


def at(step, language="en", **address):
    return opened("inside", lang=language, inside_half="decoder", decoder_step=step, **address)


def number(cell):
    """A number as English writes it."""
    return float(cell.replace("−", "-").replace("∞", "inf").replace(",", ""))


@pytest.fixture
def walks(translators):  # noqa: F811
    """What the library itself returns for the example."""
    found = {name: load_translator(entry.path) for name, entry in translators.items()}
    return lambda name, *where: walk_decoder(found[name], TEXT, *where)


@pytest.mark.parametrize(("step", "language"), [*zip(DECODER_STEPS, LANGUAGES * 3, strict=False)])
def test_every_step_is_explained_and_drawn(translators, language, step):  # noqa: F811
    app = at(step, language, decoder_model="small-fused")
    say = wording(language)
    place = list(DECODER_STEPS).index(step) + 1
    assert app.header[0].value == f"{place}. {say(f'decoder.{step}_title')}"
    assert say(f"decoder.{step}_lead") in said(app)
    assert app.get("plotly_chart") or step == "shift"
    assert not app.info


def test_the_shift_shows_the_target_behind_its_start_sign(walks):
    table = at("shift").dataframe[0].value
    found = walks("small-plain")
    assert tuple(table.iloc[:, 1]) == found.read
    assert tuple(table.iloc[:, 3]) == found.said
    assert list(table.iloc[1:, 1]) == list(table.iloc[:-1, 3])
    assert tuple(table.iloc[:, 4]) == found.said_ids


@pytest.mark.parametrize("name", ["small-plain", "small-fused"])
def test_the_attentions_are_listed_with_their_sizes(walks, name):
    app = at("three", decoder_model=name, decoder_layer=2, decoder_head=2)
    table, found = app.table[0].value, walks(name, 2, 2)
    source, target = len(found.source_tokens), len(found.read)
    sizes = [f"{source} × {source}", f"{target} × {target}", f"{target} × {source}"]
    if name == "small-fused":
        sizes.append(f"{target} × {len(found.bert_tokens)}")
    assert list(table.iloc[:, 3]) == sizes
    assert len(app.get("plotly_chart")) == len(sizes)


def test_a_row_in_full_is_that_of_the_head_and_later_tokens_have_nothing(walks):
    app = at("mask", decoder_layer=3, decoder_head=2, decoder_token=1, decoder_stage="masked")
    table, own = app.table[0].value, walks("small-plain", 3, 2).own
    for column, part in enumerate(("scores", "scaled", "masked", "powers", "weights")):
        shown = [number(cell) for cell in table.iloc[:-1, column]]
        np.testing.assert_allclose(shown, getattr(own, part)[1], atol=6e-4)
    assert list(table.iloc[2:-1, 2]) == ["−∞"] * (len(own.weights) - 2)
    assert number(table.iloc[-1, 4]) == pytest.approx(1, abs=2e-3)


def test_the_look_at_the_source_is_that_of_the_head(walks):
    app = at("cross", decoder_layer=2, decoder_head=1, decoder_token=0)
    table, found = app.table[0].value, walks("small-plain", 2, 1)
    assert tuple(table.index[:-1]) == found.source_tokens
    shown = [number(cell) for cell in table.iloc[:-1, 4]]
    np.testing.assert_allclose(shown, found.cross.weights[0], atol=6e-4)


def test_the_next_word_has_its_score_power_and_share(walks):
    app = at("next", decoder_token=1)
    table, found = app.table[0].value, walks("small-plain")
    told = found.following[1]
    assert tuple(table.index[:-1]) == tuple(one.token for one in told)
    for column, part in enumerate(("score", "power", "probability")):
        shown = [number(cell) for cell in table.iloc[:-1, column]]
        np.testing.assert_allclose(shown, [getattr(one, part) for one in told], atol=6e-5)
    assert number(table.iloc[-1, 1]) == pytest.approx(found.sums[1], abs=1e-4)
    assert tuple(app.dataframe[0].value.iloc[:, 2]) == found.said


def test_buttons_lead_from_step_to_step(translators):  # noqa: F811
    app = at("mask")
    app.button(key="decoder-next").click().run()
    assert app.header[0].value.startswith("5. ")
    app.button(key="decoder-back").click().run()
    assert app.header[0].value.startswith("4. ")
    assert not any(button.key == "decoder-back" for button in at("shift").button)
    assert not any(button.key == "decoder-next" for button in at("next").button)


@pytest.mark.parametrize("name", ["small-plain", "small-fused"])
def test_the_code_runs_and_prints_what_is_shown(walks, capsys, name):
    app = at("cross", decoder_model=name, decoder_layer=2, decoder_head=2)
    code = next(one.value for one in app.code if one.value.startswith("from embeddings"))
    lines = printed(code, capsys)
    found = walks(name, 2, 2)
    assert lines.startswith(f"{found.read} {found.said}")
    assert str(found.cross.weights.round(2)) in lines
    assert name in app.code[-1].value


@pytest.mark.parametrize(
    ("address", "sentence"),
    [({"decoder_text": " "}, "Введите предложение"), ({"decoder_text": "dog " * 70}, "60")],
)
def test_bad_input_is_a_sentence(translators, address, sentence):  # noqa: F811
    assert sentence in at("mask", "ru", **address).info[0].value


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_translator_the_page_says_which_command_makes_one(
    small_shelf, monkeypatch, language
):
    monkeypatch.setattr(shelf_models, "translators", lambda: ())
    app = at("mask", language)
    assert app.info[0].value == wording(language)("translate.none")
    assert "klyuch translation train" in app.code[0].value

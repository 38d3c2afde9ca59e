"""The page Attention, headless, on a tiny BERT."""

import base64
import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from app.components.attention_component import view_labels
from app.loaders import shelf_models
from app.wording import wording
from embeddings import shelf
from embeddings.attention_view.payload import LABELS
from embeddings.shelf.locations import sentence_pairs
from tests.app import visits
from tests.app.visits import LANGUAGES, page_text

open_page = partial(visits.open_page, "attention")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_each_language_and_looks_at_an_example_on_first_load(
    networks, payload_calls, language
):
    app = open_page(lang=language, text=language)
    say = wording(language)
    assert app.title[0].value == say("attention.title")
    example = next(p for p in sentence_pairs() if p["language"] == language)
    assert app.text_input(key="attention_first").value == example["first"]
    panels, view_state, _ = payload_calls[-1]
    assert panels[0].title == example["first"]
    best = panels[0].shown.telling_head()
    assert (view_state.layer, view_state.head, view_state.view) == (*best, "lines")
    assert panels[0].shown.level == "word"
    assert len(app.dataframe[0].value) == 2 * 3  # a row a head
    assert not app.info


@pytest.mark.parametrize(("view", "language"), visits.in_turn(["heads", "word", "off"]))
def test_every_view_opens_in_each_language(networks, language, view):
    app = open_page(lang=language, text=language, view=view)
    assert visits.value(app, "view") == view
    assert len(app.get("plotly_chart")) == {"heads": 0, "word": 1, "off": 1}[view]
    assert bool(app.multiselect) == (view == "off")


def test_the_head_follows_the_sentence_until_one_is_chosen(networks, payload_calls):
    app = open_page(lang="en")
    for text in ("Keys open doors.", "The dog that barked at us was old."):
        app.text_input(key="attention_first").set_value(text).run()
        panels, at, _ = payload_calls[-1]
        assert (at.layer, at.head) == panels[0].shown.telling_head()
    other = "2" if at.head == "1" else "1"
    app = open_page(lang="en", attention_layer=at.layer, attention_head=other)
    app.text_input(key="attention_first").set_value("Keys open doors.").run()
    assert payload_calls[-1][1].head == other


def test_the_chosen_word_is_kept_from_the_picture_to_its_row_in_every_head(networks, payload_calls):
    app = open_page(lang="en", attention_first="The cat sat.", attention_word=2)
    assert payload_calls[-1][1].word == 2
    shown = payload_calls[-1][0][0].shown
    app.segmented_control(key="view").set_value("word").run()
    assert app.pills(key="attention_word").value == 2
    cells = json.loads(app.get("plotly_chart")[0].proto.spec)["data"][0]["z"]
    expected = shown.weights[:, :3, 2].reshape(6, -1)  # 2 layers of 3 heads
    assert np.allclose(decoded(cells), expected)


def decoded(array):
    """An array as Plotly sends it."""
    if isinstance(array, list):
        return np.array(array)
    values = np.frombuffer(base64.b64decode(array["bdata"]), array["dtype"])
    return values.reshape([int(size) for size in array["shape"].split(",")])


def test_a_link_opens_layer_head_view_and_filters(networks, payload_calls):
    app = open_page(
        lang="en", attention_first="The cat sat.", attention_second="She slept.",
        attention_layer=2, attention_head="rollout", attention_view="grid",
        attention_level="token", attention_special="hidden", attention_between="2-1",
    )  # fmt: skip
    panels, view_state, _ = payload_calls[-1]
    assert (view_state.layer, view_state.head, view_state.view) == (2, "rollout", "grid")
    shown = panels[0].shown
    assert "".join(shown.from_side.labels).replace("##", "") == "Sheslept."
    assert "".join(shown.to_side.labels).replace("##", "") == "Thecatsat."
    assert "sentences='2-1'" in page_text(app)
    assert "special='hidden'" in page_text(app)
    missing = {"attention_layer": 99, "attention_head": "average", "attention_view": "waves"}
    open_page(lang="en", **missing)
    view_state = payload_calls[-1][1]
    assert (view_state.layer, view_state.head, view_state.view) == (2, "average", "lines")


def test_all_heads_of_a_short_text_travel_and_one_of_a_long_one(
    networks, payload_calls, monkeypatch
):
    open_page(lang="en", attention_first="The cat.")
    assert len(payload_calls[-1][2]["heads"]) == 2 * 5
    monkeypatch.setattr("app.components.attention_component.MAX_BYTES", 100)
    open_page(lang="en", attention_first="The cat.", attention_layer=2)
    assert payload_calls[-1][2]["heads"] == [(2, payload_calls[-1][1].head)]


def test_the_same_in_python_prints_the_head_shown(networks, payload_calls, monkeypatch, capsys):
    app = open_page(lang="en", attention_head="average", attention_special="hidden")
    printed, _ = visits.pasted(app, networks[0])
    panels, view_state, _ = payload_calls[-1]
    shown = panels[0].shown
    weights = shown.head_weights(view_state.layer, view_state.head).round(4)
    labels = {"index": list(shown.tokens), "columns": list(shown.to_side.labels)}
    assert str(pd.DataFrame(weights, **labels)) in printed


def test_two_texts_are_shown_next_to_each_other(networks, payload_calls):
    app = open_page(lang="en", attention_compare=1, attention_other="He slept.")
    assert [panel.title for panel in payload_calls[-1][0]][1] == "He slept."
    app.text_input(key="attention_other").set_value("").run()
    assert len(payload_calls[-1][0]) == 1


def test_an_example_fills_the_field_and_its_continuation_where_there_is_one(
    networks, payload_calls
):
    pair = [p for p in sentence_pairs() if p["language"] == "en"][2]
    app = open_page(lang="en")
    app.button(key="example-attention_first-2").click().run()
    assert payload_calls[-1][0][0].title == pair["first"]
    app.text_input(key="attention_second").set_value("Yes.").run()
    app.button(key="example-attention_first-2").click().run()
    assert payload_calls[-1][0][0].title == f"{pair['first']} {pair['second']}"


def test_what_is_cut_not_known_or_nothing_is_said(networks):
    app, say = open_page(lang="ru", attention_first="猫 " + "дверь " * 80), wording("ru")
    sentences = [item.value for item in app.warning]
    assert "64" in sentences[0]
    assert "猫" in sentences[1]
    assert sentences[0].startswith(say("attention.truncated", lost=2, longest=64)[:12])
    for text, sentence in ((" ", "attention.empty"), ("\u200b", "errors.attention_empty")):
        app.text_input(key="attention_first").set_value(text).run()
        assert app.info[0].value.replace("\\", "") == say(sentence)


def test_an_albert_says_that_its_layers_share_their_weights(networks, tiny_albert, monkeypatch):
    albert = shelf.Entry("tiny-albert", "network", "albert", "", tiny_albert)
    monkeypatch.setattr(shelf_models, "networks", lambda: (albert,))
    assert wording("en")("attention.shared") in page_text(open_page(lang="en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_view_speaks_the_language_of_the_page(language):
    labels = view_labels(wording(language))
    assert set(labels) == set(LABELS)
    if language == "en":
        assert labels == LABELS
    fields = {"strongest": ("{shown}", "{all}"), "bits": ("{entropy}", "{distance}")}
    for name, placeholders in fields.items():
        assert all(field in labels[name] for field in placeholders)


def test_the_page_says_whether_weights_or_norms_are_shown(networks, payload_calls):
    language = "de"
    say = wording(language)
    app = open_page(lang=language, attention_first="The cat sat.", attention_head="rollout")
    assert say("attention.shown_weights") in page_text(app)
    before = payload_calls[-1][0][0].shown
    app.segmented_control(key="attention_measure").set_value("norms").run()
    assert not app.exception
    assert say("attention.shown_norms") in page_text(app)
    shown, view_state, _ = payload_calls[-1]
    assert shown[0].shown.measure == "norms"
    assert view_state.head.isdigit()  # rollout is defined on weights
    assert not np.allclose(shown[0].shown.weights[:, :3], before.weights[:, :3])
    assert "measure='norms'" in page_text(app)

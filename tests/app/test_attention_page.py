"""The page Attention, headless, on a tiny BERT."""

import base64
import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from app import shelf_models
from app.components.attention_component import view_labels
from app.views.attention import attention_views
from app.wording import wording
from embeddings import shelf
from embeddings.attention_view.payload import LABELS
from embeddings.probing.ablated_networks import ablate
from embeddings.probing.ablation_answers import Parts, Replacement
from embeddings.probing.network import open_reader
from embeddings.shelf.locations import sentence_pairs
from tests.app import visits
from tests.app.visits import LANGUAGES, page_text

pytestmark = pytest.mark.usefixtures("networks")
open_page = partial(visits.open_page, "attention")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_each_language_and_looks_at_an_example_on_first_load(payload_calls, language):
    app = open_page(lang=language, text=language)
    example = next(p for p in sentence_pairs() if p["language"] == language)
    assert app.text_input(key="attention_first").value == example["first"]
    panels, view_state, _ = payload_calls[-1].arguments
    assert panels[0].title == example["first"]
    best = panels[0].shown.telling_head()
    assert (view_state.layer, view_state.head, view_state.view) == (*best, "lines")
    assert panels[0].shown.level == "word"
    assert len(app.dataframe[0].value) == 2 * 3  # a row a head
    assert not app.info


def test_the_head_follows_the_sentence_until_one_is_chosen(payload_calls):
    app = open_page(lang="en")
    for text in ("Keys open doors.", "The dog that barked at us was old."):
        app.text_input(key="attention_first").set_value(text).run()
        panels, at, _ = payload_calls[-1].arguments
        assert (at.layer, at.head) == panels[0].shown.telling_head()
    other = "2" if at.head == "1" else "1"
    app = open_page(lang="en", attention_layer=at.layer, attention_head=other)
    app.text_input(key="attention_first").set_value("Keys open doors.").run()
    assert payload_calls[-1].arguments[1].head == other


def test_the_chosen_word_is_kept_from_the_picture_to_its_row_in_every_head(payload_calls):
    app = open_page(lang="en", attention_first="The cat sat.", attention_word=2)
    assert payload_calls[-1].arguments[1].word == 2
    shown = payload_calls[-1].arguments[0][0].shown
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


def test_a_link_opens_layer_head_view_and_filters(payload_calls):
    app = open_page(
        lang="en", attention_first="The cat sat.", attention_second="She slept.",
        attention_layer=2, attention_head="rollout", attention_view="grid",
        attention_level="token", attention_special="hidden", attention_between="2-1",
    )  # fmt: skip
    panels, view_state, _ = payload_calls[-1].arguments
    assert (view_state.layer, view_state.head, view_state.view) == (2, "rollout", "grid")
    shown = panels[0].shown
    assert "".join(shown.from_side.labels).replace("##", "") == "Sheslept."
    assert "".join(shown.to_side.labels).replace("##", "") == "Thecatsat."
    assert "sentences='2-1'" in page_text(app)
    assert "special='hidden'" in page_text(app)
    missing = {"attention_layer": 99, "attention_head": "average", "attention_view": "waves"}
    open_page(lang="en", **missing)
    view_state = payload_calls[-1].arguments[1]
    assert (view_state.layer, view_state.head, view_state.view) == (2, "average", "lines")


def test_all_heads_of_a_short_text_travel_and_one_of_a_long_one(payload_calls, monkeypatch):
    open_page(lang="en", attention_first="The cat.")
    assert len(payload_calls[-1].arguments[2]) == 2 * 5
    monkeypatch.setattr("app.components.attention_component.MAX_BYTES", 100)
    open_page(lang="en", attention_first="The cat.", attention_layer=2)
    assert payload_calls[-1].arguments[2] == [(2, payload_calls[-1].arguments[1].head)]


def test_the_same_in_python_prints_the_head_shown(networks, payload_calls):
    app = open_page(lang="en", attention_head="average", attention_special="hidden")
    printed, _ = visits.pasted(app, networks[0])
    panels, view_state, _ = payload_calls[-1].arguments
    shown = panels[0].shown
    weights = shown.head_weights(view_state.layer, view_state.head).round(4)
    labels = {"index": list(shown.tokens), "columns": list(shown.to_side.labels)}
    assert str(pd.DataFrame(weights, **labels)) in printed


def test_two_texts_are_shown_next_to_each_other(payload_calls):
    app = open_page(lang="en", attention_compare=1, attention_other="He slept.")
    assert [panel.title for panel in payload_calls[-1].arguments[0]][1] == "He slept."
    app.text_input(key="attention_other").set_value("").run()
    assert len(payload_calls[-1].arguments[0]) == 1


def test_an_example_fills_the_field_and_its_continuation_where_there_is_one(payload_calls):
    pair = [p for p in sentence_pairs() if p["language"] == "en"][2]
    app = open_page(lang="en")
    app.button(key="example-attention_first-2").click().run()
    assert payload_calls[-1].arguments[0][0].title == pair["first"]
    app.text_input(key="attention_second").set_value("Yes.").run()
    app.button(key="example-attention_first-2").click().run()
    assert payload_calls[-1].arguments[0][0].title == f"{pair['first']} {pair['second']}"


def test_what_is_cut_not_known_or_nothing_is_said():
    app, say = open_page(lang="ru", attention_first="猫 " + "дверь " * 80), wording("ru")
    sentences = [item.value for item in app.warning]
    assert "64" in sentences[0]
    assert "猫" in sentences[1]
    assert sentences[0].startswith(say("attention.truncated", lost=2, longest=64)[:12])
    for text, sentence in ((" ", "attention.empty"), ("\u200b", "errors.attention_empty")):
        app.text_input(key="attention_first").set_value(text).run()
        assert app.info[0].value.replace("\\", "") == say(sentence)


def test_an_albert_says_that_its_layers_share_their_weights(tiny_albert, monkeypatch):
    albert = shelf.Entry("tiny-albert", "network", "albert", "", tiny_albert)
    monkeypatch.setattr(shelf_models, "networks", lambda: (albert,))
    assert wording("en")("attention.shared") in page_text(open_page(lang="en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_view_speaks_the_language_of_the_page(language):
    labels = view_labels(wording(language))
    assert set(labels) == set(LABELS)
    assert labels == LABELS or language != "en"
    fields = {"strongest": ("{shown}", "{all}"), "bits": ("{entropy}", "{distance}")}
    for name, placeholders in fields.items():
        assert all(field in labels[name] for field in placeholders)


def test_the_page_says_whether_weights_or_norms_are_shown(payload_calls):
    say = wording("de")
    app = open_page(lang="de", attention_first="The cat sat.", attention_head="rollout")
    assert say("attention.shown_weights") in page_text(app)
    before = payload_calls[-1].arguments[0][0].shown
    app.segmented_control(key="attention_measure").set_value("norms").run()
    assert say("attention.shown_norms") in page_text(app)
    shown, view_state, _ = payload_calls[-1].arguments
    assert shown[0].shown.measure == "norms"
    assert view_state.head.isdigit()  # rollout is defined on weights
    assert not np.allclose(shown[0].shown.weights[:, :3], before.weights[:, :3])
    assert "measure='norms'" in page_text(app)


# The view "Switched off"


open_off = partial(open_page, view="off")


def guesses(app):
    """The table of guesses, a list a column."""
    table = next(frame.value for frame in app.dataframe if len(frame.value.columns) == 5)
    return [table[column].tolist() for column in table.columns]


def test_a_head_that_is_turned_off_changes_the_guesses_in_each_language(tiny_bert):
    app, say = open_off(lang="ru", text="ru"), wording("ru")
    assert say("off.nothing_off") in [item.value for item in app.info]
    before, share, left, after, share_now = guesses(app)
    assert (before, share) == (after, share_now)
    assert share == left
    app.multiselect(key="off_heads").set_value(["1.2", "2.3"]).run()
    assert visits.value(app, "off_heads") == "1.2,2.3"
    pair = next(p for p in sentence_pairs() if p["language"] == "ru")
    text = pair["first"].replace(pair["blank"], "[MASK]", 1)
    parts = Parts(heads=((1, 2), (2, 3)))
    (mask,) = ablate(open_reader(tiny_bert), text, parts, only_words=True).masks
    _, _, left, after, share_now = guesses(app)
    assert after == [guess.token for guess in mask.after]
    assert share_now == pytest.approx([guess.probability for guess in mask.after], rel=1e-4)
    assert left == pytest.approx(list(mask.before_again), rel=1e-4)
    assert share_now != share


def test_a_link_opens_parts_words_replacement_and_question(tiny_bert):
    text, other = "The cat sat.", "The sat cat."  # the same tokens in another order
    app = open_off(
        lang="en", attention_first=text, off_question="vector", off_attention="2,9",
        off_feed_forward="1", off_words="2", off_how="patch", off_other=other,
    )  # fmt: skip
    assert app.multiselect(key="off_words").value == ["2"]
    assert app.multiselect(key="off_attention").value == ["2"]  # there is no ninth layer
    parts = Parts(attention=(2,), feed_forward=(1,), words=(2,))
    expected = ablate(open_reader(tiny_bert), text, parts, Replacement("patch", (other,)))
    cosine = wording("en").number(expected.cosine, 4)
    assert expected.cosine < 0.999
    assert any(cosine in item.value for item in app.markdown)
    app.text_input(key="off_other").set_value("Cat.").run()
    assert "tokens" in app.info[0].value


def test_nothing_is_computed_before_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(attention_views, "ask_in_queue", None)
    assert not open_page(lang="en").multiselect


def test_its_python_prints_what_the_page_shows(networks, tiny_bert):
    text = "The old man opened the door."
    app = open_off(lang="en", attention_first=text, off_word="door", off_heads="1.2")
    parts, masked = Parts(heads=((1, 2),)), text.replace("door", "[MASK]")
    expected = ablate(open_reader(tiny_bert), masked, parts, only_words=True)
    assert guesses(app)[3] == [guess.token for guess in expected.masks[0].after]
    printed, lines = visits.pasted(app, networks[0])
    first = expected.masks[0]
    assert [
        "1", first.before[0].token, f"{first.before[0].probability:.4f}", f"{first.before_again[0]:.4f}",
        first.after[0].token, f"{first.after[0].probability:.4f}",
    ] in lines  # fmt: skip
    assert f"cosine of the sentence vectors: {expected.cosine:.4f}" in printed


def test_a_token_is_shown_without_the_sign_of_its_beginning():
    assert attention_views.written("\u2581door") == "door"
    assert attention_views.written("\u2581") == "\u2581"  # nothing would be left

"""The page Attention, headless, on a tiny BERT."""

from functools import partial

import pytest

from app.components.attention_component import view_labels
from app.loaders import network_answers, shelf_models
from app.wording import wording
from embeddings import shelf
from embeddings.attention_view.payload import LABELS
from tests.app import visits

LANGUAGES = ("en", "ru", "de")
opened = partial(visits.opened, "attention")


def said(app):
    kinds = (app.title, app.header, app.markdown, app.caption, app.info, app.warning)
    texts = [str(item.value) for kind in kinds for item in kind]
    return "\n".join([*texts, *(code.value for code in app.code)])


@pytest.fixture
def drawn(monkeypatch):
    """What the page gives the view: panels and place, of each run."""
    from app.components import attention_component as component

    calls = []
    real = component.payload
    monkeypatch.setattr(
        component, "payload", lambda panels, at, sent, **k: calls.append((panels, at, list(sent))) or real(panels, at, sent, **k)
    )  # fmt: skip
    return calls


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_each_language_and_looks_at_an_example_on_first_load(networks, drawn, language):
    app = opened(lang=language, text=language)
    say = wording(language)
    assert app.title[0].value == say("attention.title")
    example = next(p for p in network_answers.sentence_pairs() if p["language"] == language)
    assert app.text_input(key="attention_first").value == example["first"]
    panels, at, _ = drawn[-1]
    assert panels[0].title == example["first"]
    assert (at.layer, at.head, at.view) == (1, "1", "lines")
    assert panels[0].shown.level == "word"
    assert len(app.dataframe[0].value) == 2 * 3  # a row a head
    assert not app.info


def test_a_link_opens_layer_head_view_and_filters(networks, drawn):
    app = opened(
        lang="en", attention_first="The cat sat.", attention_second="She slept.",
        attention_layer=2, attention_head="rollout", attention_view="grid",
        attention_level="token", attention_special="hidden", attention_between="2-1",
    )  # fmt: skip
    panels, at, _ = drawn[-1]
    assert (at.layer, at.head, at.view) == (2, "rollout", "grid")
    shown = panels[0].shown
    assert "".join(shown.from_side.labels).replace("##", "") == "Sheslept."
    assert "".join(shown.to_side.labels).replace("##", "") == "Thecatsat."
    assert "sentences='2-1'" in said(app)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ({"attention_layer": 99, "attention_head": "77"}, (2, "1", "lines")),
        ({"attention_layer": "x", "attention_view": "waves"}, (1, "1", "lines")),
    ],
)
def test_a_link_that_asks_for_what_is_not_there_opens_all_the_same(
    networks, drawn, address, expected
):
    opened(lang="en", **address)
    at = drawn[-1][1]
    assert (at.layer, at.head, at.view) == expected


def test_all_heads_of_a_short_text_travel_and_one_of_a_long_one(networks, drawn, monkeypatch):
    opened(lang="en", attention_first="The cat.")
    assert len(drawn[-1][2]) == 2 * 5
    monkeypatch.setattr("app.components.attention_component.MAX_BYTES", 100)
    opened(lang="en", attention_first="The cat.", attention_layer=2)
    assert drawn[-1][2] == [(2, "1")]


def test_the_same_in_python_prints_the_head_shown(networks, drawn, monkeypatch, capsys):
    monkeypatch.setattr(shelf, "find", lambda _: networks[0])
    app = opened(lang="en", attention_head="average", attention_special="renormalised")
    code = next(c.value for c in app.code if c.value.startswith("from embeddings"))
    exec(compile(code, "<pasted>", "exec"), {})
    panels, at, _ = drawn[-1]
    assert str(panels[0].shown.head_weights(at.layer, at.head).round(4)) in capsys.readouterr().out


def test_two_texts_stand_beside_each_other(networks, drawn):
    app = opened(lang="en", attention_compare=1, attention_other="He slept.")
    assert [panel.title for panel in drawn[-1][0]][1] == "He slept."
    app.text_input(key="attention_other").set_value("").run()
    assert len(drawn[-1][0]) == 1


def test_an_example_fills_the_field_and_its_continuation_where_there_is_one(networks, drawn):
    pair = [p for p in network_answers.sentence_pairs() if p["language"] == "en"][2]
    app = opened(lang="en")
    app.button(key="example-attention-2").click().run()
    assert drawn[-1][0][0].title == pair["first"]
    app.text_input(key="attention_second").set_value("Yes.").run()
    app.button(key="example-attention-2").click().run()
    assert drawn[-1][0][0].title == f"{pair['first']} {pair['second']}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_cut_and_what_is_not_known_is_said(networks, language):
    long = "дверь " * 80
    app = opened(lang=language, attention_first=f"猫 {long}")
    say = wording(language)
    sentences = [item.value for item in app.warning]
    assert "64" in sentences[0]
    assert "猫" in sentences[1]
    assert sentences[0].startswith(say("attention.truncated")[:12])


@pytest.mark.parametrize(
    ("text", "sentence"), [(" ", "attention.empty"), ("\u200b", "errors.attention_empty")]
)
@pytest.mark.parametrize("language", ["ru", "de"])
def test_nothing_to_look_at_is_met_with_a_sentence(networks, language, text, sentence):
    app = opened(lang=language, attention_first=text)
    assert app.info[0].value.replace("\\", "") == wording(language)(sentence)


def test_without_a_network_the_page_says_how_to_get_one(small_shelf, monkeypatch):
    monkeypatch.setattr(shelf_models, "networks", lambda: ())
    app = opened(lang="en")
    assert app.info[0].value == wording("en")("network.none")


def test_an_albert_says_that_its_layers_share_their_weights(networks, tiny_albert, monkeypatch):
    albert = shelf.Entry("tiny-albert", "network", "albert", "", tiny_albert)
    monkeypatch.setattr(shelf_models, "networks", lambda: (albert,))
    assert wording("en")("attention.shared") in said(opened(lang="en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_view_speaks_the_language_of_the_page(language):
    labels = view_labels(wording(language))
    assert set(labels) == set(LABELS)
    if language == "en":
        assert labels == LABELS
    fields = {"strongest": ("{shown}", "{all}"), "bits": ("{entropy}", "{distance}")}
    for name, wanted in fields.items():
        assert all(field in labels[name] for field in wanted)

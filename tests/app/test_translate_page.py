"""The page Translate, headless, on tiny translators: one plain, one with a BERT fused in; its figures on made-up results."""

import shutil
from functools import partial

import numpy as np
import pandas as pd
import pytest

from app import shelf_models
from app.figures.palette import BLUE, GREEN, VERMILION
from app.figures.shares import beam_figure, beam_rows, candidates_figure
from app.wording import first_texts, wording
from embeddings import shelf
from embeddings.errors import InputError
from embeddings.networks.decoding import DecodingConfig
from embeddings.probing.ablated_networks import ablate_translation
from embeddings.probing.ablation_answers import TranslatorHeads
from embeddings.probing.attention_maps import word_level
from embeddings.probing.sentence_answers import Guess
from embeddings.probing.translation_answers import BeamNode, BeamTree, DecodingStep
from embeddings.probing.translation_attribution import attribute_translation
from embeddings.probing.translator import attention_map, look_inside, translate
from embeddings.shelf.loading import load_translator
from tests.app import visits
from tests.app.plotly_figures import checked
from tests.app.visits import page_text

beam_figure, candidates_figure = checked(beam_figure), checked(candidates_figure)
TEXT = "Two dogs run."
open_page = partial(visits.open_page, "translate")


def test_it_translates_an_example_on_first_load(translators, payload_calls):
    app, say = open_page(lang="de", view="heads"), wording("de")
    assert app.text_input(key="translate_text").value == first_texts("en", "translated")[0]
    panels, view_state, _ = payload_calls[-1].arguments
    plain, fused = (load_translator(translators[n].path) for n in ("small-plain", "small-fused"))
    for translator, panel in zip((plain, fused), panels, strict=True):
        (expected,) = translate(translator, [first_texts("en", "translated")[0]], DecodingConfig(5))
        assert panel.title == f"{translator.name}: {expected.target}"
    assert (view_state.layer, view_state.head, view_state.view) == (2, "average", "lines")
    app.segmented_control(key="view").set_value("scores").run()
    frame = next(d.value for d in app.dataframe if say("translate.signature") in d.value)
    assert frame.iloc[0][say("translate.bleu_cased")] == 36.25
    assert frame.iloc[0][say("translate.signature")] == "nrefs:1|case:mixed"
    assert say("translate.no_bleu", model="small-fused") in [i.value for i in app.info]
    app.segmented_control(key="view").set_value("heads").run()
    example = "I try to understand the Transformer"
    button = next(button for button in app.button if button.label.startswith(example))
    button.click().run()
    assert app.text_input(key="translate_text").value == button.label
    assert payload_calls[-1].arguments[0][0].shown.to_side.labels[:3] == ("I", "try", "to")


def test_each_attention_is_drawn_of_those_that_have_it(translators, payload_calls):
    address = {"translate_text": "Two dogs run.", "translate_level": "token"}
    app = open_page(lang="en", view="heads", **address)
    for kind, panels, square in (
        ("cross", 2, False),
        ("encoder", 2, True),
        ("decoder", 2, True),
        ("bert_encoder", 1, False),
        ("bert_decoder", 1, False),
    ):
        app.segmented_control(key="translate_kind").set_value(kind).run()
        panels_drawn, *_ = payload_calls[-1].arguments
        assert len(panels_drawn) == panels
        attention_map = panels_drawn[-1].shown
        assert attention_map.is_self == square
        assert ("rollout" in attention_map.heads) == square
        ends = attention_map.to_side.labels[0], attention_map.to_side.labels[-1]
        is_bert = kind.startswith("bert")
        assert payload_calls[-1].named["labels"]["sep"] == ("[SEP]" if is_bert else "</s>")
        assert (wording("en")("translate.only_fused") in page_text(app)) == is_bert
        if is_bert:
            assert ends == ("[CLS]", "[SEP]")
        else:
            assert ends[0] == ("<s>" if kind == "decoder" else "▁Two")
        if kind == "decoder":
            assert np.triu(attention_map.head_weights(1, "1"), 1).sum() == 0


def test_without_the_other_one_the_plain_one_stands_alone(translators, payload_calls):
    app = open_page(lang="en", view="heads", translate_beside=0)
    assert [panel.shown.model for panel in payload_calls[-1].arguments[0]] == ["small-plain"]
    app.selectbox(key="translate_model").set_value("small-fused").run()
    assert [panel.shown.model for panel in payload_calls[-1].arguments[0]] == ["small-fused"]


def test_a_step_shows_what_is_chosen(translators, payload_calls):
    app = open_page(lang="en", translate_text="Two dogs run.", translate_beside=0)
    translation = look_inside(load_translator(translators["small-plain"].path), "Two dogs run.")
    assert app.slider(key="translate_step").max == len(translation.steps)
    app.slider(key="translate_step").set_value(2).run()
    plain = next(s.value for s in app.subheader if ":primary[" in s.value)
    assert plain.startswith(translation.steps[1].before)
    assert translation.steps[1].chosen.token.strip("▁") in plain.replace("\\", "")


def test_a_step_that_a_link_asks_for_and_is_not_there_is_the_last_and_a_beam_of_one_is_greedy(
    translators, payload_calls
):
    settings = {"translate_step": 999, "translate_width": 99}
    app = open_page(lang="de", view="beam", translate_text="A dog plays.", **settings)
    assert app.slider(key="translate_step").value == app.slider(key="translate_step").max
    assert app.slider(key="translate_width").value == 10
    app.slider(key="translate_width").set_value(1).run()
    assert wording("de")("translate.greedy") in page_text(app)


def test_what_cannot_be_read_is_said_in_the_language(translators):
    say = wording("de")
    app = open_page(lang="de", translate_text="Two 猫 run.", translate_beside=0)
    assert app.warning[0].value == say("translate.unknown", letters="猫")
    for text, sentence in (("dog " * 80, "60"), (" ", say("translate.empty"))):
        app.text_input(key="translate_text").set_value(text).run()
        assert sentence in app.info[0].value


def test_a_text_of_several_sentences_is_offered_one_by_one(translators, payload_calls):
    text = "Two dogs run and a dog plays. " * 12
    app = open_page(lang="en", view="heads", translate_text=text.strip(), translate_beside=0)
    assert len(app.selectbox(key="translate_part").options) == 12
    assert payload_calls[-1].arguments[0][0].shown.to_side.labels.count("dogs") == 1


def test_a_fused_one_without_its_bert_leaves_the_plain_one_on_the_page(
    translators, payload_calls, own_home, monkeypatch
):
    alone = own_home / "models" / "lost-fused"
    shutil.copytree(translators["small-fused"].path, alone)
    lost = shelf.Entry("lost-fused", "translation", "bert-fused", "en-de", alone)
    monkeypatch.setattr(shelf_models, "translators", lambda: (translators["small-plain"], lost))
    app = open_page(lang="en", view="heads")
    assert "tiny-bert" in app.info[0].value.replace("\\", "")
    assert [panel.shown.model for panel in payload_calls[-1].arguments[0]] == ["small-plain"]


def test_the_same_in_python_prints_what_the_page_shows(translators, payload_calls):
    app = open_page(lang="en", translate_text="Two dogs run.", translate_special="hidden")
    printed, _ = visits.pasted(app)
    panels, view_state, _ = payload_calls[-1].arguments
    shown = panels[0].shown
    weights = shown.head_weights(view_state.layer, view_state.head).round(4)
    labels = {"index": list(shown.tokens), "columns": list(shown.to_side.labels)}
    assert str(pd.DataFrame(weights, **labels)) in printed
    assert panels[0].title.split(": ")[1] in printed


def test_words_of_a_translation_are_joined_and_rows_sum_to_1(translators):
    translation, plain = (
        look_inside(load_translator(translators[name].path), "Two dogs run.")
        for name in ("small-fused", "small-plain")
    )
    cross = word_level(attention_map(translation.attention, "cross"))
    assert cross.to_side.labels == ("Two", "dogs", "run", ".", "</s>")
    target = "".join(cross.from_side.labels).removesuffix("</s>")
    assert target == translation.target.replace(" ", "")
    np.testing.assert_allclose(cross.weights.sum(-1), 1, atol=1e-4)
    assert set(cross.from_side.segments) == {1}
    assert set(cross.to_side.segments) == {0}
    assert translation.source_words == cross.to_side.labels
    attention = translation.attention
    spans = enumerate(attention.source_side.offsets)
    source_rows = [i for i, (_, end) in spans if 0 < end <= 3]  # of «Two»
    by_hand = attention.cross[1].mean(0)[:, source_rows].sum(-1)
    np.testing.assert_allclose(translation.source_attention[:, 0], by_hand, atol=1e-6)
    assert translation.score == pytest.approx(translation.tree.endings[0][1])
    for kind, match in (("sideways", "kind"), ("bert_decoder", "given none")):
        with pytest.raises(InputError, match=match):
            attention_map(plain.attention, kind)


def beam_tree():
    """Two steps: a branch that lost, one dropped, two endings, the best of them under the second beginning."""
    return BeamTree(
        (
            BeamNode(0, "<s>", "", 0.0, -1, "kept", True),
            BeamNode(1, "▁a", "a", -0.5, 0, "kept", False),
            BeamNode(1, "▁b", "b", -0.7, 0, "kept", True),
            BeamNode(1, "▁c", "c", -3.0, 0, "dropped", False),
            BeamNode(2, "</s>", "b", -0.9, 2, "ended", True),
            BeamNode(2, "</s>", "a", -1.5, 1, "ended", False),
            BeamNode(2, "<i>", "a<i>", -1.2, 1, "kept", False),
        ),
        (("b", -0.7), ("a", -1.1)),
    )


def test_the_beam_is_drawn_by_rank_without_what_was_dropped():
    assert beam_rows(beam_tree()) == {0: 0, 1: 0, 2: 1, 4: 0, 6: 1, 5: 2}
    names = {"chosen": "chosen", "kept": "kept", "ended": "ended"}
    figure = beam_figure(beam_tree(), 2, names, "step")
    other_rows, best, chosen, kept, ended = figure.data
    assert list(best.x) == [0, 1, None, 1, 2, None]
    assert list(best.y) == [0, 1, None, 1, 0, None]
    assert len([x for x in other_rows.x if x is None]) == 3
    assert (chosen.marker.color, kept.marker.color, ended.marker.color) == (VERMILION, BLUE, GREEN)
    assert list(kept.text) == ["▁a", "&lt;i&gt;"]
    assert list(ended.text) == ["&lt;/s&gt;"] * 2
    assert figure.layout.shapes[0].x0 == 1.5


def test_the_chosen_token_is_marked_and_stands_below_where_it_is_not_among_the_likeliest():
    likely = (Guess("▁Zwei", 0.6), Guess("▁Ein", 0.3))
    among = candidates_figure(DecodingStep("", likely, likely[1]), "p").data[0]
    assert list(among.marker.color) == [BLUE, VERMILION]
    below = candidates_figure(DecodingStep("", likely, Guess("▁Der", 0.01)), "p", ",.").data[0]
    assert list(below.customdata) == ["▁Zwei", "▁Ein", "▁Der"]
    assert list(below.marker.color) == [BLUE, BLUE, VERMILION]
    assert list(below.text) == ["60,0 %", "30,0 %", "1,0 %"]


def test_the_translation_is_shown_anew_with_heads_switched_off(translators):
    say, text = wording("ru"), "A dog plays."
    off = {"translate_off": 1, "translate_off_cross": "1.1"}
    app = open_page(lang="ru", translate_text=text, translate_beside=0, translate_width=1, **off)
    assert app.multiselect(key="translate_off_cross").value == ["1.1"]
    app.multiselect(key="translate_off_encoder").set_value(["2.2"]).run()
    heads = TranslatorHeads(encoder=((2, 2),), cross=((1, 1),))
    name = app.selectbox(key="translate_model").value
    translator = load_translator(translators[name].path)
    expected = ablate_translation(translator, text, heads, DecodingConfig(1))
    assert expected.after_score != expected.before_score
    captions = [item.value for item in app.caption]
    assert say("translate.score", score=say.number(expected.after_score, 2)) in captions
    shown = [item.value for item in app.markdown]
    assert any(text.startswith(say("translate_off.after")) for text in shown)


def test_words_that_moved_a_translation_are_those_of_the_library(translators):
    app = open_page(
        lang="de", translate_model="small-plain", translate_beside="0", translate_moved="1",
        translate_by="occlusion", translate_text=TEXT, translate_width="1",
    )  # fmt: skip
    say = wording("de")
    assert visits.value(app, "translate_by") == "occlusion"
    translator = load_translator(translators["small-plain"].path)
    attribution = attribute_translation(translator, TEXT, DecodingConfig(1))
    sums = next(d.value for d in app.dataframe if say("translate.no_words") in d.value)
    assert list(sums[say("translate.row")]) == list(attribution.target_words)
    parts = ("from_source", "from_earlier", "no_words", "residual")
    total = sum(sums[say(f"translate.{part}")] for part in parts)
    np.testing.assert_allclose(total, sums["log p"], atol=1e-5)
    np.testing.assert_allclose(
        sums[say("translate.from_source")], attribution.source_gradients.sum(1), atol=1e-4
    )
    assert say("translate.occlusion_read") in page_text(app)
    code = next(c.value for c in app.code if c.value.startswith("import embeddings"))
    assert ".attribute('Two dogs run.', 1)" in code

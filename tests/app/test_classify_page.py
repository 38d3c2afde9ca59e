"""The page Classify, headless, on the planted classifier; its figures on made-up results."""

import json
import shutil
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from app import shelf_models
from app.figures.palette import BLUE, VERMILION
from app.figures.sentence_words import coloured_text, confusion_figure, signed_bars
from app.views.classify.chosen_classifier import label_names
from app.widgets import outputs
from app.wording import first_texts, wording
from embeddings import shelf
from embeddings.probing.ablated_networks import ablate_class
from embeddings.probing.ablation_answers import Parts
from embeddings.probing.attribution import attribute
from embeddings.probing.label_prediction import predict
from embeddings.probing.sentence_answers import Attribution, WordShare
from embeddings.results import Confusion
from embeddings.shelf.companions import recorded_confusions
from embeddings.shelf.loading import load_classifier
from tests.app import visits
from tests.app.plotly_figures import checked
from tests.app.visits import LANGUAGES

signed_bars, confusion_figure = checked(signed_bars), checked(confusion_figure)


open_page = partial(visits.open_page, "classify")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_classifies_an_example_on_first_load(classifier, language):
    app = open_page(lang=language)
    say = wording(language)
    text = first_texts("en", "classified")[0]
    assert app.text_input(key="classify_text").value == text
    (prediction,) = predict(load_classifier(classifier.path), [text])
    share = say.number(100 * prediction.probabilities[prediction.label], 1)
    name = {"cold": "frost", "warm": "heat"}[prediction.label]
    assert app.subheader[0].value == say("classify.answer", label=name, share=share)
    assert [metric.label for metric in app.metric] == ["frost", "heat"]


def test_one_chart_shows_contributions_losses_or_attention(classifier):
    app, say = open_page(lang="en"), wording("en")
    measures = ("gradients", "occlusion", "attention")
    starts = {name: say.get(f"classify.{name}_read")[:40].split("{")[0] for name in measures}
    for measure in measures:
        app.segmented_control(key="classify_by").set_value(measure).run()
        captions = "\n".join(caption.value for caption in app.caption)
        assert [name for name, start in starts.items() if start in captions] == [measure]


def test_labels_of_praise_and_criticism_speak_the_language_of_the_screen(classifier, monkeypatch):
    config = SimpleNamespace(labels=("0", "1", "2"), names=("negative", "positive", "mixed"))
    opened = SimpleNamespace(network=SimpleNamespace(config=config))
    monkeypatch.setattr(shelf_models, "open_with_base", lambda _: opened)
    for language, names in (("ru", "отрицательная положительная"), ("de", "negativ positiv")):
        labels = label_names(wording(language), classifier)
        assert list(labels.values()) == [*names.split(), "mixed"]


def test_the_table_and_the_code_hold_what_the_words_add_and_it_sums(classifier):
    text = "The snow walks over the river"
    app = open_page(lang="en", classify_text=text)
    shares = attribute(load_classifier(classifier.path), text).words
    assert [share.word for share in shares] == text.split()
    visits.assert_words_moved(app, shares, classifier)


def test_a_text_that_is_cut_is_told_and_an_empty_field_asks_for_a_sentence(classifier):
    app = open_page(lang="en", classify_text="snow " * 100)
    assert any("not read" in caption.value for caption in app.caption)
    app.text_input(key="classify_text").set_value("  ").run()
    assert app.info[0].value == wording("en")("classify.empty")


def test_the_card_gives_accuracy_and_confusion(classifier, planted_classifier):
    app = open_page(lang="en", view="scores")
    share = f"{100 * planted_classifier.confusion.accuracy:.2f} %"
    assert any(share in markdown.value and "dev.txt" in markdown.value for markdown in app.markdown)
    card = json.loads((classifier.path / "card.json").read_text(encoding="utf-8"))
    (confusion,) = recorded_confusions(card, planted_classifier.confusion.labels).values()
    assert confusion.counts.tolist() == planted_classifier.confusion.counts.tolist()
    assert confusion.accuracy == planted_classifier.confusion.accuracy


@pytest.mark.parametrize(
    "scores", [None, [], {"dev": 0.5}, {"dev": {"confusion": "x"}}, {"dev": {"confusion": [[1]]}}]
)
def test_a_card_without_a_confusion_table_leaves_it_out(scores):
    assert recorded_confusions({"scores": scores}, ("0", "1")) == {}


def test_without_its_bert_the_page_says_which_is_missing(classifier, own_home, monkeypatch):
    alone = replace(classifier, path=own_home / "models" / "weather")
    shutil.copytree(classifier.path, alone.path)
    monkeypatch.setattr(shelf_models, "classifiers", lambda: (alone,))
    app = open_page(lang="ru")
    assert "tiny-bert" in app.info[0].value.replace("\\", "")


MADE = Attribution(
    "a <b> dull film", "0", 1.5, 0.25,
    (WordShare("a", 0, 1, 0.1, 0.2, 0.3), WordShare("<b>", 2, 5, -0.5, 0.3, -0.2), WordShare("dull", 6, 10, 1.0, 0.1, 0.8)),
    0.4, 0.65, 16,
)  # fmt: skip


def test_words_are_coloured_by_sign_and_strength_and_escaped():
    html = coloured_text(MADE)
    assert "rgba(0,114,178,0.600)" in html  # the word that adds most
    assert "rgba(213,94,0,0.300)" in html
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert html.endswith(" film</p>")


def test_bars_keep_the_order_of_the_text_and_point_both_ways():
    bars = signed_bars([("a", 0.1), ("<b>", -0.5), ("dull", 1.0)], "adds", ",.").data[0]
    assert list(bars.customdata) == ["a", "&lt;b&gt;", "dull"]
    assert list(bars.x) == [0.1, -0.5, 1.0]
    assert list(bars.marker.color) == [BLUE, VERMILION, BLUE]
    assert list(bars.text) == ["+0,10", "\N{MINUS SIGN}0,50", "+1,00"]


def test_the_confusion_table_is_drawn_with_counts_and_shares_of_a_row():
    confusion = Confusion(("0", "1"), np.array([[30, 10], [5, 15]]))
    trace = confusion_figure(confusion, ["no", "<yes>"], ("called", "is")).data[0]
    assert np.array(trace.text).tolist() == [["30", "10"], ["5", "15"]]
    np.testing.assert_allclose(trace.z, [[0.75, 0.25], [0.25, 0.75]])
    assert confusion.accuracy == 45 / 60


def test_a_sentence_in_another_script_than_the_training_texts_is_not_to_be_trusted(classifier):
    app = open_page(lang="de", classify_text="Снег идёт over")
    foreign = wording("de")("classify.foreign", words="Снег, идёт", model="weather")
    assert [warning.value for warning in app.warning] == [outputs.plain(foreign)]
    app.text_input(key="classify_text").set_value("The snow walks over Москва").run()
    assert not app.warning


@pytest.mark.slow
def test_the_shipped_classifier_is_right_on_the_first_example_and_wrong_on_the_second():
    entry = shelf.find("en-sst2")
    classifier = load_classifier(entry.path)
    right, wrong = predict(classifier, first_texts("en", "classified")[:2])
    assert (right.label, wrong.label) == ("1", "0")  # positive, and "Not bad at all." negative
    words = attribute(classifier, first_texts("en", "classified")[1], "0").words
    added = {word.word: word.attribution for word in words}
    assert added["bad"] > 1  # against the film, and what stands before it changes nothing
    assert abs(added["Not"]) < 0.05 * added["bad"]


def test_label_and_log_odds_are_shown_with_and_without_parts_and_printed_by_the_code(classifier):
    text = "The snow walks over the river"
    app = open_page(lang="en", classify_text=text, off=1, off_attention="1,2", off_heads="1.2")
    say = wording("en")
    parts = Parts(heads=((1, 2),), attention=(1, 2))
    expected = ablate_class(load_classifier(classifier.path), text, parts)
    assert expected.before_log_odds != pytest.approx(expected.after_log_odds)
    left = say.number(expected.after_log_odds, 3)
    assert any(left in item.value for item in app.markdown)
    table = next(f.value for f in app.dataframe if say("off.left") in f.value.columns)
    assert table[say("off.class_label")].tolist() == ["frost", "heat"]
    assert table[say("off.left")].tolist() == pytest.approx(
        list(expected.after.probabilities.values())
    )
    printed, _ = visits.pasted(app, classifier)
    before, after = expected.before_log_odds, expected.after_log_odds
    shown = f"log-odds of {expected.label}: {before:.4f}, now {after:.4f}"
    assert shown in printed

"""What speaks against an answer is said beside it, with the models that ship: Classify and Translate."""

from functools import partial

import pytest

from app import shelf_models
from app.views.classify.chosen_classifier import is_unsure
from app.widgets.outputs import plain
from app.wording import wording
from embeddings.probing.label_prediction import predict
from embeddings.probing.sentence_answers import Prediction
from embeddings.shelf.companions import read_calibration
from embeddings.shelf.loading import load_classifier
from tests.app import visits

pytestmark = pytest.mark.usefixtures("own_home")  # no models but those that ship
open_page = partial(visits.open_page, timeout=180)
SAY = wording("en")
REVIEWS = "SST-2: sentences of film reviews, 6 920 to train on and 872 to choose by"


def warnings_of(app):
    return [warning.value for warning in app.warning]


def test_a_sentence_of_another_kind_or_language_is_said_to_be_one_else_how_often_it_is_right():
    app = open_page("classify", lang="en")
    expected = plain(SAY("classify.outside", texts=REVIEWS))
    for text, outside, language in (
        ("A warm, funny and beautifully acted film.", False, ""),
        ("It is not funny, and it is far too long.", False, ""),
        ("The key opens the door.", True, ""),
        ("Der Film ist wirklich sehr gut.", True, "de"),
    ):
        app.text_input(key="classify_text").set_value(text).run()
        assert (expected in warnings_of(app)) == outside
        assert any("How far to trust" in caption.value for caption in app.caption) != outside
        warned = any("another language" in warning for warning in warnings_of(app))
        assert warned == bool(language)
    text = "It is not funny, and it is far too long."
    app.text_input(key="classify_text").set_value(text).run()
    _, calibration = read_calibration(shelf_models.card(shelf_models.classifiers()[0]))
    (prediction,) = predict(load_classifier("en-sst2"), [text])
    probability = prediction.probabilities[prediction.label]
    part = next(b for b in calibration.bins if b.low < probability <= b.high)
    shares = {name: SAY.number(100 * getattr(part, name)) for name in ("low", "high")}
    share = SAY.number(100 * part.accuracy)
    sentence = SAY("classify.reliable", texts=part.texts, share=share, **shares)
    assert sentence in [caption.value for caption in app.caption]
    assert "all words masked" in visits.page_text(app)


def test_the_share_on_the_page_is_that_of_the_logits_over_the_temperature():
    """The odds are those without calibration to the power of 1 / T, with the T = 1.37 that the card records."""
    classifier = load_classifier("en-sst2")
    uncalibrated = type(classifier)("raw", classifier.network, classifier.reader)
    (raw,), (calibrated,) = (predict(c, ["Not bad at all."]) for c in (uncalibrated, classifier))
    raw_odds, odds = (p.probabilities["0"] / p.probabilities["1"] for p in (raw, calibrated))
    assert classifier.temperature == pytest.approx(1.3657, abs=1e-3)
    assert odds == pytest.approx(raw_odds ** (1 / classifier.temperature), rel=1e-4)
    assert calibrated.label == raw.label
    assert calibrated.probabilities["0"] < raw.probabilities["0"]


@pytest.mark.parametrize(
    ("shares", "unsure"),
    [
        ((0.74, 0.26), True),
        ((0.76, 0.24), False),
        ((0.66, 0.2, 0.14), True),
        ((0.68, 0.2, 0.12), False),
    ],
)
def test_the_band_in_which_it_is_unsure_ends_halfway_from_chance_to_certainty(shares, unsure):
    probabilities = {str(label): share for label, share in enumerate(shares)}
    assert is_unsure(Prediction("x", "0", probabilities)) == unsure


def test_a_translation_out_of_what_the_translator_knows_is_said_to_be():
    app = open_page("translate", lang="en", translate_text="The key opens the door.")
    outside = "Outside what it has learned"
    assert any(outside in warning for warning in warnings_of(app))
    known = "Two dogs are running through the grass."
    app.text_input(key="translate_text").set_value(known).run()
    assert not any(outside in warning for warning in warnings_of(app))

"""Calibration: ten sentences by hand, and planted logits whose temperature is known."""

import numpy as np
import pytest

from embeddings.analysis.calibration import (
    calibrate,
    expected_calibration_error,
    fit_temperature,
    probabilities,
    reliability,
)
from embeddings.errors import InputError

# ten sentences: share of "positive", and whether they are
TEN = [
    ("A warm, funny film.", 0.95, 1),
    ("I loved every minute.", 0.95, 1),
    ("A delight from start to end.", 0.95, 1),
    ("Not bad at all.", 0.05, 1),
    ("Two hours of noise.", 0.05, 0),
    ("A waste of time.", 0.15, 0),
    ("It has its moments.", 0.65, 1),
    ("It is a film.", 0.65, 0),
    ("The cast tries hard.", 0.35, 0),
    ("The ending disappoints.", 0.35, 1),
]


def test_the_calibration_error_of_ten_sentences_by_hand():
    """Sure 0.95: 5 sentences, 4 right, |0.95 - 0.8|; 0.85: 1 right, 0.15; 0.65: 4 sentences, 2 right, 0.15: in the mean 0.15."""
    shares = np.array([[1 - positive, positive] for _, positive, _ in TEN])
    labels = np.array([label for *_, label in TEN])
    bins = reliability(shares, labels)
    assert [(b.texts, round(b.confidence, 9), b.accuracy) for b in bins] == [
        (4, 0.65, 0.5),
        (1, 0.85, 1.0),
        (5, 0.95, 0.8),
    ]
    assert expected_calibration_error(bins) == pytest.approx(0.15)


def test_dividing_by_the_temperature_takes_the_root_of_the_odds():
    """Odds of 19 : 1 under T = 2 are the root of 19 : 1, 4.36 : 1, so 0.813."""
    logits = np.log(np.array([[0.05, 0.95]]))
    assert probabilities(logits, 2.0)[0, 1] == pytest.approx(19**0.5 / (1 + 19**0.5))


def planted(temperature, texts=4000, seed=0):
    """Logits that are too large by a known factor: the labels are drawn from what they are without it."""
    rng = np.random.default_rng(seed)
    honest = np.stack([np.zeros(texts), rng.normal(0, 1.5, texts)], axis=1)
    labels = (rng.random(texts) < probabilities(honest)[:, 1]).astype(int)
    return honest * temperature, labels


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_a_planted_temperature_is_found(temperature):
    logits, labels = planted(temperature)
    assert fit_temperature(logits, labels) == pytest.approx(temperature, rel=0.1)


def test_calibration_is_measured_on_other_texts_than_it_is_fitted_on():
    logits, labels = planted(3.0)
    calibration = calibrate(logits, labels)
    assert (calibration.fitted, calibration.measured) == (2000, 2000)
    assert calibration.error_before > 0.1 > 0.03 > calibration.error
    changed = labels.copy()
    changed[1::2] = 1 - changed[1::2]
    assert calibrate(logits, changed).temperature == calibration.temperature


def test_the_label_that_wins_stays_the_same():
    logits, _ = planted(3.0, 200)
    assert (probabilities(logits, 3.0).argmax(1) == logits.argmax(1)).all()


def test_too_few_texts_are_refused():
    with pytest.raises(InputError, match="Texts with a label: 4; at least 20"):
        calibrate(np.zeros((4, 2)), np.zeros(4, int))

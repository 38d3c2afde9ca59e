"""What cards say of how far to trust a model: written, read again, and passed over where it is of no known shape."""

import json

import pytest

from embeddings.results.network_answers import LogProbabilityRange
from embeddings.results.sentence_answers import Calibration, ReliabilityBin
from embeddings.shelf import Entry, read_card
from embeddings.shelf.calibrating import (
    read_calibration,
    read_log_probabilities,
    record_calibration,
    record_log_probabilities,
)

BINS = (ReliabilityBin(0.5, 0.6, 3, 0.55, 1 / 3), ReliabilityBin(0.9, 1.0, 7, 0.95, 1.0))
CALIBRATION = Calibration(1.5, 10, 10, 0.1, 0.02, BINS[1:], BINS)


@pytest.fixture
def entry(tmp_path):
    (tmp_path / "card.json").write_text('{"name": "m", "kind": "classifier"}', encoding="utf-8")
    return Entry("m", "classifier", "", "en", tmp_path)


def test_a_calibration_is_read_as_it_was_noted(entry):
    record_calibration(entry, CALIBRATION, "dev.tsv")
    assert read_calibration(read_card(entry)) == ("dev.tsv", CALIBRATION)


def test_a_range_of_log_probabilities_is_read_as_it_was_noted(entry):
    spread = LogProbabilityRange(-0.5, -1.2, 200)
    record_log_probabilities(entry, spread, "val.en")
    assert read_log_probabilities(read_card(entry)) == spread


@pytest.mark.parametrize(
    "value",
    [None, 3, {}, {"temperature": "hot"}, {"temperature": 1, "bins": [3]}, {"median": "low"}],
)
def test_what_is_of_no_known_shape_is_passed_over(value):
    card = json.loads(json.dumps({"calibration": value, "domain": value}))
    assert read_calibration(card) is None
    assert read_log_probabilities(card) is None

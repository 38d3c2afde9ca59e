"""docs/licences.md names every library, model and text, with the licence that each itself names."""

from importlib import metadata

import pytest

from benchmarks import licences

PAGE = licences.PAGE.read_text(encoding="utf-8")


@pytest.mark.bookkeeping
@pytest.mark.parametrize("name", licences.direct())
def test_a_library_stands_there_with_its_licence(name):
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| {name} |"))
    assert row == licences.row(name, licences.licence_of(metadata.distribution(name)))
    assert "not stated" not in row


def test_models_and_texts_stand_there_as_cards_and_catalogue_say():
    lines = set(PAGE.splitlines())
    assert {*licences.models(), *licences.texts()} <= lines
    assert len(licences.models()) == len(list((licences.ROOT / "data/models").glob("*/card.json")))


def test_a_library_needs_what_its_metadata_say():
    known = licences.closure(["pandas"])
    assert {"pandas", "numpy", "python-dateutil"} <= set(known)

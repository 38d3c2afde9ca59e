"""Explore over a large model: what its index found of the true neighbours is said, and a click compares with every word."""

import numpy as np
import pytest

from app.loaders import shelf_models
from app.wording import wording
from embeddings import shelf
from tests.app.visits import listed_neighbours, open_page, page_text


def neighbours_of(row, entry):
    """The ten nearest words of a row, the nearest first, by all cosines."""
    matrix = shelf.load_vectors(entry.path).matrix.astype(np.float64)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return [f"w{other}" for other in np.argsort(-(unit @ unit[row]))[1:11]]


def shown_neighbours(app):
    """The words of the list."""
    return listed_neighbours(app)["large"]


@pytest.mark.parametrize("language", ["en", "ru", "de"])
def test_the_recall_of_the_index_is_shown_and_a_click_compares_with_every_word(
    indexed_model, monkeypatch, language
):
    monkeypatch.setattr(shelf_models, "INDEXED_PAST", 1000)
    entry, report = indexed_model
    say = wording(language)
    recall = say.number(100 * report.recall, 1)
    app = open_page(lang=language, text="en", models="large", word="w7", n=10)
    approximate = say("explore.index_used", model="large", recall=recall, topn=10, sampled=200)
    exact = say("explore.index_exact", model="large")
    expected = neighbours_of(7, entry)
    assert report.recall <= 0.9  # the index leaves out one of ten
    assert approximate in page_text(app)
    assert exact not in page_text(app)
    assert shown_neighbours(app)[:9] == expected[1:]
    app.toggle(key="exact").set_value(True).run()
    assert not app.exception
    assert exact in page_text(app)
    assert recall not in page_text(app)
    assert shown_neighbours(app) == expected
    app.toggle(key="exact").set_value(False).run()
    app.text_input(key="pattern").set_value("^w").run()  # a filter compares with every word, too
    assert exact in page_text(app)
    assert shown_neighbours(app) == expected

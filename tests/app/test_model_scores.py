"""A model of one's own is scored in the app, on Shelf and on Compare, also where the test sets must be downloaded first."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from app.wording import wording
from embeddings.vectors.formats import write_native
from embeddings.vectors.table import Vectors
from tests.app.visits import open_page, page_text

WORDS = [f"w{n}" for n in range(12)]
PAIRS = [(WORDS[n], WORDS[n + 1], (7 * n) % 11) for n in range(10)] + [("absent", "w1", 3)]


@pytest.fixture
def own(own_home):
    """An imported English model, on a shelf with no test set."""
    matrix = np.random.default_rng(3).normal(size=(12, 6)).astype(np.float32)
    vectors = Vectors(WORDS, matrix, np.arange(12, 0, -1), name="mine", language="en")
    write_native(vectors, own_home / "models" / "mine", dtype="float32")
    return vectors


@pytest.fixture
def brought(downloads):
    """The names of what was asked for; test sets of analogies cannot be had."""
    pairs = "".join(f"{a}\t{b}\t{score}\n" for a, b, score in PAIRS)
    return downloads(lambda name: None if name.startswith("analogies") else pairs)


def expected(vectors, say, digits):
    """Spearman's correlation of the pairs whose words are known, computed from the vectors."""
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    known = [(WORDS.index(a), WORDS.index(b), score) for a, b, score in PAIRS if a != "absent"]
    cosines = [float(unit[a] @ unit[b]) for a, b, _ in known]
    return say.number(spearmanr(cosines, [score for *_, score in known]).statistic, digits)


def test_shelf_scores_an_imported_model_on_test_sets_that_one_click_downloads(own, brought):
    say = wording("de")
    app = open_page("shelf", lang="de", text="en", shelf_model="mine")
    assert say("shelf_card.no_scores") in page_text(app)
    app.button(key="compare-score").click().run()
    assert sorted(brought) == ["analogies-en", "similarity-en"]
    table = next(t.value for t in app.dataframe if say("shelf_scores.set") in t.value)
    row = table.set_index(say("shelf_scores.set")).loc["WordSim-353"]
    assert say.number(row[say("shelf_scores.value")], 3) == expected(own, say, 3)
    assert row[say("shelf_scores.covered")] == 10 / 11
    assert row[say("compare.total")] == 11
    assert "compare-score" not in [button.key for button in app.button]


def test_compare_scores_it_too_and_a_set_that_cannot_be_had_is_a_sentence(own, brought):
    say = wording("en")
    address = {"models": "mine,en-cbow", "view": "sets"}
    app = open_page("compare", lang="en", text="en", **address)
    app.button(key="compare-score").click().run()
    cell = app.table[0].value.loc["WordSim-353"]["mine"]
    assert cell == say("compare.cell", value=f"ρ = {expected(own, say, 2)}", covered=10, total=11)
    assert any(info.value.replace("\\", "") == say("errors.formula_empty") for info in app.info)


def test_a_public_server_downloads_nothing(own, brought, monkeypatch):
    monkeypatch.setenv("KLYUCH_PUBLIC", "1")
    app = open_page("shelf", lang="en", shelf_model="mine")
    assert "compare-score" not in [button.key for button in app.button]
    assert not brought

"""Scores of all models with their coverage, and the corpora that they have read."""

import json

import pytest

from app.views.shelf.model_cards import measure_name
from app.wording import wording
from embeddings import shelf
from tests.app.shelf.visits import open_page
from tests.app.visits import LANGUAGES
from tests.app.wording_keys import ROOT


def test_coverage_and_size_are_numbers_so_that_the_table_of_all_scores_is_ordered_by_them(home):
    app = open_page(lang="en", shelf_part="scores")
    rows = app.dataframe[0].value
    by_model = rows[rows["name"] == "mine"].set_index("score")
    assert by_model.loc[0.5, "covered"] == 0.5
    shares = rows["covered"].dropna()
    assert shares.between(0, 1).all()
    assert rows["in the set"].dropna().gt(1).all()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_measure_of_the_models_that_ship_has_words(language):
    cards = (ROOT / "data" / "models").glob("*/card.json")
    scores = [json.loads(card.read_text(encoding="utf-8")).get("scores", {}) for card in cards]
    measures = {name for each in scores for name, score in each.items() if type(score) is float}
    assert "heldout_sentence_accuracy_de" in measures
    say = wording(language)
    named = [measure_name(say, measure) for measure in sorted(measures)]
    assert not [name for name in named if "_" in name]
    assert len({*named}) == len(measures)
    german = measure_name(say, "heldout_sentence_accuracy_de")
    assert german.endswith(say("language.de"))


def test_a_measure_that_only_a_card_knows_keeps_its_name():
    for name in ("perplexity", "lead", "heldout_sentence_accuracy_xx", "note_de"):
        assert measure_name(wording("de"), name) == name


def test_a_corpus_is_deleted_asked_twice_and_one_that_is_gone_is_a_sentence(home):
    first, second = (open_page(lang="en", shelf_part="corpora") for _ in range(2))
    assert list(first.dataframe[0].value["name"]) == ["novel"]
    for app in (first, second):
        app.button(key="shelf-corpus-delete").click().run()
    first.button(key="shelf-corpus-delete-yes").click().run()
    assert "novel" in first.success[0].value
    assert shelf.corpora() == ()
    second.button(key="shelf-corpus-delete-yes").click().run()
    assert "novel" in second.info[0].value

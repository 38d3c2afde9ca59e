"""The reports of change that ship: of their recipes, small, past a null, and not what retraining alone does."""

import pytest

from benchmarks.build_models import read_recipes
from benchmarks.source_tree import check_clean
from embeddings.files import read_json
from embeddings.shelf import data
from embeddings.shelf.change_reports import change_reports, is_shipped, read_report

LARGEST = 500_000  # bytes of all
RECIPE = read_recipes()["changes"]


@pytest.fixture
def reports(monkeypatch, tmp_path):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    return change_reports()


def test_each_report_of_the_recipes_ships_and_all_are_small(reports):
    assert set(reports) == set(RECIPE["reports"])
    assert all(map(is_shipped, reports.values()))
    assert sum(path.stat().st_size for path in (data() / "changes").iterdir()) <= LARGEST


@pytest.mark.parametrize("name", RECIPE["reports"])
def test_a_report_that_ships_is_that_of_its_recipe(reports, name):
    check_clean(read_json(reports[name]), name)
    report, measured = read_report(reports[name])
    assert {key: report.settings[key] for key in RECIPE["training"]} == RECIPE["training"]
    comparison = RECIPE["comparison"]
    assert report.permutations == comparison["permutations"]
    assert report.retrainings == comparison["retrainings"]
    assert len(report.words) == RECIPE["kept"] < measured <= comparison["words"]
    recipe = RECIPE["reports"][name]
    first = " + ".join(recipe["first"]).partition(".")[0]
    assert report.first == (f"{first} < {recipe['at']}" if "at" in recipe else first)
    assert min(report.tokens) > 0.5 * recipe.get("tokens", RECIPE["tokens"])


@pytest.mark.parametrize("name", RECIPE["reports"])
def test_words_past_the_null_move_further_than_a_new_seed_moves_them(reports, name):
    report, _ = read_report(reports[name])
    changed = report.changed()
    assert len(changed) >= 20
    further = sum(word.movement > word.retraining for word in changed)
    assert further >= 0.95 * len(changed)
    assert all(min(word.count_first, word.count_second) >= 30 for word in changed)

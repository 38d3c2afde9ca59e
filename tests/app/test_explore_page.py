"""Explore, headless: filters, lists, maps, forms."""

import pytest

from app.wording import wording
from tests.app.visits import open_page, page_text


def test_a_bad_expression_is_refused_and_the_map_stays(small_shelf):
    app = open_page(lang="en", find="(")
    assert "regular expression" in app.info[0].value
    assert app.get("plotly_chart")


def test_filters_hold_before_the_cut(small_shelf):
    app = open_page(lang="en", pattern="^m", n=3)
    words = list(app.dataframe[0].value.iloc[:3, 2])
    assert len(words) == 3
    assert all(word.startswith("m") for word in words)


def test_a_list_gives_a_table_with_a_line_a_word(small_shelf):
    app = open_page(lang="en", word="wolf, dog, nonsense, Paris")
    assert list(app.dataframe[0].value.iloc[:, 0]) == ["wolf", "dog", "Paris"]
    assert "nonsense" in app.info[0].value


@pytest.mark.parametrize("method", ["tsne", "umap"])
def test_slow_maps_wait_for_the_button(small_shelf, method, monkeypatch):
    from app.views.explore import words_on_map

    methods = []
    project = words_on_map.project

    def watched(*arguments, **settings):
        methods.append(settings["method"])
        return project(*arguments, **{**settings, "method": "pca"})

    monkeypatch.setattr(words_on_map, "project", watched)
    app = open_page(lang="en", method_map=method)
    assert methods == []
    app.button(key="start-map").click().run()
    assert methods == [method]
    assert not app.exception


@pytest.mark.parametrize("colour", ["model", "cluster", "frequency"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_maps_of_every_colour_and_dimension_are_drawn(small_shelf, colour, dimensions):
    app = open_page(lang="en", by=colour, dim=dimensions, fit="all", standardize=0)
    assert "all " in page_text(app)


def test_a_matrix_cut_short_says_so_and_comes_as_csv(small_shelf, monkeypatch):
    from app.views.explore import word_list

    monkeypatch.setattr(word_list, "MAX_MATRIX_WORDS", 2)
    say = wording("en")
    cut = open_page(lang="en", word="king, queen, man")
    assert say("listed.cut", shown=2, known=3) in page_text(cut)
    assert "csv-matrix" in str([b.proto for b in cut.get("download_button")])
    monkeypatch.setattr(word_list, "MAX_MATRIX_WORDS", 3)
    assert "Shown are the first" not in page_text(open_page(lang="en", word="king, queen, man"))


def test_folding_names_the_forms_of_the_asked_word():
    import numpy as np

    from app.loaders import shelf_models
    from app.views.explore.nearest_words import _inflected_forms
    from embeddings.results import Neighbour
    from embeddings.vectors.table import Vectors

    matrix = np.array([[1, 0], [1, 0.1], [1, 0.2], [1, 0.5], [1, 3]], np.float32)
    table = Vectors(["key", "keys", "lock", "door", "keyed"], matrix)
    neighbours = tuple(
        Neighbour(word, float(table.unit_rows([0])[0] @ table.unit_rows([table.row(word)])[0]), 0)
        for word in ("lock", "door")
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shelf_models, "vectors", lambda _: table)
        assert _inflected_forms("key", {"model": neighbours}, "en") == ("keys",)

"""Explore, headless: filters, lists, maps, forms."""

import numpy as np
import pytest

from app.loaders import shelf_models
from app.wording import wording
from embeddings import shelf
from embeddings.vectors.character_ngrams import Subwords
from embeddings.vectors.formats import build_card, write_native
from embeddings.vectors.table import Vectors
from tests.app.visits import listed_neighbours, open_page, page_text


def test_a_bad_expression_is_refused_and_the_map_stays(small_shelf):
    app = open_page(lang="en", find="(", view="map")
    assert "regular expression" in app.info[0].value
    assert app.get("plotly_chart")


def test_filters_hold_before_the_cut(small_shelf):
    app = open_page(lang="en", pattern="^m", n=3)
    for words in listed_neighbours(app).values():
        assert len(words) == 3
        assert all(word.startswith("m") for word in words)


def test_a_list_gives_a_table_with_a_line_a_word(small_shelf):
    app = open_page(lang="en", word="wolf, dog, nonsense, Paris")
    assert list(app.dataframe[0].value.iloc[:, 0]) == ["wolf", "dog", "Paris"]
    assert "nonsense" in app.info[0].value


@pytest.mark.parametrize("method", ["tsne", "umap"])
def test_slow_maps_of_very_many_words_wait_for_the_button(small_shelf, method, monkeypatch):
    from app.loaders import word_answers
    from app.views.explore import words_on_map

    methods = []
    project = word_answers.project

    def watched(*arguments, **settings):
        methods.append(settings["method"])
        return project(*arguments, **{**settings, "method": "pca"})

    monkeypatch.setattr(word_answers, "project", watched)
    word_answers.arranged.clear()
    open_page(lang="en", method_map=method)
    assert methods == [method]
    methods.clear()
    word_answers.arranged.clear()
    monkeypatch.setattr(words_on_map, "AT_ONCE", 5)
    app = open_page(lang="en", method_map=method)
    assert methods == []
    app.button(key="start-map").click().run()
    word_answers.arranged.clear()
    assert methods == [method]
    assert not app.exception


@pytest.mark.parametrize("colour", ["model", "cluster", "frequency"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_maps_of_every_colour_and_dimension_are_drawn(small_shelf, colour, dimensions):
    app = open_page(lang="en", by=colour, dim=dimensions, fit="all", standardize=0)
    assert "all " in page_text(app)


@pytest.mark.parametrize(("spread", "warned"), [(0.05, False), (10.0, True)])
def test_groups_that_do_not_separate_are_told_and_those_that_do_are_not(
    tmp_path, monkeypatch, spread, warned
):
    """Five planted directions; around them little noise, or far more noise than distance."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    words = [f"word{number}" for number in range(40)]
    noise = np.random.default_rng(1).normal(size=(40, 60))
    planted = np.eye(60)[np.arange(40) % 5] + spread * noise
    table = Vectors(words, planted.astype(np.float32), language="en")
    write_native(table, tmp_path / "models" / "planted")
    app = open_page(lang="en", models="planted", by="cluster", word=", ".join(words))
    assert any("hardly separate" in note.value for note in app.warning) is warned


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


@pytest.fixture
def subword_model(small_shelf, tmp_path, monkeypatch):
    """A function that puts a model with n-grams beside the small ones of a language, before them."""

    def add(language, words):
        rng = np.random.default_rng(6)
        vectors = Vectors(words, rng.normal(size=(len(words), 8)).astype(np.float32))
        vectors.counts = np.arange(len(words), 0, -1)
        vectors.method, vectors.language = "fasttext", language
        vectors.subwords = Subwords(3, 4, 9999, rng.normal(size=(9999, 8)).astype(np.float32))
        card = build_card(vectors, corpus={"name": "planted"}, settings={})
        write_native(vectors, tmp_path / "small-parts", card=card)
        entry = shelf.find(tmp_path / "small-parts")
        monkeypatch.setattr(shelf_models, "static_models", lambda: (entry, *small_shelf))
        return shelf.load_vectors(entry.path)

    return add


@pytest.mark.parametrize(
    ("language", "words", "unknown", "ngram"),
    [
        ("en", ["kingdom", "king", "queen", "freedom"], "kingly<b>", "<kin"),
        ("ru", ["король", "королева", "королевство", "ключ"], "королевич", "<кор"),
        ("de", ["könig", "königreich", "königin", "schloss"], "königtum", "köni"),
    ],
)
def test_a_word_outside_the_vocabulary_is_marked_as_composed_with_its_ngrams(
    subword_model, language, words, unknown, ngram
):
    vectors, say = subword_model(language, words), wording(language)
    app = open_page(
        lang=language,
        text=language,
        models=f"small-{language}-skipgram,small-parts",
        word=unknown,
    )
    text = page_text(app)
    assert not app.exception
    assert say("explore.composed", word="WORD", model="fastText").split("WORD")[0] in text
    drawn = "\n".join(str(item.value) for kind in (app.markdown, app.caption) for item in kind)
    assert "<b>" not in drawn.replace("\\<b\\>", "")  # what was typed is shown, never obeyed
    shares = next(table.value for table in app.dataframe if say("explore.share") in table.value)
    parts = {part.text: part.share for part in vectors.parts(unknown).ngrams if part.is_known}
    assert dict(shares.to_numpy().tolist()) == pytest.approx(parts)
    assert ngram in parts
    assert list(shares[say("explore.share")]) == sorted(parts.values(), reverse=True)
    assert any(
        f"small-{language}-skipgram" in info.value for info in app.info
    )  # it has no vector for it
    (label, listed), *others = listed_neighbours(app).items()
    assert (label, others) == ("fastText", [])
    assert set(listed) == set(words)


def test_composed_words_take_part_in_a_list_and_are_named_there(subword_model):
    subword_model("en", ["kingdom", "king", "queen", "freedom"])
    app = open_page(lang="en", models="small-en-skipgram,small-parts", word="king, kingly, zzz")
    assert not app.exception
    assert list(app.dataframe[0].value.iloc[:, 0]) == ["king", "kingly"]
    text = page_text(
        open_page("associations", lang="en", models="small-parts", pair="king, kingly")
    )
    sentence = wording("en")("listed.composed", model="fastText", words="kingly")
    assert sentence.replace(":", "\\:") in text
    assert sentence.replace(":", "\\:") in page_text(app)


def test_a_words_sentences_are_searched_narrowed_and_counted(small_shelf, tmp_path, monkeypatch):
    from embeddings.corpora.concordance import build_concordance

    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    say = wording("en")
    first = open_page(lang="en", word="king", view="sentences")
    assert "klyuch corpus get" in page_text(first)
    assert say("sample_sentences.note") in page_text(first)
    table = next(t.value for t in first.dataframe if say("sentences.left") in t.value.columns)
    assert {word.lower() for word in table[say("common.word")]} == {"king"}
    text = tmp_path / "court.txt"
    lines = ["The old king sat on the throne.", "A king without a throne.", "The kings left."]
    lines[2] = f"{'Long ago, ' * 30}as they say, the kings left."
    text.write_text("\n".join([*lines, *["The queen stayed alone."] * 3]) + "\n")
    (tmp_path / "concordances").mkdir()
    build_concordance([text], tmp_path / "concordances" / "court.sqlite")
    app = open_page(lang="en", word="king", view="sentences")
    table = next(t.value for t in app.dataframe if say("sentences.left") in t.value.columns)
    assert table[say("common.word")].tolist() == ["king", "king", "kings"]
    assert table[say("sentences.left")].iloc[2].endswith("as they say, the ")  # next to the word
    assert table[say("sentences.left")].iloc[2].startswith("…")
    assert len(table[say("sentences.left")].iloc[2]) == 81
    assert say("sample_sentences.note") not in page_text(app)
    near = open_page(lang="en", word="king", sentences_near="throne", sentences_order="right")
    table = next(t.value for t in near.dataframe if say("sentences.left") in t.value.columns)
    assert table[say("sentences.right")].tolist() == [" sat on the throne.", " without a throne."]
    refused = open_page(lang="en", word="king", sentences_pattern="(a+)+")
    assert any("search forever" in info.value for info in refused.info)

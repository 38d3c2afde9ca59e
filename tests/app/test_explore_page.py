"""Explore, headless: filters, lists, maps, forms."""

import numpy as np
import pytest

from app.loaders import shelf_models
from app.wording import wording
from embeddings import shelf
from embeddings.vectors.character_ngrams import Subwords
from embeddings.vectors.formats import build_card, write_native
from embeddings.vectors.sense_table import SenseTable, save_senses
from embeddings.vectors.table import Vectors
from tests.app.visits import listed_neighbours, open_page, page_text


def test_a_bad_expression_is_refused(small_shelf):
    app = open_page(lang="en", pattern="(")
    assert "regular expression" in app.info[0].value


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


def test_folding_names_the_forms_of_the_asked_word(small_shelf, tmp_path, monkeypatch):
    matrix = np.array([[1, 0], [1, 0.1], [1, 0.2], [1, 0.5], [1, 0.8], [1, 3]], np.float32)
    words = ["key", "keys", "lock", "door", "house", "keyed"]
    table = Vectors(words, matrix, name="keys", language="en", method="skipgram")
    write_native(table, tmp_path / "keys", dtype="float32")
    entry = shelf.find(tmp_path / "keys")
    monkeypatch.setattr(shelf_models, "static_models", lambda: (entry, *small_shelf))
    app = open_page(lang="en", models=entry.name, word="key", n=3, fold=1)
    assert list(listed_neighbours(app).values()) == [["lock", "door", "house"]]
    assert "Merged into key: keys." in page_text(app).replace("\\", "")


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
    assert len(table[say("sentences.left")].iloc[2]) == 56
    assert say("sample_sentences.note") not in page_text(app)
    near = open_page(lang="en", word="king", sentences_near="throne", sentences_order="right")
    table = next(t.value for t in near.dataframe if say("sentences.left") in t.value.columns)
    assert table[say("sentences.right")].tolist() == [" sat on the throne.", " without a throne."]
    refused = open_page(lang="en", word="king", sentences_pattern="(a+)+")
    assert any("search forever" in info.value for info in refused.info)


# Explore over a large model: what its index found of the true neighbours is said, and a click compares with every word


def neighbours_of(row, entry):
    """The ten nearest words of a row, the nearest first, by all cosines."""
    matrix = shelf.load_vectors(entry.path).matrix.astype(np.float64)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return [f"w{other}" for other in np.argsort(-(unit @ unit[row]))[1:11]]


def shown_neighbours(app):
    """The words of the list."""
    return listed_neighbours(app)["large"]


def test_the_recall_of_the_index_is_shown_and_a_click_compares_with_every_word(
    indexed_model, monkeypatch
):
    language = "ru"
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
    shown = shown_neighbours(app)
    assert expected[0] not in shown  # the nearest is what the index misses
    assert (
        len({*shown} & {*expected}) >= 7
    )  # it is built by several threads, and no build is like another
    app.toggle(key="exact").set_value(True).run()
    assert not app.exception
    assert exact in page_text(app)
    assert recall not in page_text(app)
    assert shown_neighbours(app) == expected
    app.toggle(key="exact").set_value(False).run()
    app.text_input(key="pattern").set_value("^w").run()  # a filter compares with every word, too
    assert exact in page_text(app)
    assert shown_neighbours(app) == expected


# Explore shows the senses of a word that a model keeps: neighbours, map, sentences; a sense is asked for as a word; three languages


WORDS = {
    "en": ("king", "queen", "man"),
    "ru": ("король", "королева", "мужчина"),
    "de": ("könig", "königin", "mann"),
}


@pytest.fixture
def with_senses(small_shelf, tmp_path, monkeypatch):
    """Return a function that puts a model with two senses of a word on the shelf: one as the second word, one as the third."""

    def add(language):
        entry = next(e for e in small_shelf if e.name == f"small-{language}-skipgram")
        vectors = shelf.load_vectors(entry.path)
        vectors.name = "small-senses"
        word, *near = WORDS[language]
        table = SenseTable(
            (word,),
            ((word,),),
            np.array([0, 2]),
            vectors.unit_rows([vectors.row(other) for other in near]),
            np.array([0.7, 0.3], np.float32),
            tuple((other,) for other in near),
            (("one <b>bold</b> sentence",), ()),
            np.eye(17, 16, dtype=np.float32),
        )
        write_native(vectors, tmp_path / "s", extra=lambda new: save_senses(table, new))
        found = shelf.find(tmp_path / "s")
        monkeypatch.setattr(shelf_models, "static_models", lambda: (found, *small_shelf))
        return found

    return add


def test_a_word_with_senses_shows_each_with_its_neighbours_and_its_point(with_senses):
    language = "de"
    entry, say = with_senses(language), wording(language)
    word, *near = WORDS[language]
    app = open_page(lang=language, text=language, models=entry.name, word=word, view="senses")
    text = page_text(app)
    assert say("senses.title", word=word) in text
    assert say("senses.share", share=say.number(70, 0)) in text
    assert f"{word}\\#1" in text
    assert "<b>" not in text.replace("\\<b\\>", "")
    large = open_page(lang=language, text=language, models=entry.name, word=word, view="map")
    labels = {str(t) for chart in large.get("plotly_chart") for t in [chart.proto.spec]}
    drawn = "".join(labels)
    assert f"{word}#1" in drawn.encode().decode("unicode_escape", "ignore") or f"{word}#1" in drawn
    app.button(key=f"ask-{entry.name}-{word}#2").click().run()
    assert not app.exception
    assert app.text_input(key="word").value == f"{word}#2"
    app.segmented_control(key="view").set_value("neighbours").run()
    (listed,) = listed_neighbours(app).values()
    assert listed[0] == near[1]
    assert word not in listed


def test_a_word_without_senses_says_so(small_shelf):
    say = wording("en")
    app = open_page(lang="en", word="king", view="senses")
    assert [info.value for info in app.info] == [say("senses.none", word="king")]


def test_a_sense_that_does_not_exist_is_refused_with_those_that_do(with_senses):
    entry = with_senses("en")
    app = open_page(lang="en", models=entry.name, word="king#9")
    assert "king#1, king#2" in "".join(info.value.replace("\\", "") for info in app.info)

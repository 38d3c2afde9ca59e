"""The page Compare, headless, on small models; its figures, asserted on their data."""

import re

import numpy as np
import pytest

from app import shelf_models
from app.figures.model_comparison import agreement_figure, movement_figure
from app.widgets import model_answers
from app.wording import examples, wording
from embeddings.analysis.comparison_answers import CommonMap, ComparedWord, RunRange, ScoreRange
from embeddings.shelf import Entry, installed_sets
from embeddings.vectors.formats import write_native
from embeddings.vectors.table import Vectors
from tests.app.plotly_figures import checked
from tests.app.visits import open_page, pasted, value

agreement_figure = checked(agreement_figure)
movement_figure = checked(movement_figure)


@pytest.fixture
def pair(tmp_path, monkeypatch):
    """Two English models: random vectors, and the same turned with wolf and key swapped."""
    words = [*(f"w{i}" for i in range(80)), "wolf", "key", "music"]
    matrix = np.random.default_rng(4).normal(size=(83, 12)).astype(np.float32)
    turned = matrix @ np.linalg.qr(np.random.default_rng(5).normal(size=(12, 12)))[0]
    turned[[80, 81]] = turned[[81, 80]]
    entries = []
    for name, rows in (("one", matrix), ("two", turned.astype(np.float32))):
        vectors = Vectors(words, rows, np.arange(83, 0, -1), name=name, language="en")
        card = {"scores": {"ru.txt": {"accuracy": 0.5, "covered": 10, "total": 1234}}}
        write_native(vectors, tmp_path / name, card=card, dtype="float16")
        entries.append(Entry(name, "static", "", "en", tmp_path / name))
    monkeypatch.setattr(shelf_models, "static_models", lambda: tuple(entries))
    monkeypatch.setattr(installed_sets, "similarity_sets", lambda _: ())
    monkeypatch.setattr(installed_sets, "analogy_set", lambda _: ())
    monkeypatch.setattr(model_answers, "sets_to_fetch", lambda _: ())
    return entries


def test_the_swapped_words_stand_first_in_every_table(pair):
    app = open_page("compare", lang="en", compared="w1, wolf, w2, music, key, w3", compared_n=5)
    words = app.dataframe[0].value
    assert set(words.iloc[:2, 0]) == {"wolf", "key"}
    assert len(words) == 6
    assert words.iloc[:, 2].is_monotonic_decreasing
    app.segmented_control(key="view").set_value("differ").run()
    assert set(app.dataframe[0].value.iloc[:2, 0]) == {"wolf", "key"}


def test_scores_stand_with_their_coverage_and_those_of_retrainings_in_a_column_of_their_own(
    pair, monkeypatch
):
    def spans(one, two):
        ranges = {"one": one, "two": two}
        monkeypatch.setattr(shelf_models, "score_ranges", lambda entry: ranges[entry.name])

    def of_set(measure, values, total, *, is_resampled=True):
        return ScoreRange(measure, RunRange.of(values), total, is_resampled)

    resampled = of_set("accuracy", [0.3, 0.5], 1234)  # standard deviation 0.2 / sqrt(2)
    spans({"ru.txt": resampled}, {"ru.txt": of_set("accuracy", [0.4], 1234)})
    app = open_page("compare", view="sets", lang="en")
    table, cell = app.table[0].value, "50.0 % (10 of 1,234)"
    assert list(table.index) == [wording("en")("testset.ru")]
    assert list(table.iloc[0]) == [cell, cell, "40.0 % ± 14.1"]
    (said,) = [caption.value for caption in app.caption if caption.value.startswith("±")]
    assert "30.0 %" in said
    assert "50.0 %" in said
    # trainings on one text are told from draws; another set of the name, and one without a score, are passed over
    others = of_set("accuracy", [0.3, 0.5], 99), of_set("spearman", [0.3, 0.5], 10)
    seeds = of_set("accuracy", [0.3, 0.5], 1234, is_resampled=False)
    spans({"ru.txt": seeds}, dict(zip(("ru.txt", "unscored.txt"), others, strict=True)))
    app.run()
    assert list(app.table[0].value.iloc[0]) == [cell, cell, "40.0 % ± 14.1"]
    (said,) = [caption.value for caption in app.caption if caption.value.startswith("±")]
    assert "on the same text" in said
    assert "drawn anew" not in said


def test_a_set_that_no_card_scores_is_scored_when_asked(pair, tmp_path, monkeypatch):
    judged = tmp_path / "EN-WS-353-ALL.txt"
    judged.write_text("wolf\tmusic\t3\nw1\tw2\t5\nw3\tw4\t1\nabsent\tw5\t2\n", encoding="utf-8")
    monkeypatch.setattr(installed_sets, "similarity_sets", lambda _: (judged,))
    app = open_page("compare", view="sets", lang="en")
    assert "WordSim-353" not in app.table[0].value.index
    app.button(key="compare-score").click().run()
    assert "compare-score" not in [button.key for button in app.button]
    cells = app.table[0].value.loc["WordSim-353"]
    assert all(cell.startswith("ρ = ") and cell.endswith("(3 of 4)") for cell in cells)


def test_unknown_words_are_named_and_left_out(pair):
    app = open_page("compare", lang="en", compared="wolf, xyzzy, key")
    assert "xyzzy" in app.info[0].value
    app.text_input(key="compared").set_value("xyzzy").run()
    assert "None of these words" in app.info[0].value
    assert not app.metric


def test_models_without_common_words_are_a_sentence(pair, tmp_path, monkeypatch):
    strange = Vectors([f"x{i}" for i in range(20)], np.eye(20, dtype=np.float32), name="strange")
    write_native(strange, tmp_path / "strange")
    entries = (pair[0], Entry("strange", "static", "", "en", tmp_path / "strange"))
    monkeypatch.setattr(shelf_models, "static_models", lambda: entries)
    app = open_page("compare", lang="de", text="en", compared="w1, w2")
    assert "Wörter gemeinsam" in app.info[0].value


def test_the_code_offered_prints_the_numbers_shown(pair):
    app = open_page("compare", lang="en", compared="wolf, w1, w2", compared_n=4)
    printed, _ = pasted(app, *pair)
    found = re.search(r"overlap ([\d.]+), procrustes_error ([\d.]+)", printed)
    overlap, error = map(float, found.groups())
    values = [metric.value for metric in app.metric]
    assert values[0] == f"{100 * overlap:.0f} %"
    assert values[1] == f"{error:.2f}"


WORDS = (ComparedWord("a<b", 0.5, 0.25, ("x",)), ComparedWord("c", 0.0, 1.5))


def test_a_row_a_word_shows_overlap_and_movement():
    figure = agreement_figure(WORDS, ("overlap", "movement"))
    assert list(figure.data[0].x) == [50, 0]
    assert list(figure.data[1].x) == [0.25, 1.5]
    assert list(figure.layout.yaxis.ticktext) == ["a&lt;b", "c"]
    assert [note.text for note in figure.layout.annotations] == ["overlap", "movement"]
    assert not figure.layout.yaxis.zeroline  # no line through the first word


def test_a_word_that_has_not_moved_has_no_minus():
    words = (ComparedWord("a", 1.0, -1.2e-7), ComparedWord("b", 1.0, 0.126))
    figure = agreement_figure(words, ("", ""), ",.")
    assert [list(bar.text) for bar in figure.data] == [["100\xa0%"] * 2, ["0,00", "0,13"]]
    for axis in (figure.layout.xaxis, figure.layout.xaxis2):
        assert axis.showticklabels is False  # the last of one would touch the first of the other


def test_an_arrow_leads_from_the_first_model_to_the_second():
    first, second = np.array([[0.0, 0.0], [2.0, 1.0]]), np.array([[1.0, 0.5], [2.0, 1.5]])
    common = CommonMap(("a", "b"), first, second, (0.6, 0.3))
    figure = movement_figure(common, ("M", "N"), ("#111111", "#222222"), ("1", "2"))
    assert [trace.name for trace in figure.data] == ["M", "N"]
    arrows = [(note.ax, note.ay, note.x, note.y) for note in figure.layout.annotations]
    assert arrows == [(0.0, 0.0, 1.0, 0.5), (2.0, 1.0, 2.0, 1.5)]
    assert list(figure.data[1].text) == ["a", "b"]


def test_an_example_fills_the_words_and_they_are_compared(small_shelf):
    app = open_page("compare", lang="en", text="ru")
    lists = examples("ru")["compared_lists"].split(" | ")
    buttons = [each for each in app.button if str(each.key).startswith("example-compared-")]
    assert [each.label for each in buttons] == lists
    buttons[1].click().run()
    assert app.text_input(key="compared").value == value(app, "compared") == lists[1]

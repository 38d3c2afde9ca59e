"""The page Grammar, headless, on a tiny BERT; its figures on made-up scores."""

import math
import re
from functools import partial

import numpy as np
import pytest
from scipy.stats import binomtest

from app import shelf_models
from app.figures.palette import BLUE, VERMILION
from app.figures.sentence_words import (
    align_tokens,
    layer_scores_figure,
    token_scores_figure,
)
from app.views.grammar import score_sections
from app.widgets.outputs import plain
from app.wording import wording
from benchmarks.research.grammar_accuracy import grammar_experiment
from benchmarks.result_files import write_results
from embeddings.analysis.score_answers import sign_test
from embeddings.lab import experiment_files
from embeddings.probing.network import open_reader
from embeddings.probing.sentence_answers import GrammarScores, SentenceScore
from embeddings.probing.sentence_scoring import score_sentences
from embeddings.shelf.locations import grammar_examples
from tests.app import visits
from tests.app.plotly_figures import checked
from tests.app.visits import LANGUAGES, page_text

layer_scores_figure, token_scores_figure = map(checked, (layer_scores_figure, token_scores_figure))
open_page = partial(visits.open_page, "grammar")
PAIR = ("The keys open the door.", "The keys opens the door.")


def sentence_score(text="a b", tokens=("a", "b"), rows=((-3.0, -4.0), (-1.0, -2.0)), unknown=0):
    """A sentence with the log-probabilities of two layers."""
    ends = np.cumsum([len(token) for token in tokens])
    spans = tuple((int(end) - len(t), int(end)) for t, end in zip(tokens, ends, strict=True))
    return SentenceScore(text, tuple(tokens), spans, np.array(rows, float), unknown)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_scores_the_first_example_on_first_load_and_another_that_is_clicked(
    networks, tiny_bert, language
):
    app = open_page(lang=language, text=language)
    say = wording(language)
    pairs = grammar_examples(language)
    pair = pairs[0]
    good, bad = score_sentences(open_reader(tiny_bert), [pair.good, pair.bad])
    assert app.text_input(key="grammar_first").value == pair.good
    assert app.text_input(key="grammar_second").value == pair.bad
    preferred = pair.good if good.total > bad.total else pair.bad
    verdict = "prefers" if len(good.tokens) == len(bad.tokens) else "prefers_sum"
    assert app.subheader[0].value == say(f"grammar.{verdict}", sentence=plain(preferred))
    assert say.number(good.total, 2) in page_text(app)
    assert say.number(bad.total, 2) in page_text(app)
    assert say.number(abs(good.total - bad.total), 2) in page_text(app)
    assert len(app.get("plotly_chart")) == 1
    assert len(app.dataframe) == 1  # the same tokens as a table
    assert visits.value(app, "grammar_second") == pair.bad  # a link has the default too
    names = [app.button(key=f"example-grammar-{pair.phenomenon}").label for pair in pairs]
    assert names == [say(f"phenomenon.{pair.phenomenon}") for pair in pairs]
    assert len(set(names)) == len(pairs) >= 12
    app.button(key=f"example-grammar-{pairs[2].phenomenon}").click().run()
    assert app.text_input(key="grammar_first").value == pairs[2].good
    assert app.text_input(key="grammar_second").value == pairs[2].bad
    assert visits.value(app, "grammar_second") == pairs[2].bad


def test_layers_are_read_by_the_lens_of_the_network(networks, own_home):
    reader = open_reader(networks[0].path)
    lens, texts = reader.lens(), ("The keys open it.", "The keys opens it.")
    address = {"grammar_first": texts[0], "grammar_second": texts[1], "view": "layers"}
    app = open_page(lang="en", lens="jacobian", **address)
    _, lines = visits.pasted(app, networks[0])
    sums = [float(line[line.index("nats,") - 1]) for line in lines if "nats," in line]
    scores = reader.score_sentences(texts, lens=lens)
    np.testing.assert_allclose(sums, [score.total for score in scores], atol=1e-3)
    table = app.dataframe[0].value
    np.testing.assert_allclose(table.iloc[:, 1:3].T, lens.kl, atol=1e-5)
    assert "lens=network.lens()" in page_text(app)


def test_a_list_of_pairs_is_scored_with_a_sign_test_over_its_pairs(networks, tiny_bert):
    pairs = [
        *(("The key opens it.", "The key open it."), ("The keys open it.", "The keys opens it.")),
        *(("He saw her.", "He saw she."), ("She has slept.", "She have slept.")),
        *(("They sleep here.", "They sleeps here."), ("I am old.", "I is old.")),
        ("The dogs bark.", "The dogs barks."),
    ]
    typed = "\n".join(f"{good}\t{bad}" for good, bad in pairs[:-1]) + "\nno pair here"
    app = open_page(lang="en", view="own", grammar_pairs=typed)
    scores = score_sentences(open_reader(tiny_bert), [text for pair in pairs[:-1] for text in pair])
    scored = list(zip(scores[::2], scores[1::2], strict=True))
    ahead = [
        good.total > bad.total
        if len(good.tokens) == len(bad.tokens)
        else good.per_token > bad.per_token
        for good, bad in scored
    ]
    say, text = wording("en"), page_text(app)
    assert f"in {sum(ahead)} of 6 pairs" in text
    assert f"p = {binomtest(sum(ahead), 6).pvalue:.4f}" in text
    assert say("grammar.not_pairs", count=1) in text
    rows = app.dataframe[0].value
    assert list(rows["preferred"]) == ["first" if is_ahead else "second" for is_ahead in ahead]
    differences = [good.total - bad.total for good, bad in scored]
    np.testing.assert_allclose(rows["difference, nats"], differences, atol=1e-4)
    app.text_area(key="grammar_pairs").set_value("only one sentence").run()
    assert [info.value for info in app.info] == [say("grammar.no_pairs")]
    nouns = ("key", "dog", "man", "cat", "door")  # five are too few for any result
    typed = "\n".join(f"A {noun} is here.|A {noun} are here." for noun in nouns)
    app.text_area(key="grammar_pairs").set_value(typed).run()
    assert f"p would be {2 * 0.5**5:.3f}" in page_text(app)


@pytest.mark.parametrize(
    ("successes", "count"), [(0, 0), (0, 1), (3, 5), (6, 6), (40, 100), (1, 9)]
)
def test_the_sign_test_is_the_exact_binomial_one(successes, count):
    expected = binomtest(successes, count).pvalue if count else 1.0
    assert sign_test(successes, count) == pytest.approx(expected)


def test_sentences_of_unequal_length_are_compared_by_the_mean_too(networks, tiny_bert):
    texts = ["Die Tür ist offen.", "Offen."]
    app = open_page(lang="de", grammar_first=texts[0], grammar_second=texts[1])
    first, second = score_sentences(open_reader(tiny_bert), texts)
    say = wording("de")
    (warning,) = app.warning
    for score in (first, second):
        assert say.number(score.per_token, 3) in warning.value
        assert say.number(len(score.tokens)) in warning.value
    preferred = texts[0] if first.per_token > second.per_token else texts[1]
    assert warning.value.endswith(plain(preferred))
    app.text_input(key="grammar_second").set_value(texts[0]).run()  # the same one twice
    assert not app.warning
    assert app.subheader[0].value == say("grammar.tie")


def test_what_is_empty_or_cannot_be_scored_or_read_is_a_sentence_and_markup_stays_text(networks):
    app = open_page(lang="de")
    empty = wording("de")("grammar.empty")
    for text, fragment in (("  ", empty), ("дверь " * 80, "64"), ("He [MASK] it.", "MASK")):
        app.text_input(key="grammar_first").set_value(text).run()
        assert fragment in app.info[0].value
        assert not app.get("plotly_chart")
    app.text_input(key="grammar_first").set_value("He saw 银行.").run()
    unknown = wording("de")("grammar.unknown", words="银行")
    assert unknown in [warning.value for warning in app.warning]
    app.text_input(key="grammar_second").set_value("*A* [b](http://c) <i>")
    app.text_input(key="grammar_first").set_value("*A* <i>").run()
    assert re.findall(r".<i.>", app.subheader[0].value) == ["\\<i\\>"]  # markup stays text
    app.text_input(key="grammar_second").set_value(" ").run()
    assert app.info[0].value == empty
    assert not app.get("plotly_chart")


def test_a_network_without_an_mlm_head_says_so(networks, monkeypatch, tiny_bert):
    reader = open_reader(tiny_bert, tiny_bert.name)
    monkeypatch.setattr(reader.network, "tokens", None)
    monkeypatch.setattr(shelf_models, "reader", lambda _: reader)
    app = open_page(lang="ru", grammar_first="Not asked before.")
    assert tiny_bert.name in app.info[0].value
    assert not app.get("plotly_chart")


def test_the_same_in_python_prints_what_the_page_shows(networks):
    app = open_page(lang="en", grammar_first=PAIR[0], grammar_second=PAIR[1])
    printed, lines = visits.pasted(app, networks[0])
    for score in score_sentences(open_reader(networks[0].path), PAIR):
        means = f"{score.total:.4f} nats, {score.per_token:.4f} per token"
        assert f"{score.text}: {means}" in printed
        for token, nats in zip(score.tokens, score.log_probabilities[-1], strict=True):
            assert [token, f"{nats:.4f}"] in lines
    cited = next(code.value for code in app.code if "sha256" in code.value)
    assert all(text in cited for text in (networks[0].name, *PAIR))


def test_the_table_has_every_token_of_both_sentences():
    scores = (sentence_score(), sentence_score("a c", ("a", "c"), ((-3, -4), (-1.5, -0.5))))
    rows = score_sections.token_rows(wording("en"), scores)
    assert list(rows["sentence"]) == ["first", "first", "second", "second"]
    assert list(rows["position"]) == [1, 2, 1, 2]
    assert list(rows["token"]) == ["a", "b", "a", "c"]
    assert list(rows["log-probability, nats"]) == [-1, -2, -1.5, -0.5]
    np.testing.assert_allclose(rows["probability"], np.exp([-1, -2, -1.5, -0.5]))


def test_equal_tokens_share_a_row_and_others_stand_in_order():
    rows = align_tokens(("The", "keys", "open", "it"), ("The", "keys", "open", "##s", "it"))
    assert [row.numbers for row in rows] == [(0, 0), (1, 1), (2, 2), (None, 3), (3, 4)]
    assert [row.differs for row in rows] == [False, False, False, True, False]
    rows = align_tokens(("a", "b", "c"), ("a", "x", "c"))
    assert [row.numbers for row in rows] == [(0, 0), (1, 1), (2, 2)]
    assert rows[1].differs


def test_each_token_has_a_bar_of_its_log_probability_and_what_differs_is_bold():
    scores = (
        sentence_score("a b", ("a", "b")),
        sentence_score("a c", ("a", "<c>"), ((-3, -4), (-0.5, -12.25))),
    )
    figure = token_scores_figure(scores, "nats", ",.")
    first, second = figure.data
    assert (list(first.x), list(second.x)) == ([-1, -2], [-0.5, -12.25])
    assert (first.marker.color, second.marker.color) == (BLUE, VERMILION)
    assert list(first.marker.opacity) == [0.6, 1.0]
    assert list(second.text) == ["−0,50", "−12,25"]
    assert second.customdata[1][0] == "&lt;c&gt;"
    assert second.customdata[1][1] == pytest.approx(math.exp(-12.25))
    assert list(figure.layout.yaxis.ticktext) == ["a", "<b>b</b>", "<b>&lt;c&gt;</b>"]
    assert first.y[0] < second.y[0] < first.y[1] < second.y[1]  # rows from the top
    left, right = figure.layout.xaxis.range
    assert left == 0
    assert right < -12.25
    assert [trace.name for trace in figure.data] == ["1: a b", "2: a c"]


def test_a_long_sentence_is_cut_in_the_legend():
    long = "word " * 30
    figure = token_scores_figure((sentence_score(long), sentence_score(long)), "nats")
    assert figure.data[0].name.endswith("word …")
    assert len(figure.data[0].name) < 60


def test_sums_of_both_sentences_are_drawn_by_layer_and_how_far_the_first_is_ahead():
    scores = (
        sentence_score("a b", ("a", "b"), ((-3, -4), (-3, -2), (-1, -2))),
        sentence_score("a c", ("a", "c"), ((-2, -4), (-3, -2), (-2, -3.5))),
    )
    names = {"sum": "s", "difference": "d", "layer": "l"}
    figure = layer_scores_figure(scores, names, ["input", "1", "2"])
    first, second, ahead = figure.data
    assert (list(first.y), list(second.y)) == ([-7, -5, -3], [-6, -5, -5.5])
    assert list(ahead.y) == [-1, 0, 2.5]
    assert list(ahead.marker.color)[::2] == [VERMILION, BLUE]
    assert list(ahead.text) == ["−1.00", "0.00", "+2.50"]
    assert list(figure.layout.xaxis2.ticktext) == ["input", "1", "2"]


def recorded(tmp_path, monkeypatch, pairs=40, network="net"):
    """A file of results as the benchmark writes it, with a set of English and one of Russian."""
    scores = {
        name: {network: GrammarScores(0.625, 0.5, pairs, 0, {"island_effects": 0.75}, {})}
        for name in ("blimp_en", "clams_ru")
    }
    measured = {"command": "c", "pairs": dict.fromkeys(scores, pairs), "limit": 20}
    write_results(tmp_path / "grammar.json", grammar_experiment(scores, measured), measured)
    monkeypatch.setattr(experiment_files, "experiments", lambda: tmp_path)


def test_how_often_each_network_is_right_is_a_view_where_there_are_results_of_the_language(
    networks, tmp_path, monkeypatch
):
    monkeypatch.setattr(experiment_files, "experiments", lambda: tmp_path)
    say = wording("ru")
    for _ in range(2):
        app = open_page(lang="ru", text="de")
        assert say("view.benchmarks") not in app.segmented_control(key="view").options
        recorded(tmp_path, monkeypatch)  # no German set in it
    app = open_page(lang="ru", text="en", view="benchmarks")
    assert say("grammar_set.blimp_en", pairs="40") in [text.value for text in app.markdown]
    table = app.dataframe[-1].value
    assert list(table.columns) == [say("grammar.phenomenon"), "net"]
    assert list(table["net"]) == [62.5, 75.0]
    assert list(table.iloc[:, 0]) == [say("grammar.all_pairs"), "island effects"]

"""Each page answers its own question with the numbers that the command prints as JSON, on the models that ship."""

import numpy as np
import pytest

from app.views.contexts import word_in_contexts
from embeddings.corpora.sense_contexts import write_contexts
from embeddings.corpora.sense_files import read_senses
from embeddings.corpora.text_files import text_files
from embeddings.corpora.text_preview import preview
from embeddings.jobs import recipes
from embeddings.results import plain
from embeddings.training.settings import defaults
from tests.app.conftest import CLOSE, same
from tests.attention_view.page_data import data_of


@pytest.mark.parametrize("language", ["ru", "de"])
def test_explore(asked, said, language):
    for call in asked("explore", "embeddings.analysis.similarity.neighbours", lang=language)[:3]:
        vectors, word, topn = call.arguments
        printed = said("words", "neighbours", word, model=vectors)
        assert len(printed) == len(call.value) == topn
        assert same(printed, call.value)


def test_an_association_test(asked, said):
    function = "embeddings.shelf.association_sets.ask_association"
    for call in asked("associations", function, view="test")[:2]:
        vectors, sets = call.arguments
        printed, expected = said("words", "weat", sets.name, model=vectors), plain(call.value)
        assert printed.keys() >= expected.keys()
        names = ("effect_size", "statistic", "one_sided", "two_sided", "targets")
        assert same({name: printed[name] for name in names}, expected)


def test_compare(asked, said, tmp_path):
    for call in asked("compare", "embeddings.analysis.model_comparison.compare"):
        alignment, words, topn = call.arguments
        (tmp_path / "words.txt").write_text("\n".join(words), encoding="utf-8")
        models = (alignment.first.name, alignment.second.name)
        options = ("--words", tmp_path / "words.txt", "--topn", topn)
        assert same(said("words", "compare", *models, *options), call.value)


def test_contexts(asked, said, tmp_path):
    """The senses of the word that the page opens with: labels, number, names, scores; companion and layer are the library's."""
    scores = [
        f"app.views.contexts.sense_groups.{name}" for name in ("adjusted_rand_index", "b_cubed")
    ]
    answers, (ari, *_), (f1, one) = asked(
        "contexts", "app.views.contexts.word_in_contexts.answer", *scores, lang="de"
    )
    call = answers[0]
    question, found = call.arguments[0], call.value.induction
    file, output = tmp_path / "contexts.tsv", tmp_path / "senses.tsv"
    write_contexts(file, question.contexts)
    options = ("--output", output, "--language", "de")
    printed = said("contexts", "senses", file, *options, model=question.entry)
    assert printed["method"] == found.method
    assert printed["words"][0]["number"] == found.number
    assert [c.predicted for c in read_senses(output)] == [str(label + 1) for label in found.labels]
    labels = tuple(found.labels.tolist())
    word = word_in_contexts.in_contexts(question)
    around, substitutes = word.words_around(labels), word.substitute_names(labels)
    names = [list(near or instead) for near, instead in zip(around, substitutes, strict=True)]
    assert printed["words"][0]["names"] == names
    printed_scores = [printed["words"][0][name] for name in ("ari", "b_cubed", "one_sense_b_cubed")]
    assert same(printed_scores, [ari.value, f1.value, one.value])


def test_the_words_near_a_word_in_its_context(asked, said):
    function = "app.views.contexts.one_context.neighbours"
    (call, *_) = asked("contexts", function, lang="ru", view="one")
    question, row, table = call.arguments
    context = question.contexts[row]
    options = ("--word", context.word, "--table", table.name)
    printed = said("contexts", "neighbours", context.text, *options, model=question.entry)
    assert same(printed, call.value)


def test_attention(asked, run, tmp_path):
    """The page opens with the head that the command draws, and shows the weights that it writes."""
    (call, *_) = asked("attention", "app.views.attention.attention_views.read_view_state")
    (shown,), opened = call.arguments, call.value
    (asked_of, *_) = asked("attention", "embeddings.probing.attention_weights.attention")
    reader, first, *_ = asked_of.arguments
    options = ("--model", reader.name, "--output")
    for file in ("a.npz", "a.html"):
        done = run("attention", first, *options, tmp_path / file)
        assert done.code == 0, done.err
    with np.load(tmp_path / "a.npz") as arrays:
        assert tuple(arrays["heads"]) == shown.heads
        assert tuple(arrays["from_tokens"]) == shown.from_side.labels
        np.testing.assert_allclose(arrays["weights"], shown.weights, **CLOSE)
    drawn = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))["at"]
    assert (drawn["layer"], drawn["head"]) == (opened.layer, opened.head)


def test_classify_and_which_words_moved_a_label(asked, said):
    (call, *_) = asked("classify", "embeddings.probing.label_prediction.predict")
    classifier, (text,) = call.arguments
    assert same(said("classify", "predict", model=classifier, stdin=text), call.value[0])
    (call, *_) = asked("classify", "embeddings.probing.attribution.attribute")
    classifier, text, _ = call.arguments
    printed = said("classify", "attribute", text, model=classifier)
    assert same(printed, call.value)


def test_the_models_of_the_shelf(asked, said):
    printed = {row["name"]: row for row in said("models", "list")}
    calls = asked("shelf", "embeddings.shelf.shelf_models")
    rows = [row for call in calls for row in call.value]
    assert {row.name for row in rows} == printed.keys()
    assert all(same(printed[row.name], row) for row in rows)


def test_the_scores_of_all_models(asked, said):
    (call, *_) = asked("shelf", "app.views.shelf.model_cards.model_scores", shelf_part="scores")
    assert same(said("models", "scores"), call.value)


def test_a_report_of_change(asked, said, tmp_path):
    for name, company in (("old", "ship sea"), ("new", "note song")):
        lines = [f"the wave of {company} {word} came\n" for word in ("a", "b", "c", "d")] * 40
        (tmp_path / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
    texts = (tmp_path / "old.txt", tmp_path / "new.txt")
    training = ("--vector-size", 8, "--epochs", 2, "--workers", 1, "--min-count", 1)
    trials = ("--permutations", 3, "--retrainings", 3, "--least", 5, "--output", "waves")
    printed = said("words", "change", *texts, *training, *trials)
    (call, *_) = asked(
        "change", "app.views.change.chosen_report.read_report", change_report="waves"
    )
    report, measured = call.value
    assert measured == len(printed["words"])
    assert same(printed["words"][: len(report.words)], report.words)
    assert same(printed["documents"], report.documents)


def test_the_estimate_of_a_training_is_of_the_settings_that_suit_its_text(asked, said):
    (call, *_) = asked("train", "app.views.train.job_start.estimate", train_source="demo")
    method, settings, text = call.arguments[:3]
    counted = preview(text_files([recipes.demonstration("en")]))
    assert same(plain(text), counted)
    assert settings == defaults(method, counted.words)
    assert same(said("jobs", "estimate", recipes.demonstration("en")), call.value)


def test_the_sentences_and_the_collocates_of_a_word(asked, said):
    functions = ("app.views.explore.word_uses.search", "app.views.explore.word_uses.collocates")
    searches, counts = asked("explore", *functions, lang="en", view="sentences", word="water")
    for call in searches:
        concordance, query = call.arguments
        place = ("--corpus", concordance.path, "--language", query.language)
        printed = said("concordance", "find", query.word, *place, "--limit", query.limit)
        assert same(printed, {"word": query.word, **plain(call.value)})
        assert printed["lines"]
    for call in counts:
        concordance, word, language, window = call.arguments
        place = ("--corpus", concordance.path, "--language", language, "--window", window)
        printed = said("concordance", "collocates", word, *place, "--topn", 10_000)
        assert same(printed, sorted(call.value, key=lambda each: -each.log_likelihood))


def test_a_map_of_words(asked, said):
    for call in asked("explore", "app.views.explore.words_on_map.project", view="map"):
        vectors, words = call.arguments
        printed = said("words", "project", *words, model=vectors)
        places = [point["coordinates"] for point in printed["points"]]
        np.testing.assert_allclose(places, call.value.coordinates, **CLOSE)

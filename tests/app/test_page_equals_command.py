"""Each page answers its own question with the numbers that the command prints as JSON, on the models that ship."""

from app.views.contexts import word_in_contexts
from embeddings.corpora.sense_contexts import write_contexts
from embeddings.corpora.sense_files import read_senses
from embeddings.corpora.text_files import text_files
from embeddings.corpora.text_preview import preview
from embeddings.jobs import recipes
from embeddings.results import plain
from embeddings.training.settings import defaults
from tests.app import visits
from tests.app.conftest import same
from tests.attention_view.page_data import data_of


def test_contexts(asked, said, tmp_path, monkeypatch):
    """The senses of the word that the page opens with: labels, number, names, scores, agreement with an annotation.

    The companion and the layer are the library's.
    """
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
    compared = visits.calls_of(monkeypatch, "app.views.contexts.sense_reports.compare_annotations")
    app = visits.open_page("contexts", lang="de", view="annotation", timeout=180)
    app.file_uploader[-1].upload("gold.tsv", file.read_bytes(), "text/plain").run()
    agreement = said("contexts", "agreement", output, file, "--language", "de")
    measured = ("ari", "v_measure", "kappa", "b_cubed", "one_sense_b_cubed", "contexts", "table")
    of_word = agreement[question.contexts[0].word]
    assert same({name: of_word[name] for name in measured}, compared[-1].value)


def test_attention_opens_with_the_head_that_the_command_draws(asked, said, tmp_path):
    views = "app.views.attention.attention_views"
    (shown, *_), (opened, *_) = asked(
        "attention", f"{views}.attention_panel", f"{views}.read_view_state"
    )
    entry, (first, _) = shown.arguments
    said("attention", first, "--output", tmp_path / "a.html", model=entry)
    drawn = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))["at"]
    assert (drawn["layer"], drawn["head"]) == (opened.value.layer, opened.value.head)


def test_the_models_of_the_shelf(asked, said):
    printed = {row["name"]: row for row in said("models", "list")}
    calls = asked("shelf", "embeddings.shelf.shelf_models")
    rows = [row for call in calls for row in call.value]
    assert {row.name for row in rows} == printed.keys()
    assert all(same(printed[row.name], row) for row in rows)


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

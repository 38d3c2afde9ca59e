"""The linguist's bench of the page Contexts, headless: senses arranged, undone, kept, compared, exported and opened again."""

import io
import re
import shutil
from functools import partial

import pytest

from app.loaders import context_answers
from app.views.contexts import sense_reports
from app.views.contexts.chosen_contexts import ChosenContexts
from app.wording import LANGUAGES, wording
from embeddings.analysis.sense_grouping import frequencies
from embeddings.corpora.corpus_answers import SenseGrouping
from embeddings.corpora.sense_files import grouping_of, read_senses, with_senses
from embeddings.errors import FormatError
from embeddings.shelf.own_corpora import concordance_of
from embeddings.sources.intake import IncomingFile, store_texts
from tests.app import visits

open_page = partial(visits.open_page, "contexts", timeout=180, view="annotation")
SAY = wording("en")


@pytest.fixture
def home(networks, models, tmp_path, monkeypatch):
    """A home of one's own, with the small models."""
    folder = tmp_path / "home"
    shutil.copytree(models / "models", folder / "models")
    monkeypatch.setenv("KLYUCH_HOME", str(folder))
    return folder


def senses_of(app):
    """The titles of the cards of senses that the page shows."""
    cards = (re.fullmatch(r":color\[●\]\{.*?\} \*\*(.*)\*\*", item.value) for item in app.markdown)
    return [card.group(1).replace("\\", "") for card in cards if card]


def test_the_number_of_senses_is_set_by_hand_and_stands_in_the_link(home):
    app = open_page(lang="en", contexts_number="4")
    assert len(senses_of(app)) == 4
    assert SAY("contexts.senses_by_hand", number=4) in visits.page_text(app)
    app.selectbox(key="contexts_number").set_value("3").run()
    assert len(senses_of(app)) == 3
    assert visits.value(app, "contexts_number") == "3"


def test_senses_are_renamed_split_merged_and_sentences_moved_then_undone(home):
    app = open_page(lang="en", contexts_number="3")
    name = next(field for field in app.text_input if field.label == SAY("contexts.rename"))
    name.set_value("money").run()
    assert senses_of(app)[0] == "money"
    app.button(key="sense-split").click().run()
    assert len(senses_of(app)) == 4
    app.selectbox(key="sense_merged").set_value(2).run()
    app.button(key="sense-merge").click().run()
    assert len(senses_of(app)) == 3
    app.multiselect(key="sense_moved").set_value([0, 1]).run()
    app.selectbox(key="sense_target").set_value(3).run()
    app.button(key="sense-move").click().run()
    assert len(senses_of(app)) == 4
    assert not app.multiselect(key="sense_moved").value
    for left in (3, 4, 3, 3):
        app.button(key="sense-undo").click().run()
        assert len(senses_of(app)) == left
    assert "money" not in senses_of(app)
    assert not [button for button in app.button if button.key == "sense-undo"]


def test_an_arrangement_is_not_seen_by_another_visit(home):
    first = open_page(lang="en", contexts_number="2")
    first.button(key="sense-split").click().run()
    assert len(senses_of(first)) == 3
    assert SAY("contexts.arranged") in visits.page_text(first)
    another = open_page(lang="en", contexts_number="2")
    assert len(senses_of(another)) == 2
    assert SAY("contexts.arranged") not in visits.page_text(another)
    assert not (home / "senses").exists()


def test_a_name_that_is_taken_is_a_sentence(home):
    app = open_page(lang="en", contexts_number="2")
    field = next(field for field in app.text_input if field.label == SAY("contexts.rename"))
    field.set_value("money").run()
    app.selectbox(key="sense_edited").set_value(1).run()
    field = next(field for field in app.text_input if field.label == SAY("contexts.rename"))
    field.set_value("money").run()
    assert "called “money” already" in "".join(info.value for info in app.info)


def test_exported_senses_open_again_under_their_own_name(tmp_path):
    contexts = tuple(c for c in context_answers.shipped("ru") if c.word == "ключ")
    grouping = SenseGrouping(tuple(row % 2 for row in range(len(contexts))), ("дверь", ""))
    for form in (".tsv", ".csv", ".json"):
        data = context_answers.exported_contexts(with_senses(contexts, grouping), form)
        opened = context_answers.uploaded_contexts(f"mine{form}", data)
        assert grouping_of(opened) == grouping
    with pytest.raises(FormatError, match=r"^mine\.json cannot be read"):
        context_answers.uploaded_contexts("mine.json", b"[")


def test_a_stored_text_is_indexed_once_and_again_when_it_changes(home):
    text = "The bank was closed.\nThey sat on the banks of the river.\nA bank lends.\n"
    file = IncomingFile("novel.txt", io.BytesIO(text.encode()), len(text))
    store_texts([file], home / "corpora", "novel", "en")
    app = open_page(lang="en", contexts_source="corpus")
    assert "bank (2)" in visits.page_text(app)
    assert "banks (1)" in visits.page_text(app)
    path = home / "concordances" / "novel.sqlite"
    built = path.stat().st_mtime_ns
    assert concordance_of("novel") == path
    assert path.stat().st_mtime_ns == built
    stored = next((home / "corpora" / "novel").glob("*.txt"))
    stored.write_text("One bank.\n", encoding="utf-8")
    concordance_of("novel")
    assert path.stat().st_mtime_ns > built


def test_sentences_left_out_stand_in_the_link_and_are_not_read(home):
    lines = "The bank was closed.\nA bank lends.\nOn the bank of the river.\nThe bank is old."
    app = open_page(
        lang="en", contexts_source="own", contexts_lines=lines, contexts_out="2", view="one"
    )
    options = app.selectbox(key="contexts_one").options
    assert [re.sub(r"[\[\]]", "", option.split(". ", 1)[1]) for option in options] == [
        line for line in lines.split("\n") if line != "A bank lends."
    ]


def test_a_file_of_contexts_is_opened_with_its_senses(home, tmp_path):
    contexts = tuple(c for c in context_answers.shipped("en") if c.word == "bank")
    grouping = SenseGrouping(tuple(int(row > 4) for row in range(len(contexts))), ("first", ""))
    data = context_answers.exported_contexts(with_senses(contexts, grouping), ".csv")
    app = open_page(lang="en", contexts_source="file")
    assert SAY("contexts.file_empty") in app.info[0].value
    app.file_uploader[0].upload("mine.csv", data, "text/csv").run()
    titles = senses_of(app)
    assert titles[0] == "first"
    assert len(titles) == 2
    uploader = next(u for u in app.file_uploader if u.label == SAY("contexts_annotation.label"))
    uploader.upload("gold.csv", data, "text/csv").run()
    metrics = {metric.label: metric.value for metric in app.metric}
    kinds = {context.gold for context in contexts}
    assert len(kinds) > 1
    assert SAY("contexts.agree_kappa") in metrics
    assert not app.exception


def test_the_same_texts_with_other_senses_are_other_contexts():
    contexts = tuple(c for c in context_answers.shipped("en") if c.word == "bank")
    labelled = with_senses(contexts, SenseGrouping((0,) * len(contexts), ("",)))
    assert (
        ChosenContexts("bank", "file", contexts).key != ChosenContexts("bank", "file", labelled).key
    )


def test_what_the_command_line_writes_opens_on_the_page(tmp_path):
    contexts = tuple(c for c in context_answers.shipped("de") if c.word == "Schloss")
    labelled = with_senses(contexts, SenseGrouping((0,) * len(contexts), ("",)))
    data = context_answers.exported_contexts(labelled, ".tsv")
    (tmp_path / "s.tsv").write_bytes(data)
    assert read_senses(tmp_path / "s.tsv") == labelled


def test_a_corpus_that_is_deleted_while_it_is_open_is_named_and_nothing_breaks(home):
    text = "The bank was closed.\nThey sat on the banks of the river.\nA bank lends.\n"
    for name in ("novel", "other"):
        file = IncomingFile(f"{name}.txt", io.BytesIO(text.encode()), len(text))
        store_texts([file], home / "corpora", name, "en")
    app = open_page(lang="en", contexts_source="corpus", contexts_corpus="novel")
    assert "banks (1)" in visits.page_text(app)
    shutil.rmtree(home / "corpora" / "novel")  # in another window
    shutil.rmtree(home / "concordances")
    app.text_input(key="contexts_asked").set_value("river").run()
    assert not app.exception
    assert app.selectbox(key="contexts_corpus").value == "other"
    assert "river (1)" in visits.page_text(app)
    shutil.rmtree(home / "corpora" / "other")
    shutil.rmtree(home / "concordances")
    app.text_input(key="contexts_asked").set_value("bank").run()
    assert not app.exception
    assert SAY("contexts.no_corpus") in [item.value for item in app.info]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_frequencies_of_senses_are_counts_and_shares_of_each_document(language):
    say = wording(language)
    counted = frequencies([0, 1, 1, 1, 0], ["a.txt", "a.txt", "a.txt", "a.txt", "b.txt"])
    rows = sense_reports.frequency_table(say, "text", ["lock", "castle"], counted)
    assert rows["text"].tolist() == ["a.txt", "b.txt"]
    assert rows[["lock", "castle", say("contexts.sentences")]].to_numpy().tolist() == [
        [1, 3, 4],
        [1, 0, 1],
    ]
    shares = [say("contexts.share_of", sense=sense) for sense in ("lock", "castle")]
    assert rows[shares].to_numpy().tolist() == [[0.25, 0.75], [1.0, 0.0]]

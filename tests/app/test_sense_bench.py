"""The linguist's bench of the page Contexts, headless: senses arranged, undone, kept, compared, exported and opened again."""

import io
import os
import re
import shutil
import sqlite3
from contextlib import closing
from functools import partial

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from app.views.contexts import chosen_contexts, sense_reports, word_in_contexts
from app.views.contexts.chosen_contexts import ChosenContexts
from app.wording import wording
from embeddings.analysis.sense_grouping import frequencies_by
from embeddings.corpora.concordance_index import has_this_version
from embeddings.corpora.corpus_answers import SenseGrouping
from embeddings.corpora.sense_files import grouping_of, read_senses, with_senses
from embeddings.errors import FormatError
from embeddings.results import plain
from embeddings.shelf.own_corpora import concordance_of
from embeddings.sources.pasted_and_uploaded import store_texts
from tests.app import visits
from tests.app.conftest import store_text
from tests.sources.brought_files import incoming

open_page = partial(visits.open_page, "contexts", timeout=180, view="annotation")
SAY = wording("en")
BANKS = "The bank was closed.\nThey sat on the banks of the river.\nA bank lends.\n"


def senses_of(app):
    """The titles of the cards of senses that the page shows."""
    cards = (re.fullmatch(r":color\[●\]\{.*?\} \*\*(.*)\*\*", item.value) for item in app.markdown)
    return [card.group(1).replace("\\", "") for card in cards if card]


def test_the_number_of_senses_is_set_by_hand_and_stands_in_the_link(home):
    app = open_page(lang="en", contexts_number="4")
    assert len(senses_of(app)) == 4
    for number in (3, 1):
        app.selectbox(key="contexts_number").set_value(str(number)).run()
        assert len(senses_of(app)) == number
        assert SAY("contexts.senses_by_hand", number=number) in visits.page_text(app)
        assert visits.value(app, "contexts_number") == str(number)


def rename(app, name):
    """Call the sense that is chosen by another name."""
    field = next(field for field in app.text_input if field.label == SAY("contexts.rename"))
    field.set_value(name).run()


def test_senses_are_renamed_split_merged_and_sentences_moved_then_undone_in_one_visit(home):
    app = open_page(lang="en", contexts_number="3")
    rename(app, "money")
    assert senses_of(app)[0] == "money"
    for key in ("sense_edited", "sense_target"):  # the browser is told the new name at once
        sent = app.selectbox(key=key).proto
        assert (sent.set_value, sent.raw_value) == (True, "money")
    app.selectbox(key="sense_edited").set_value(1).run()
    rename(app, "money")
    assert "called “money” already" in "".join(info.value for info in app.info)
    app.button(key="sense-split").click().run()
    assert len(senses_of(app)) == 4
    assert SAY("contexts.arranged") in visits.page_text(app)
    another = open_page(lang="en", contexts_number="3")
    assert len(senses_of(another)) == 3
    assert SAY("contexts.arranged") not in visits.page_text(another)
    assert not (home / "senses").exists()
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


def test_a_stored_text_is_indexed_once_and_again_when_it_changes_or_the_version_does(home):
    store_text(home, "novel", BANKS, "en")
    app = open_page(lang="en", contexts_source="corpus")
    assert "bank (2)" in visits.page_text(app)
    assert "banks (1)" in visits.page_text(app)
    assert SAY("contexts.sampled") not in visits.page_text(app)  # all lines are shown
    path = home / "concordances" / "novel.sqlite"
    built = path.stat().st_mtime_ns
    assert concordance_of("novel") == path
    assert path.stat().st_mtime_ns == built
    stored = next((home / "corpora" / "novel").glob("*.txt"))
    stored.write_text("One bank.\n", encoding="utf-8")
    concordance_of("novel")
    assert path.stat().st_mtime_ns > built
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE documents DROP COLUMN words")
        connection.execute("PRAGMA user_version = 1")
    os.utime(path)
    assert has_this_version(concordance_of("novel"))


def test_a_file_of_contexts_is_opened_with_its_senses(home):
    contexts = tuple(c for c in word_in_contexts.shipped("en") if c.word == "bank")
    grouping = SenseGrouping(tuple(int(row > 4) for row in range(len(contexts))), ("first", ""))
    data = sense_reports.exported_contexts(with_senses(contexts, grouping), ".csv")
    app = open_page(lang="en", contexts_source="file")
    assert SAY("contexts.file_empty") in app.info[0].value
    with pytest.raises(FormatError, match=r"^mine\.json cannot be read"):
        chosen_contexts.uploaded_contexts("mine.json", b"[")
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


def test_the_same_texts_with_other_senses_are_other_contexts():
    contexts = tuple(c for c in word_in_contexts.shipped("en") if c.word == "bank")
    labelled = with_senses(contexts, SenseGrouping((0,) * len(contexts), ("",)))
    first, second = (ChosenContexts("bank", "file", each).key for each in (contexts, labelled))
    assert first != second


def test_a_corpus_that_is_deleted_while_it_is_open_is_named_and_nothing_breaks(home):
    for name in ("novel", "other"):
        store_text(home, name, BANKS, "en")
    app = open_page(lang="en", contexts_source="corpus", contexts_corpus="novel")
    assert "banks (1)" in visits.page_text(app)
    shutil.rmtree(home / "corpora" / "novel")  # in another window
    shutil.rmtree(home / "concordances")
    app.text_input(key="contexts_asked").set_value("river").run()
    assert app.selectbox(key="contexts_corpus").value == "other"
    assert "river (1)" in visits.page_text(app)
    shutil.rmtree(home / "corpora" / "other")
    shutil.rmtree(home / "concordances")
    app.text_input(key="contexts_asked").set_value("bank").run()
    assert SAY("contexts.no_corpus") in [item.value for item in app.info]


NAMES = ("My letters (2nd).txt", "lit.txt")
LETTERS = "The bank was closed.\nA bank lends money.\nThey sat on the bank of the river.\n"
LIT = "The bank by the sea.\n\nNo river here.\nA bank of sand.\n"


@pytest.fixture
def brought(home):
    """Two texts: of 4 + 4 + 8 words, and two documents of 5 and 3 + 4."""
    files = [incoming(NAMES[0], LETTERS.encode()), incoming(NAMES[1], LIT.encode())]
    store_texts(files, home / "corpora", "mine", "en")
    settings = {"contexts_source": "corpus", "contexts_number": "2", "view": "documents"}
    return lambda **address: open_page(**settings | address)


def frequencies(app, say=SAY):
    """The table of frequencies on the page."""
    (table,) = [frame.value for frame in app.dataframe if say("contexts.share") in frame.value]
    return table


def test_senses_are_counted_by_file_as_brought_or_by_document_with_share_and_uses_in_10_000_words(
    brought,
):
    say = wording("ru")
    app = brought(lang="ru", text="en")
    table = frequencies(app, say)
    names = ("column_file", "group", "sentences", "share", "per_10_000", "words")
    assert list(table) == [say(f"contexts.{name}") for name in names]
    rows = [tuple(row) for row in table.itertuples(index=False)]
    assert [row[0] for row in rows] == [NAMES[0]] * 2 + [NAMES[1]] * 2
    for (first, second), uses, words in ((rows[:2], 3, 16), (rows[2:], 2, 12)):
        assert first[2] + second[2] == uses
        for _, _, sentences, *numbers in (first, second):
            by_words = sentences / words * 10_000
            assert numbers == pytest.approx([sentences / uses, by_words, words])
    app.selectbox(key="contexts_column").set_value("document").run()
    by_document = frequencies(app, say).groupby(say("contexts.column_document"))
    words = {name: set(rows) for name, rows in by_document[say("contexts.words")]}
    assert words == {f"{NAMES[0]}: 1": {16}, f"{NAMES[1]}: 1": {5}, f"{NAMES[1]}: 2": {7}}


def files_made(app, made):
    """The text of each file that a run of the page offers."""
    made.clear()
    app.run()
    return [
        data.decode("utf-8-sig")
        for data in (make() for make in made.values())
        if isinstance(data, bytes)
    ]


def test_page_saved_files_library_and_command_give_the_same_frequencies(
    brought, tmp_path, monkeypatch, run
):
    made = visits.deferred_files(monkeypatch)
    app = brought(lang="en")
    table = frequencies(app)
    (saved,) = [text for text in files_made(app, made) if text.startswith("file,group")]
    assert_frame_equal(pd.read_csv(io.StringIO(saved)), table, check_dtype=False)
    exports = files_made(brought(lang="en", view="annotation"), made)
    (export,) = [text for text in exports if text.startswith("context_id\t")]
    (tmp_path / "bank.tsv").write_text(export, encoding="utf-8")
    contexts = read_senses(tmp_path / "bank.tsv")
    by_file = frequencies_by(contexts, grouping_of(contexts).labels, "file")
    assert [line[2:] for line in by_file.table()[1]] == table.iloc[:, 2:].to_numpy().tolist()
    printed = run("contexts", "frequencies", tmp_path / "bank.tsv", "--json").json
    assert printed == {"bank": {"senses": ["1", "2"], **plain(by_file)}}


def test_without_every_line_there_are_no_frequencies_by_words_and_the_page_says_why(
    brought, monkeypatch
):
    monkeypatch.setattr(chosen_contexts, "MAX_OCCURRENCES", 4)
    app = brought(lang="en")
    assert SAY("contexts.per_10_000") not in frequencies(app)
    assert SAY("contexts.frequencies_unread", most=400) in visits.page_text(app)
    assert SAY("contexts.sampled") in visits.page_text(app)

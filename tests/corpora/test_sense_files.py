"""Contexts with senses written and opened again in three forms; files that do not fit are sentences."""

import gzip
import json
import os
from pathlib import Path

import pytest

from embeddings.corpora.concordance import line_contexts
from embeddings.corpora.corpus_answers import ConcordanceLine, SenseGrouping
from embeddings.corpora.sense_contexts import Context
from embeddings.corpora.sense_files import (
    FORMS,
    grouping_of,
    read_senses,
    with_senses,
    write_senses,
)
from embeddings.errors import FormatError, InputError

TEXTS = ('Он сказал: "ключ", и ушёл; вот, так.', "Бил ключ — «чистый».", "=ключ(1)", "Ключ, ключ")
FURTHER = (("file", "novel, part 1.txt"), ("document", "3"))
PLACES = [text.lower().index("ключ") for text in TEXTS]
CONTEXTS = tuple(
    Context(str(row), "ключ", "", "", ((at, at + 4),), text, FURTHER)
    for row, (at, text) in enumerate(zip(PLACES, TEXTS, strict=True), 1)
)
GROUPING = SenseGrouping((1, 0, 1, 2), ("родник", 'от двери, "замка"', ""))


@pytest.mark.parametrize("form", FORMS)
def test_what_is_exported_opens_again(tmp_path, form):
    path = tmp_path / f"senses{form}"
    exported = with_senses(CONTEXTS, GROUPING)
    write_senses(path, exported)
    opened = read_senses(path)
    assert opened == exported
    assert grouping_of(opened) == GROUPING
    assert [context.text for context in opened] == list(TEXTS)


@pytest.mark.parametrize("form", FORMS)
def test_senses_without_names_open_again(tmp_path, form):
    path = tmp_path / f"senses{form}"
    grouping = SenseGrouping((0, 1, 1, 0), ("", ""))
    write_senses(path, with_senses(CONTEXTS, grouping))
    assert grouping_of(read_senses(path)) == grouping


def test_more_than_nine_senses_keep_their_order():
    contexts = [CONTEXTS[0]] * 11
    grouping = SenseGrouping(tuple(range(11)), ("",) * 11)
    assert grouping_of(with_senses(contexts, grouping)) == grouping


def test_contexts_without_senses_have_no_grouping():
    assert grouping_of(CONTEXTS) is None


def test_a_spreadsheet_of_a_country_with_semicolons_is_read(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("context_id;word;positions;context\n1;bank;4-8;The bank, closed.\n", "utf-8")
    assert read_senses(path)[0].text == "The bank, closed."


def entry(**changed):
    whole = {"context_id": "1", "word": "bank", "positions": "4-8", "context": "The bank."}
    return {"format": "klyuch-senses", "version": 1, "contexts": [whole | changed]}


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.json", "[]", "it is not a JSON object"),
        ("a.json", '{"contexts": []}', "no JSON file of contexts"),
        ("a.json", json.dumps({**entry(), "contexts": []}), "holds no contexts"),
        ("a.json", json.dumps({**entry(), "contexts": [3]}), "context 1: an object of texts"),
        ("a.json", json.dumps(entry(word=3)), "context 1: an object of texts"),
        ("a.json", json.dumps(entry(positions="x")), "“x” is not a position"),
        ("a.csv", "", "lacks the column context_id"),
        ("a.csv", "context_id,word,positions,context\n1,bank,4-8\n", "line 2: fields found: 3"),
        ("a.csv", b"\xff\xfe1", "it is not UTF-8"),
    ],
)
def test_what_does_not_fit_is_a_sentence(tmp_path, name, content, sentence):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FormatError, match=sentence):
        read_senses(path)


def test_a_form_that_is_not_known_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match=r"ends in none of .tsv, .csv, .json"):
        write_senses(tmp_path / "senses.xlsx", CONTEXTS)
    assert not list(tmp_path.iterdir())


def test_each_occurrence_of_a_line_is_a_context():
    line = ConcordanceLine("Ключ и ключ.", ((0, 4), (7, 11)), "a.txt", 2)
    contexts = line_contexts([line, line], "ключ", most=3)
    assert [(c.context_id, c.positions) for c in contexts] == [
        ("1", ((0, 4),)),
        ("2", ((7, 11),)),
        ("3", ((0, 4),)),
    ]


def test_contexts_of_lines_with_every_use_know_the_words_of_their_text_unless_some_are_left_out():
    line = ConcordanceLine("Ключ и ключ.", ((0, 4), (7, 11)), "a.txt", 2, False, 700, 30)
    place = (("file", "a.txt"), ("document", "2"))
    sizes = (("file_words", "700"), ("document_words", "30"))
    assert {context.further for context in line_contexts([line], "ключ", 2)} == {place + sizes}
    assert {context.further for context in line_contexts([line], "ключ", 1)} == {place}


# files of RUSSE 2018


@pytest.mark.parametrize("name", ["train.csv", "train.txt", "train"])
def test_tabs_are_recognised_under_any_suffix(tmp_path, name):
    columns = "context_id\tword\tgold_sense_id\tpredict_sense_id\tpositions\tcontext\n"
    row = "1\tзамок\t1\t\t10-15\tстаринный замок, высокий; за ним лес\n"
    (tmp_path / name).write_text(columns + row, encoding="utf-8")
    (context,) = read_senses(tmp_path / name)
    assert (context.word, context.text) == ("замок", "старинный замок, высокий; за ним лес")


@pytest.mark.mirror
def test_the_kits_own_files_are_read_whole():
    folder = Path(os.environ["KLYUCH_MIRROR"]) / "evaluation" / "senses_ru"
    files = [*folder.glob("*/train.csv"), *folder.glob("additional/*.csv")]
    assert len(files) >= 4
    for file in files:
        lines = file.read_text(encoding="utf-8").rstrip("\n").split("\n")
        assert len(read_senses(file)) == len(lines) - 1, file


def test_a_packed_file_is_refused_and_not_unpacked(tmp_path):
    path = tmp_path / "contexts.gz"
    path.write_bytes(gzip.compress(b"key\t" * (1 << 20)))
    with pytest.raises(FormatError, match="UTF-8"):
        read_senses(path)

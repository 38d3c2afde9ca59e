"""Texts of the reports of change that ship: passages of like length, drawn at random, as many tokens as asked for."""

import csv
import os
from pathlib import Path

import pytest

from benchmarks.build_changes import documents_of_periods, passages, write_sample
from embeddings.corpora.text_files import documents
from embeddings.shelf import data


def test_passages_hold_whole_paragraphs_in_order_and_as_many_tokens_as_asked_for():
    paragraphs = ["one two", "three", "four five six", "seven"]
    assert list(passages(paragraphs, 3)) == [["one two", "three"], ["four five six"], ["seven"]]
    assert list(passages([], 3)) == []


def test_a_sample_is_drawn_from_all_texts_without_paragraphs_as_long_as_chapters(tmp_path):
    first, second, sample = (tmp_path / name for name in ("a.txt", "b.txt", "sample.txt"))
    first.write_text("\n".join(f"a{n} word" for n in range(100)), encoding="utf-8")
    second.write_text("\n\n".join(f"b{n} word" for n in range(100)), encoding="utf-8")
    with second.open("a", encoding="utf-8") as file:
        file.write("\n\n" + "long " * 60)
    recipe = {"tokens": 200, "passage": 10}
    write_sample([first, second], recipe, sample)
    drawn = list(documents(sample))
    words = [word for document in drawn for paragraph in document for word in paragraph.split()]
    assert 200 <= len(words) < 210
    assert "long" not in words
    assert {word[0] for word in words} == {"a", "b", "w"}
    assert len({tuple(document) for document in drawn}) == len(drawn)
    again = tmp_path / "again.txt"
    write_sample([first, second], recipe, again)
    assert again.read_bytes() == sample.read_bytes()


def test_documents_are_dealt_to_the_years_before_and_from_the_one_named_on(tmp_path):
    table = tmp_path / "dates.tsv"
    table.write_text("documents\tyear\n1-2\t1849\n4\t1850\n", encoding="utf-8")
    assert documents_of_periods(table, 1850) == ({1, 2}, {4})
    text, sample = tmp_path / "a.txt", tmp_path / "sample.txt"
    text.write_text("a b\n\nc d\n\ne f\n\ng h\n", encoding="utf-8")
    write_sample([text], {"tokens": 100, "passage": 1}, sample, {1, 4})
    assert sorted(sample.read_text(encoding="utf-8").split()) == ["a", "b", "g", "h"]


def test_the_table_of_novels_dates_no_document_twice_and_has_novels_of_both_periods():
    before, after = documents_of_periods(data() / "german_novels.tsv", 1850)
    with (data() / "german_novels.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert not before & after
    assert all(1700 < int(row["year"]) < 1930 for row in rows)
    spans = [row["documents"].partition("-") for row in rows]
    assert len(before | after) == sum(int(b or a) - int(a) + 1 for a, _, b in spans)


@pytest.mark.slow
@pytest.mark.mirror
def test_each_novel_of_the_table_holds_the_name_that_tells_it():
    """The author on the title page, or a person whom a quarter of the chapters and more name."""
    source = Path(os.environ["KLYUCH_MIRROR"]) / "corpora" / "de_literature.txt.xz"
    texts = ["\n".join(lines) for lines in documents(source)]
    with (data() / "german_novels.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            first, _, last = row["documents"].partition("-")
            novel = texts[int(first) - 1 : int(last or first)]
            assert 4 * sum(row["name"] in text for text in novel) >= len(novel), row

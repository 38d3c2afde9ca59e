"""Texts of a table are divided at a year; a bad table is a sentence."""

import pytest

from app.wording import LANGUAGES, wording
from embeddings.corpora import tables
from embeddings.corpora.dated_texts import (
    MOST_COLUMNS,
    column_names,
    dated_table,
    divide_by_year,
    write_periods,
)
from embeddings.corpora.sense_files import read_senses
from embeddings.corpora.tables import csv_rows, mark_of
from embeddings.errors import FormatError, KlyuchError

COLUMNS = ("date", "documents")


def table(folder, text):
    path = folder / "dates.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_semicolons_part_a_table_that_has_more_of_them_than_commas(tmp_path):
    dates = table(tmp_path, 'Jahr;Text\n1700;"eins; zwei, drei"\n1900;vier, fünf\n')
    divided = divide_by_year(dates, 1800, ("jahr", "text"))
    assert (divided.before, divided.after) == (("eins; zwei, drei",), ("vier, fünf",))
    assert column_names(dates) == ("jahr", "text")


def test_a_tab_separates_before_all_else_then_what_the_first_line_has_more_of():
    firsts = {"a\tb,c,d": "\t", "a,b;c,d": ",", "a;b,c;d": ";", "a,b;c": ",", "a": ","}
    assert {first: mark_of(first) for first in firsts} == firsts


def test_a_cell_that_was_copied_from_a_spreadsheet_may_have_lines(tmp_path):
    rows = ['"date"\ttext\tby', '1700\t"one', "", '""two"" 1900', 'three"\tA', "1900\tfour\tB"]
    divided = divide_by_year(table(tmp_path, "\n".join(rows)), 1800, ("date", "text"))
    assert (divided.before, divided.after) == (('one\n"two" 1900\nthree',), ("four",))
    rows = ["text\tdate", '"one', 'two"\t1700', "three\t1900"]
    divided = divide_by_year(table(tmp_path, "\n".join(rows)), 1800, ("date", "text"))
    assert (divided.before, divided.after) == (("one\ntwo",), ("three",))


def test_a_cell_in_quotes_may_hold_a_tab_and_the_other_cells_stay_whole(tmp_path):
    rows = ["date\ttext", '1700\t"one\tand"', '1701\t"two', 'three"', '1900\t"say ""four"""']
    divided = divide_by_year(table(tmp_path, "\n".join(rows)), 1800, ("date", "text"))
    assert divided.before == ("one\tand", "two\nthree")
    assert divided.after == ('say "four"',)


def test_a_row_without_a_word_has_no_text(tmp_path):
    dates = table(tmp_path, "date\ttext\n1700\tkey\n1750\t—\n1900\tdoor\n")
    divided = divide_by_year(dates, 1800, ("date", "text"))
    assert (divided.before, divided.after, divided.undated) == (("key",), ("door",), 1)


def test_a_quote_that_is_not_closed_is_part_of_the_text(tmp_path):
    rows = ["date\ttext", '1700\t"Wait, said he', '1701\t"Oh!" said she', '1900\tdoor"', '1901\t"a']
    divided = divide_by_year(table(tmp_path, "\n".join(rows)), 1800, ("date", "text"))
    assert divided.before == ('"Wait, said he', '"Oh!" said she')
    assert divided.after == ('door"', '"a')


def test_a_cell_may_hold_a_novel(tmp_path):
    novel = "key, door " * 30_000
    dates = table(tmp_path, f'date,text\n1700,"{novel}"\n1900,"wall"\n')
    assert divide_by_year(dates, 1800, ("date", "text")).before == (novel.strip(),)


@pytest.mark.parametrize(
    ("text", "year", "code", "part"),
    [
        ("year\tdocuments\n1700\t1\n", 1800, "dates_column", "has no column date"),
        ("date\tdocuments\n1700\t1\n1750\t2\n", 1800, "dates_side", "2 texts lie before 1800"),
        ("date\tdocuments\n01.03.1850\t1\n", 1800, "dates_none", "“01.03.1850”"),
        ("date\tdocuments\n", 1800, "dates_none", "“–”"),
        ("date\tdocuments\n1700\t1\n1900\t2\n", 12, "dates_year", "“12”"),
    ],
)
def test_a_table_that_cannot_divide_a_text_is_a_sentence(tmp_path, text, year, code, part):
    with pytest.raises(KlyuchError) as refused:
        divide_by_year(table(tmp_path, text), year, COLUMNS)
    assert refused.value.code == code
    assert part in str(refused.value)


def test_a_text_without_columns_is_no_table(tmp_path):
    with pytest.raises(KlyuchError, match="the key opens the door"):
        column_names(table(tmp_path, "The key opens the door\nA door\n"))
    with pytest.raises(KlyuchError, match="names –"):
        column_names(table(tmp_path, "\t\n"))
    many = table(tmp_path, "\t".join(f"c{n}" for n in range(500)) + "\n")
    assert len(column_names(many)) == MOST_COLUMNS == 100
    assert column_names(table(tmp_path, f"date\t{'x' * 200_000}\ttext\n")) == ("date", "text")


def test_a_folder_stands_for_the_table_in_it(tmp_path):
    with pytest.raises(KlyuchError, match=r"\.tsv"):
        dated_table(tmp_path)
    path = table(tmp_path, "date\ttext\n")
    assert dated_table(tmp_path) == dated_table(path) == path


# A table that csv cannot read is refused by what is wrong and where, in the words of each language, never in csv's own


HEADER = "context_id,word,gold_sense_id,predict_sense_id,positions,context\n"


FAULTS = {
    "csv_quote_open": 'a,b\n\n"x,y\n',
    "csv_quote": 'a,b\n\n"x"y,z\n',
    "csv_line_end": "a,b\n\nx\ry,z\n",
}


def said(error):
    """What a refusal says in each language."""
    return [wording(language).error(error) for language in LANGUAGES]


@pytest.mark.parametrize(("code", "text"), FAULTS.items())
def test_no_language_quotes_the_reason_that_csv_gives(code, text, tmp_path):
    with pytest.raises(FormatError) as error:
        list(csv_rows(tmp_path / "a.csv", text.split("\n"), ","))
    refusal, reason = error.value, str(error.value.__cause__)
    assert refusal.code == code
    assert all("3" in sentence and reason not in sentence for sentence in said(refusal))


def test_a_cell_that_is_too_long_is_refused_with_the_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "LINE_LIMIT", 1000)
    path = tmp_path / "a.csv"
    path.write_text(f"{HEADER}1,a,,1,0-1,{'x' * 1001}\n", encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read_senses(path)
    assert error.value.code == "csv_field_long"
    assert error.value.fields == {"path": path, "line": 2, "bound": 1000}


def test_the_row_of_a_dated_table_is_named_by_its_line_with_blank_ones_counted(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('date,text\n\n1850,"two\nlines"\n\n1900,"open\n1901,more\n', encoding="utf-8")
    sides = tmp_path / "before.txt", tmp_path / "after.txt"
    with pytest.raises(FormatError) as error:
        write_periods(path, 1900, ("date", "text"), sides)
    assert (error.value.code, error.value.fields["line"]) == ("csv_quote_open", 6)

"""A table that csv cannot read is refused by what is wrong and where, in the words of each language, never in csv's own."""

import csv
import io

import pytest

from app.wording import LANGUAGES, wording
from embeddings.corpora.dated_texts import write_periods
from embeddings.corpora.labelled import read_labelled
from embeddings.corpora.sense_files import read_senses
from embeddings.corpora.text_files import csv_refusal
from embeddings.errors import FormatError

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
    with pytest.raises(csv.Error) as error:
        list(csv.reader(io.StringIO(text, newline="\n"), strict=True))
    refusal = csv_refusal(error.value, tmp_path / "a.csv", 3)
    assert refusal.code == code
    assert all("3" in sentence and str(error.value) not in sentence for sentence in said(refusal))


def test_a_cell_that_is_too_long_is_refused_with_the_bound(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"{HEADER}1,a,,1,0-1,{'x' * (csv.field_size_limit() + 1)}\n", encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read_senses(path)
    assert error.value.code == "csv_field_long"
    assert error.value.fields == {"path": path, "line": 2, "bound": csv.field_size_limit()}


def test_the_row_of_a_labelled_table_is_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('label,text\n1,fine\n0,"bad"ly\n', encoding="utf-8")
    with pytest.raises(FormatError, match="line 3: there is text after a closing quote"):
        read_labelled(path)


def test_the_row_of_a_dated_table_is_named_by_its_line_with_blank_ones_counted(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('date,text\n\n1850,"two\nlines"\n\n1900,"open\n1901,more\n', encoding="utf-8")
    sides = tmp_path / "before.txt", tmp_path / "after.txt"
    with pytest.raises(FormatError) as error:
        write_periods(path, 1900, ("date", "text"), sides)
    assert (error.value.code, error.value.fields["line"]) == ("csv_quote_open", 6)

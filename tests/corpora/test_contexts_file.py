import pytest

from embeddings.corpora.sense_contexts import (
    Context,
    guess_language,
    locate,
    read_contexts,
    write_contexts,
)
from embeddings.errors import FormatError
from embeddings.text.word_positions import occurrences

HEADER = "context_id\tword\tgold_sense_id\tpredict_sense_id\tpositions\tcontext"
KEY = Context("7", "ключ", "2", "", ((0, 4), (12, 16)), "Ключ забил, ключ умолк.")


def test_a_file_gives_one_context_a_line(tmp_path):
    path = tmp_path / "contexts.tsv"
    path.write_text(f"{HEADER}\n7\tключ\t2\t\t0-4,12-16\tКлюч забил, ключ умолк.\n", "utf-8")
    assert read_contexts(path) == (KEY,)


def test_sense_columns_may_be_missing_and_lines_may_end_in_crlf(tmp_path):
    path = tmp_path / "contexts.csv"
    path.write_bytes(b"context_id\tword\tpositions\tcontext\r\n1\tbat\t2-5\tA bat.\r\n")
    assert read_contexts(path) == (Context("1", "bat", "", "", ((2, 5),), "A bat."),)


def test_quoted_fields_are_unquoted_only_where_all_are_sound(tmp_path):
    path = tmp_path / "contexts.tsv"
    path.write_text(f'{HEADER}\n1\tbat\t\t\t6-9\t"a ""b"" bat"\n', "utf-8")
    assert read_contexts(path)[0].text == 'a "b" bat'
    path.write_text(f'{HEADER}\n1\tbat\t\t\t4-7\t"a" bat\n2\tbat\t\t\t2-5\t"A bat"\n', "utf-8")
    assert [one.text for one in read_contexts(path)] == ['"a" bat', '"A bat"']


def test_a_quoted_context_may_have_line_ends(tmp_path):
    path = tmp_path / "contexts.tsv"
    path.write_text(f'{HEADER}\n1\tbat\t\t\t2-5\t"A bat.\nIt flew."\n', "utf-8")
    assert [one.text for one in read_contexts(path)] == ["A bat.\nIt flew."]
    path.write_text(
        'context_id,word,positions,context\n1,bat,2-5,"A bat.\nIt flew, high."\n', "utf-8"
    )
    assert [one.text for one in read_contexts(path)] == ["A bat.\nIt flew, high."]


def test_what_is_written_is_read_again(tmp_path):
    contexts = (KEY, Context("8", "bat", "", "1", (), 'said "bat", twice'))
    write_contexts(tmp_path / "out.tsv", contexts)
    assert read_contexts(tmp_path / "out.tsv") == contexts


def test_columns_of_ones_own_are_carried_behind_the_six(tmp_path):
    path, copy = tmp_path / "contexts.tsv", tmp_path / "out.tsv"
    path.write_text(
        "note\tcontext_id\tword\tpositions\tcontext\tsource\n"
        "check\t1\tbat\t2-5\tA bat.\tp. 7\n\t2\tbat\t\tBats.\t\n",
        "utf-8",
    )
    write_contexts(copy, read_contexts(path))
    assert copy.read_text("utf-8").split("\n") == [
        f"{HEADER}\tnote\tsource",
        "1\tbat\t\t\t2-5\tA bat.\tcheck\tp. 7",
        "2\tbat\t\t\t\tBats.\t\t",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "word", "language", "found"),
    [
        ("Ключи и ключ-карта, за\u0301мок.", "ключ", "ru", ["Ключи"]),
        ("За\u0301мок и замо\u0301к.", "замок", "ru", ["За\u0301мок", "замо\u0301к"]),
        ("Воины подняли луками.", "лук", "ru", ["луками"]),
        ("Лучше бы ключик.", "ключ", "ru", []),
        ("Schlösser; er schloss das Schloss.", "Schloss", "de", ["Schlösser", "Schloss"]),
        ("The banks of a bank; bankers.", "bank", "en", ["banks", "bank"]),
        ("Пузырёк и\u0306ода на полке", "йод", "ru", ["и\u0306ода"]),
        ("Drei Schlo\u0308sser am See", "Schloss", "de", ["Schlo\u0308sser"]),
        ("Пузырёк йода", "и\u0306од", "ru", ["йода"]),
        ("Старый замок", "за\u0301мок", "ru", ["замок"]),
    ],
)
def test_occurrences_are_all_inflected_forms_however_accents_are_written(
    text, word, language, found
):
    assert [text[start:end] for start, end in occurrences(text, word, language)] == found


def test_positions_that_miss_the_word_are_left_out():
    text = "Он отпер дверь ключом и вынул ключ."
    assert locate(Context("1", "ключ", "", "", ((15, 21), (0, 2), (99, 103)), text), "ru") == (
        (15, 21),
    )
    assert locate(Context("1", "ключ", "", "", ((0, 2),), text), "ru") == ((15, 21), (30, 34))


def test_a_position_that_goes_past_the_text_ends_with_it():
    bat = Context("1", "bat", "", "", ((2, 6), (9, 40)), "A bat, a bat")
    assert locate(bat, "en") == ((2, 6), (9, 12))


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["Лук растёт в огороде; KLYUCH 1.0."], "ru"),
        (["The key is on the table."], "en"),
        (["Der Schlüssel liegt auf dem Tisch."], "de"),
        (["Zürich"], "de"),
        ([], "en"),
    ],
)
def test_language_is_found_by_script_and_function_words(texts, language):
    assert guess_language(texts) == language


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["context_id\tword\tcontext", "1\ta\tb"], "lacks the column positions"),
        ([HEADER], "holds no contexts"),
        ([HEADER, "1\tbat"], "line 2: fields found: 2; the first line names 6"),
        ([HEADER, "1\tbat\t\t\tfive\tA bat."], "line 2: “five” is not a position"),
        ([HEADER, "1\tbat\t\t\t2-5\t "], "line 2: the word or the context is empty"),
        (["context_id\tword\tword\tpositions\tcontext"], "names the column word twice"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path, lines, sentence):
    path = tmp_path / "contexts.tsv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(FormatError, match=sentence):
        read_contexts(path)

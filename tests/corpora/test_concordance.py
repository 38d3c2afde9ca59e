"""A concordance finds every form of a word, in order, from a file that cannot do harm."""

import gzip
import sqlite3
from itertools import pairwise

import pytest

from embeddings.corpora.concordance import Concordance, build_concordance
from embeddings.corpora.concordance_index import SHARE, TABLES
from embeddings.corpora.concordance_search import ConcordanceQuery, search
from embeddings.errors import FormatError, KlyuchError, MissingFileError
from embeddings.text.word_positions import excerpt, form_pattern, word_spans

RUSSIAN = """Он вынул ключ из кармана.
Связка ключей звенела; ключом отперли дверь.

Из скалы бил холодный ключ, и ключик блестел.
Йод и ёлка стоят рядом, а кто-то молчит.
Иод писали иначе. За\u0301мок стоял на горе.
"""
GERMAN = """Das Schloss des Königs liegt am See.

Er schloss die Tür. Die Schlösser der Loire sind schön.
Der Schlosser ging weg.
"""


@pytest.fixture
def corpus(tmp_path):
    """Two files: Russian, and German packed by gzip."""
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text(RUSSIAN, encoding="utf-8")
    with gzip.open(folder / "b.gz", "wt", encoding="utf-8") as file:
        file.write(GERMAN)
    return folder


@pytest.fixture
def concordance(corpus, tmp_path):
    path = tmp_path / "made" / "small.sqlite"
    build_concordance([corpus], path)
    return Concordance.open(path)


def indexed(folder, text, name="en.txt"):
    """The concordance of a text."""
    (folder / name).write_text(text, encoding="utf-8")
    build_concordance([folder / name], folder / "c.sqlite")
    return Concordance.open(folder / "c.sqlite")


def find(concordance, word, language, limit=200):
    return search(concordance, ConcordanceQuery(word, language, limit=limit)).lines


def forms(concordance, word, language):
    return search(concordance, ConcordanceQuery(word, language)).forms


def shown(lines):
    """The words at the spans of each line."""
    return [[line.text[a:b] for a, b in line.spans] for line in lines]


def test_every_inflected_form_is_found_with_file_document_and_spans(concordance):
    lines = find(concordance, "ключ", "ru")
    assert shown(lines) == [["ключ"], ["ключей", "ключом"], ["ключ"]]
    assert [(line.file, line.document, line.is_cut) for line in lines] == [
        ("a.txt", 1, False),
        ("a.txt", 1, False),
        ("a.txt", 2, False),
    ]
    assert lines[0].text == "Он вынул ключ из кармана."
    assert find(concordance, "ключом", "ru") == lines


def test_forms_come_with_the_number_of_their_paragraphs(concordance):
    listed = forms(concordance, "Ключи", "ru")
    assert [(f.form, f.paragraphs) for f in listed] == [("ключ", 2), ("ключей", 1), ("ключом", 1)]


@pytest.mark.parametrize(
    ("word", "found"), [("йод", ["Йод"]), ("иод", ["Иод"]), ("ёлка", ["ёлка"])]
)
def test_letters_keep_their_marks(concordance, word, found):
    assert shown(find(concordance, word, "ru")) == [found]
    with sqlite3.connect(concordance.path) as connection:
        marked = connection.execute(
            "SELECT count(*) FROM words WHERE words MATCH 'елка'"
        ).fetchone()
    connection.close()
    assert marked == (0,)


def test_a_stress_mark_hides_no_word(concordance):
    assert shown(find(concordance, "замок", "ru")) == [["За\u0301мок"]]


def test_a_german_capital_finds_the_noun_alone(concordance):
    assert shown(find(concordance, "Schloss", "de")) == [["Schloss"], ["Schlösser"]]
    small = [word for line in shown(find(concordance, "schloss", "de")) for word in line]
    assert small == ["Schloss", "schloss", "Schlösser"]
    assert find(concordance, "Schloss", "de")[0].file == "b.gz"


def test_a_word_with_a_hyphen_is_found_whole(concordance):
    assert shown(find(concordance, "кто-то", "ru")) == [["кто-то"]]


@pytest.mark.parametrize(
    "word", ['ключ" OR "дверь', "ключ*", "text: ключ", "NEAR(ключ дверь)", "NOT", "'; DROP TABLE x"]
)
def test_signs_of_the_query_language_mean_nothing(concordance, word):
    for line in find(concordance, word, "ru"):
        assert shown([line]) == [["ключ"]]  # the sign * is no letter and falls away


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ключ", "xx"), "language=xx is not known"),
        (("ключ", "ru", 0), "limit=0 is out of range"),
        (("ы" * 101, "ru"), "word=101 is out of range"),
        *(((word, "ru"), "no letter and no digit") for word in ('"', "*", "", " ", "(", "^-:")),
    ],
)
def test_a_query_out_of_bounds_or_without_a_letter_is_refused(concordance, arguments, sentence):
    with pytest.raises(KlyuchError, match=sentence):
        find(concordance, *arguments)


def test_a_few_lines_are_taken_evenly_from_the_whole_corpus(tmp_path):
    text = "\n".join(f"Line {n} has a bank." for n in range(1000))
    lines = find(indexed(tmp_path, text), "bank", "en", 20)
    places = [int(line.text.split()[1]) for line in lines]
    gaps = [b - a for a, b in pairwise(places)]
    assert len(places) == 20
    assert places == sorted(places)
    assert places[0] < 100
    assert places[-1] >= 900
    assert max(gaps) <= 100


@pytest.mark.parametrize("word", ["bank", "7"])
def test_a_common_word_is_sampled_in_steps(tmp_path, monkeypatch, word):
    monkeypatch.setattr("embeddings.corpora.concordance.MAX_LISTED_PARAGRAPHS", 50)
    text = "\n".join(f"Line {n} has a bank and 7." for n in range(400))
    lines = find(indexed(tmp_path, text), word, "en", 20)
    places = [int(line.text.split()[1]) for line in lines]
    assert len(set(places)) == 20
    assert places[0] < 80
    assert places[-1] > 320


def test_equal_lines_are_shown_once(tmp_path):
    lines = find(indexed(tmp_path, "Press the key.\n" * 5 + "A key.\n"), "key", "en")
    assert [line.text for line in lines] == ["Press the key.", "A key."]


def test_a_script_of_few_words_is_found_as_spelled(tmp_path):
    words = [chr(1072 + i) + chr(1072 + j) for i in range(20) for j in range(20)]
    assert SHARE * len(words) > 1
    made = indexed(tmp_path, " ".join(words) + "\nOne key.\n")
    assert forms(made, "key", "en") == ()
    assert shown(find(made, "key", "en")) == [["key"]]


def test_a_long_paragraph_is_cut_to_the_sentences_around_the_word(tmp_path):
    sentences = [f"Sentence number {n} is about nothing at all." for n in range(40)]
    sentences[20] = "Here is the bank."
    (line,) = find(indexed(tmp_path, " ".join(sentences)), "bank", "en")
    assert line.is_cut
    assert len(line.text) <= 320
    assert line.text.startswith("Sentence number ")
    assert line.text.endswith("at all.")
    assert shown([line]) == [["bank"]]


def test_one_endless_sentence_is_cut_between_words():
    text = "word " * 200 + "bank " + "word " * 200
    at = text.index("bank")
    start, end = excerpt(text, (at, at + 4))
    assert end - start <= 320
    assert start <= at < at + 4 <= end
    assert text[start - 1] == text[end] == " "


def test_places_are_those_of_whole_words_in_any_case():
    pattern = form_pattern(["bank", "banks"])
    assert word_spans("Bank, BANKS; banker, embank, river-bank", pattern) == (
        (0, 4),
        (6, 11),
        (35, 39),
    )


def test_building_reports_bytes_and_replaces_a_concordance(corpus, tmp_path):
    seen = []
    path = tmp_path / "c.sqlite"
    build_concordance([corpus], path, seen.append)
    size = sum(file.stat().st_size for file in corpus.iterdir())
    assert seen[-1].done == seen[-1].total == size
    assert build_concordance([corpus / "b.gz"], path) == (3, 18)
    assert Concordance.open(path).files == ("b.gz",)
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["c.sqlite"]


def test_a_text_that_cannot_be_read_leaves_nothing_behind(tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"fine\n" + b"\xff" * 10)
    with pytest.raises(FormatError, match=r"bad\.txt, line 2"):
        build_concordance([tmp_path / "bad.txt"], tmp_path / "c.sqlite")
    assert [file.name for file in tmp_path.iterdir()] == ["bad.txt"]


def test_what_sqlite_cannot_write_is_a_sentence_and_leaves_nothing(corpus, tmp_path, monkeypatch):
    lacking = "CREATE VIRTUAL TABLE words USING fts99(text)"
    monkeypatch.setitem(TABLES, "words", lacking)
    with pytest.raises(FormatError, match="no such module: fts99"):
        build_concordance([corpus], tmp_path / "new" / "c.sqlite")
    assert list((tmp_path / "new").iterdir()) == []


def test_what_cannot_be_built_is_refused(tmp_path, corpus):
    (tmp_path / "empty.txt").write_text("\n\n")
    (tmp_path / "notes.md").write_text("mine")
    refused = [
        ([tmp_path / "empty.txt"], tmp_path / "c.sqlite", r"no text in these files \(1\)"),
        ([tmp_path / "no.txt"], tmp_path / "c.sqlite", "does not exist"),
        ([corpus], tmp_path / "notes.md", "is not a concordance: writing would delete it"),
        ([corpus], tmp_path, "is not a concordance"),
        ([corpus / "a.txt"], corpus / "a.txt", "is the source"),
    ]
    for sources, path, sentence in refused:
        with pytest.raises(KlyuchError, match=sentence):
            build_concordance(sources, path)
    assert (tmp_path / "notes.md").read_text() == "mine"
    assert (corpus / "a.txt").read_text(encoding="utf-8") == RUSSIAN


def damaged(path, statement):
    """The file after somebody else wrote to it."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("PRAGMA user_version = 9", "version 9, this program reads version 2"),
        ("PRAGMA application_id = 7", "is not a concordance"),
        ("DROP TABLE files", "is a damaged concordance"),
        ("DELETE FROM size", "is a damaged concordance"),
        ("UPDATE blocks SET block = 'text'", "is a damaged concordance"),
        ("UPDATE blocks SET block = x'00'", "is a damaged concordance"),
        ("DELETE FROM blocks", "is a damaged concordance"),
        ("DELETE FROM documents", "is a damaged concordance"),
        ("DELETE FROM words_data", "is a damaged concordance"),
    ],
)
def test_a_file_that_others_wrote_is_a_sentence(concordance, statement, sentence):
    damaged(concordance.path, statement)
    with pytest.raises(FormatError, match=sentence):
        find(Concordance.open(concordance.path), "ключ", "ru")


def test_other_files_are_sentences(concordance, tmp_path):
    whole = concordance.path.read_bytes()
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE words(x)")
    connection.close()
    for content, sentence in (
        (b"", "is not a concordance"),
        (b"SQLite format 3\0", "is not a concordance"),
        (b"plain text, and long enough to be a header of some kind" * 9, "is not a concordance"),
        (other.read_bytes(), "is not a concordance"),
        (whole[:-8192], "cut short"),
        (whole[:5000], "damaged"),
        (whole[:100] + bytes(len(whole) - 100), "damaged"),
    ):
        path = tmp_path / "x.sqlite"
        path.write_bytes(content)
        with pytest.raises(FormatError, match=sentence):
            Concordance.open(path)
    with pytest.raises(MissingFileError, match="klyuch concordance build"):
        Concordance.open(tmp_path / "none.sqlite")


def test_reading_leaves_the_file_and_its_folder_as_they_were(concordance):
    before = concordance.path.read_bytes()
    concordance.path.chmod(0o444)
    find(concordance, "ключ", "ru")
    assert concordance.path.read_bytes() == before
    assert [file.name for file in concordance.path.parent.iterdir()] == ["small.sqlite"]


def test_forms_of_a_language_without_lemmas_in_the_index_are_found(tmp_path):
    text = "Le cheval court.\n\nLes chevaux courent.\n\nUn chat dort.\n" * 3
    concordance = indexed(tmp_path, text)
    listed = {form.form for form in forms(concordance, "cheval", "fr")}
    assert listed == {"cheval", "chevaux"}
    assert len(find(concordance, "chevaux", "fr")) == 2  # lines that repeat are one

"""Texts as people have them: encodings, markup, documents, folders of everything, one endless line."""

import bz2
import json
import logging
import sys

import pytest
from docx import Document
from ebooklib import epub
from reportlab.pdfgen.canvas import Canvas

from embeddings.corpora import text_files
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.corpora.text_conversion import as_utf8, convert_texts
from embeddings.corpora.text_extraction import detect_encoding, text_of
from embeddings.corpora.text_files import documents, read_folder, text_lines
from embeddings.errors import FormatError, KlyuchError, MissingLibraryError

TEXTS = {
    "cs": "Použití tohoto příkazu je velmi jednoduché. Žádná další volba není nutná, pokud chcete vypsat obsah souboru na"
    " standardní výstup. Řádky, které obsahují znak, jsou označeny číslem. Skončí s chybou, není-li soubor nalezen.\n",
    "uk": "Сторінка посібника описує параметри команди. Якщо файл не знайдено, її виконання завершується з помилкою."
    " Ґанок, їжак, єдиний.\n",
    "ru": "Он повернул ключ в замке и вошёл в комнату. Эта программа выводит содержимое файла на экран.\n",
    "zh": "本程序用于显示文件的内容。如果没有指定文件，则从标准输入读取数据。使用该命令时，请注意参数的顺序。\n",
    "ja": "このコマンドはファイルの内容を表示します。ファイルが指定されていない場合は、標準入力から読み込みます。\n",
    "ko": "이 명령은 파일의 내용을 표시합니다. 파일이 지정되지 않은 경우 표준 입력에서 읽습니다.\n",
    "fr": "L'option permet d'afficher le contenu d'un fichier. Elle n'est pas nécessaire où le fichier est déjà trouvé,"
    " été, où, garçon.\n",
    "de": "Über die Größe der Straße weiß man nichts. Schöne Grüße aus München, natürlich für alle Bücher.\n",
    "el": "Η εντολή εμφανίζει τα περιεχόμενα του αρχείου. Ο Σίσυφος ήταν βασιλιάς της Κορίνθου.\n",
    "he": "הפקודה מציגה את תוכן הקובץ. אם הקובץ לא נמצא, התוכנית מסתיימת בשגיאה.\n",
    "ar": "يعرض هذا الأمر محتويات الملف. إذا لم يتم العثور على الملف فسينتهي البرنامج بخطأ.\n",
}
ENCODED = [
    ("cs", "windows-1250"), ("cs", "iso-8859-2"), ("uk", "koi8-u"), ("uk", "windows-1251"),
    ("uk", "iso-8859-5"), ("ru", "koi8-r"), ("ru", "windows-1251"), ("ru", "cp866"),
    ("ru", "utf-16"), ("ru", "utf-16-le"), ("ru", "utf-16-be"), ("ru", "utf-32"),
    ("zh", "gb18030"), ("zh", "big5"), ("ja", "cp932"), ("ja", "euc-jp"), ("ko", "cp949"),
    ("fr", "windows-1252"), ("de", "windows-1252"), ("el", "windows-1253"),
    ("he", "windows-1255"), ("ar", "windows-1256"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "encoding"), ENCODED)
def test_an_encoding_is_found_named_and_converted_without_losing_a_letter(
    tmp_path, language, encoding
):
    text = (TEXTS[language] * 30).encode(encoding, "ignore").decode(encoding)
    source = tmp_path / "old.txt"
    source.write_bytes(text.encode(encoding))
    with pytest.raises(FormatError) as refused:
        list(text_lines(source))
    assert refused.value.fields["guess"].lower() == encoding
    assert 90 <= refused.value.fields["confidence"] <= 100
    assert "iconv" not in str(refused.value)
    for named in (encoding, "detect"):
        convert_texts([source], tmp_path / named, named)
        assert (tmp_path / named / "old.txt").read_text(encoding="utf-8") == text


def test_damaged_utf8_is_in_no_other_encoding_and_keeps_its_letters(tmp_path):
    source = tmp_path / "a.txt"
    source.write_bytes((TEXTS["cs"] * 20).encode() + b"\xff." + TEXTS["cs"].encode())
    assert detect_encoding(source.read_bytes()) == ("", 0)
    with pytest.raises(FormatError, match=r"--encoding utf-8 damaged bytes become U.FFFD"):
        list(text_lines(source))
    convert_texts([source], tmp_path / "new", "utf-8")
    assert (tmp_path / "new" / "a.txt").read_text(encoding="utf-8") == (
        TEXTS["cs"] * 20 + "\ufffd." + TEXTS["cs"]
    )


def test_an_unknown_encoding_is_refused_and_nothing_is_left(tmp_path):
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    for name in ("utf-99", "base64", "zip"):
        with pytest.raises(FormatError, match=f"cannot be read as “{name}”"):
            convert_texts([tmp_path / "a.txt"], tmp_path / "new", name)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


# folders


def test_a_folder_says_what_is_read_and_what_is_left_out_and_why(tmp_path, caplog):
    for name in ("a.txt", "B.TXT", "c.md", "noext", "d.doc", "e.png"):
        (tmp_path / name).write_bytes(b"word word\n")
    (tmp_path / "f.txt.bz2").write_bytes(bz2.compress(b"word word\n"))
    (tmp_path / "binary").write_bytes(b"word\0word")
    folder = read_folder(tmp_path)
    assert [path.name for path in folder.files] == ["B.TXT", "a.txt", "c.md", "f.txt.bz2", "noext"]
    assert {name: "suffix" in why or "kind" in why for name, why in folder.left_out.items()} == {
        "binary": True,
        "d.doc": True,
        "e.png": True,
    }
    with caplog.at_level(logging.WARNING):
        corpus = encode([tmp_path], tmp_path.parent / "ids", EncodingConfig(min_count=1))
    assert len(corpus.ids) == 10
    assert "5 files are read, 3 are left out: binary" in caplog.text


# markup and documents


def texts(tmp_path, name, data):
    (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return list(documents(tmp_path / name))


PAGE = (
    "<!DOCTYPE html><html><head><title>no</title><style>p{}</style></head><body><!-- no -->"
    "<p class='x'>Fish &amp; chips,\nca<b>f</b>&eacute;<script>var no = '<p>'</script></p>"
    "<p>second</p><table><tr><td>a</td><td>b</td></tr></table></body></html>"
)


@pytest.mark.parametrize("name", ["a.html", "a.HTM", "a.txt", "noext"])
def test_html_gives_its_text_whatever_it_is_called(tmp_path, name):
    assert texts(tmp_path, name, PAGE) == [["Fish & chips, café", "second", "a b"]]


def test_html_is_read_in_the_encoding_that_it_declares(tmp_path):
    page = "<html><meta charset='windows-1251'><p>ключ</p></html>".encode("windows-1251")
    assert texts(tmp_path, "a.html", page) == [["ключ"]]


def test_xml_gives_its_text_and_expands_no_entity(tmp_path):
    bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "no no"><!ENTITY y "&x;&x;">]>'
    book = bomb + "<book><para>A <emphasis>key</emphasis>.</para><para>&y; two</para></book>"
    (document,) = texts(tmp_path, "a.xml", book)
    assert document[-2] == "A key."
    assert "no no" not in " ".join(document[-2:])


def test_json_lines_give_their_texts_as_documents(tmp_path):
    lines = [json.dumps({"id": n, "text": text}) for n, text in enumerate(["one\ntwo", "ключ"])]
    for name in ("a.jsonl", "a.txt"):
        assert texts(tmp_path, name, "\n".join(lines)) == [["one", "two"], ["ключ"]]
    with pytest.raises(FormatError, match=r"line 1: the object has no field text.*body"):
        texts(tmp_path, "b.jsonl", '{"body": "a"}\n')
    with pytest.raises(FormatError, match="line 2 is not valid JSON"):
        texts(tmp_path, "b.jsonl", '{"text": "a"}\n{"text": \n')


def test_an_unfinished_tag_is_bounded(monkeypatch):
    monkeypatch.setattr("embeddings.corpora.text_extraction.MAX_ELEMENT", 1 << 20)

    class Endless:
        def read(self, _=-1):
            return b"<p " + b"a" * (1 << 20)

    with pytest.raises(FormatError, match="a tag, or a line of JSON"):
        list(text_of("a.html", Endless(), 1 << 20))


def test_word_documents_are_read(tmp_path):
    document = Document()
    document.add_heading("Head", 1)
    paragraph = document.add_paragraph("The ke")
    paragraph.add_run("y").bold = True
    document.add_table(1, 2).cell(0, 1).text = "cell"
    document.save(tmp_path / "a.docx")
    assert list(documents(tmp_path / "a.docx")) == [["Head", "The key", "cell"]]


def test_books_are_read_in_their_order(tmp_path):
    book = epub.EpubBook()
    chapters = []
    for number, text in ((2, "first"), (1, "second")):
        chapter = epub.EpubHtml(title=text, file_name=f"{number}.xhtml")
        chapter.content = f"<html><body><p>{text}</p></body></html>"
        book.add_item(chapter)
        chapters.append(chapter)
    book.spine = chapters
    book.add_item(epub.EpubNcx())
    epub.write_epub(tmp_path / "a.epub", book)
    assert list(documents(tmp_path / "a.epub")) == [["first"], ["second"]]


def test_pdf_and_rtf_are_read(tmp_path):
    page = Canvas(str(tmp_path / "a.pdf"))
    page.drawString(72, 720, "The key opens the door.")
    page.save()
    assert list(documents(tmp_path / "a.pdf")) == [["The key opens the door."]]
    rtf = rb"{\rtf1\ansi\ansicpg1251 \'ea\'eb\'fe\'f7\par door\par}"
    assert texts(tmp_path, "a.rtf", rtf) == [["ключ", "door"]]


@pytest.mark.parametrize("name", ["a.docx", "a.odt", "a.epub", "a.pdf"])
def test_a_damaged_document_is_refused(tmp_path, name):
    sentence = "cannot be read as" if name == "a.pdf" else rf"{name} is not valid \.zip data"
    with pytest.raises(KlyuchError, match=sentence):
        texts(tmp_path, name, b"PK\x03\x04 nothing")


# long lines


def test_a_line_of_any_length_is_cut_between_words(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "LINE_LIMIT", 1 << 20)
    words = 250_000
    (tmp_path / "text8").write_bytes(b"anarchism " * words)
    corpus = encode([tmp_path / "text8"], tmp_path / "ids", EncodingConfig())
    assert len(corpus.ids) == words
    assert corpus.sentence_bounds[1] == 10_000


@pytest.mark.parametrize("text", [TEXTS["zh"], "เขาเปิดประตูด้วยกุญแจ เด็กหญิงนั่งอยู่ริมหน้าต่าง\n"])
def test_text_without_spaces_is_said_to_be_counted_by_clause(tmp_path, caplog, text):
    (tmp_path / "a.txt").write_text(text * 10, encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        encode([tmp_path / "a.txt"], tmp_path / "ids", EncodingConfig(min_count=1))
    assert "Segment the text first: klyuch corpus convert" in caplog.text


# --encoding


def test_a_corpus_is_encoded_from_another_encoding_and_says_so(tmp_path):
    text = TEXTS["ru"] * 20
    for name, encoding in (("a", "utf-8"), ("b", "koi8-r")):
        (tmp_path / f"{name}.txt").write_bytes(text.encode(encoding))
    plain = encode([tmp_path / "a.txt"], tmp_path / "plain", EncodingConfig(min_count=1))
    for encoding in ("koi8-r", "detect"):
        config = EncodingConfig(min_count=1, encoding=encoding)
        corpus = encode([tmp_path / "b.txt"], tmp_path / encoding, config)
        assert corpus.vocabulary.words == plain.vocabulary.words
        assert corpus.ids.tolist() == plain.ids.tolist()
        assert corpus.config.encoding == encoding
        assert sorted(path.name for path in corpus.folder.iterdir()) == sorted(
            path.name for path in plain.folder.iterdir()
        )


def test_converted_texts_keep_the_order_of_the_sources_and_are_removed(tmp_path):
    for name in ("z", "a"):
        (tmp_path / f"{name}.txt").write_bytes(f"ключ {name}".encode("cp1251"))
    with as_utf8([tmp_path / "z.txt", tmp_path / "a.txt"], "cp1251") as texts:
        assert [path.read_text(encoding="utf-8") for path in texts] == ["ключ z\n", "ключ a\n"]
    assert not any(path.exists() for path in texts)


# languages without spaces


@pytest.fixture
def _small_dictionaries(tmp_path, monkeypatch):
    """Let jieba and pythainlp read a few words: their own dictionaries take seconds."""
    import jieba
    from pythainlp.tokenize import Trie, newmm

    words = ["他", "打开", "了", "门", "钥匙", "在", "桌子", "上"]
    (tmp_path / "words").write_text("".join(f"{word} 9 n\n" for word in words), "utf-8")
    monkeypatch.setattr(jieba, "cut", jieba.Tokenizer(str(tmp_path / "words")).cut)
    monkeypatch.setattr(
        newmm, "word_dict_trie", lambda: Trie(["เขา", "เปิด", "ประตู", "ด้วย", "กุญแจ"])
    )


@pytest.mark.usefixtures("_small_dictionaries")
@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("zh", "他打开了门，钥匙在桌子上。", "他 打开 了 门 钥匙 在 桌子 上"),
        ("ja", "彼は鍵でドアを開けた。", "彼 は 鍵 で ドア を 開け た"),
        ("th", "เขาเปิดประตูด้วยกุญแจ", "เขา เปิด ประตู ด้วย กุญแจ"),
    ],
)
def test_a_text_without_spaces_is_segmented_into_its_words(tmp_path, caplog, language, text, words):
    (tmp_path / "a.txt").write_text(f"{text}\n" * 8 + f"\n{text}", encoding="utf-8")
    convert_texts([tmp_path / "a.txt"], tmp_path / "new", segment=language)
    corpus = encode([tmp_path / "new"], tmp_path / "ids", EncodingConfig(min_count=1))
    assert list(corpus.sentences()) == [words.split()] * 9
    assert len(corpus.document_bounds) - 1 == 2
    assert "written without spaces" not in caplog.text


def test_segmenting_without_its_library_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("門", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(MissingLibraryError, match="segmentation"):
        convert_texts([tmp_path / "a.txt"], tmp_path / "new", segment="zh")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]

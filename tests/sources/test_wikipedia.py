"""Articles of a dump become paragraphs: prose stays, everything else goes."""

import bz2
import gzip
import time
from pathlib import Path

import pytest
from gensim.test.utils import datapath

from embeddings.corpora.text_files import documents
from embeddings.errors import FormatError
from embeddings.sources.wikipedia import article_paragraphs, extract

PROSE = "The river Neva flows through the city and into the sea."


@pytest.mark.parametrize(
    "wikitext",
    [
        PROSE,
        "The '''river''' ''Neva'' flows through the city and into the sea.",
        "The river [[Neva]] flows through the [[City|city]] and into the [[sea]].",
        'The river Neva<ref name="a">Map, p. 3</ref> flows through the city and into the sea.',
        'The river Neva<ref name="a" /> flows through the city<!-- which? --> and into the sea.',
        "The river Neva ({{IPA|nʲɪˈva}}; {{coord|59|57}}) flows through the city and into the sea.",
        "The river {{lang|ru|Neva}} flows through the {{lang-en|city}} and into the sea.",
        "The&nbsp;river Neva flows<br />through the <small>city</small> and into the sea.",
        "The river [https://example.org Neva] flows through the city and into the sea.",
        "The river Neva flows through the city and into the sea{{fact}} .",
        "{{Infobox river|name={{lang|ru|Нева}}|map=[[File:a.png]]}}\n" + PROSE,
        "{|\n| a long cell of a table with many words in it\n{|\n| inner\n|}\n|}\n" + PROSE,
        "[[File:a.jpg|thumb|The [[Neva]] in winter, seen from [[a|the]] bridge]]" + PROSE,
        "[[File:a.jpg|thumb|A [small] map, from [https://example.org there]]]\n" + PROSE,
        "[[Файл:a.jpg|мини|Нева]][[Datei:b.png|mini|die Newa]]" + PROSE,
        PROSE + "[[Category:Rivers of Russia]][[de:Newa]]",
        "__NOTOC__" + PROSE,
    ],
)
def test_prose_stays_and_markup_goes(wikitext):
    assert article_paragraphs(wikitext) == [PROSE]


@pytest.mark.parametrize("wikitext", [PROSE + "{{open", "x}} |} " + PROSE])
def test_braces_without_partners_stay(wikitext):
    assert article_paragraphs(wikitext) == [wikitext]


@pytest.mark.parametrize(
    "line",
    [
        "== A heading of some eight words or even more ==",
        "* an item of a list with eight words or more",
        "# an item of a list with eight words or more",
        ": a line that is set in with eight words or more",
        "; a term that is set off with eight words or more",
        "Too short a line.",
        "<math>a + b + c + d + e + f + g + h</math>",
        "<gallery>\nFile:a.jpg|one two three four five six seven eight nine\n</gallery>",
        "",
    ],
)
def test_what_is_no_paragraph_goes(line):
    assert article_paragraphs(line + "\n" + PROSE) == [PROSE]


@pytest.mark.timeout(120)  # seconds; with backtracking it would be hours
@pytest.mark.parametrize("noise", ["{{ {| [[ " * 30_000, "{{" * 60_000 + " |} " * 60_000])
def test_braces_without_partners_do_not_hang(noise):
    assert article_paragraphs(noise + "\n" + PROSE)[-1] == PROSE


def page(text, ns=0, redirect=False):
    extra = '<redirect title="x"/>' if redirect else ""
    return (
        f"<page><title>t</title><ns>{ns}</ns>{extra}<revision><text>{text}</text></revision></page>"
    )


def dump(path, *pages):
    name = "http://www.mediawiki.org/xml/export-0.11/"
    xml = f'<mediawiki xmlns="{name}"><siteinfo/>' + "".join(pages) + "</mediawiki>"
    path.write_bytes(bz2.compress(xml.encode()))
    return path


def test_articles_alone_become_documents(tmp_path):
    second = "Another river flows through the city and into the sea."
    source = dump(
        tmp_path / "d.xml.bz2",
        page(PROSE + "\n\n== More ==\n" + second),
        page(PROSE, ns=1),
        page(PROSE, redirect=True),
        page("* nothing but a list"),
        page(second + "&lt;ref&gt;a&lt;/ref&gt;"),
    )
    seen = []
    assert extract(source, tmp_path / "d.txt.gz", seen.append) == 2
    assert list(documents(tmp_path / "d.txt.gz")) == [[PROSE, second], [second]]
    assert seen[-1] <= source.stat().st_size


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (bz2.compress(b"<w>" + b"<page/>" * 9)[:-9], "ends too early"),
        (b"no bzip2 at all", r"not valid \.bz2 data"),
        (bz2.compress(b"<w><page>"), "not valid XML data"),
        (bz2.compress(b"<w></w>"), "no words were found"),
    ],
)
def test_a_dump_that_is_wrong_is_told(tmp_path, content, sentence):
    (tmp_path / "d").write_bytes(content)
    with pytest.raises(FormatError, match=sentence):
        extract(tmp_path / "d", tmp_path / "d.txt.gz")


def test_real_articles_leave_no_markup(tmp_path):
    name = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
    assert extract(Path(datapath(name)), tmp_path / "en.txt.gz") > 100
    text = gzip.decompress((tmp_path / "en.txt.gz").read_bytes()).decode()
    assert len(text.split()) > 350_000
    for sign in ("[[", "]]", "{{", "}}", "''", "http://", "<ref", "File:", "|thumb"):
        assert sign not in text, sign
    assert text.startswith("Anarchism is a political philosophy that advocates")


def test_the_text_is_the_same_each_time(tmp_path, monkeypatch):
    source = dump(tmp_path / "d.xml.bz2", page(PROSE))
    extract(source, tmp_path / "a.txt.gz")
    monkeypatch.setattr(time, "time", lambda: 1e9)  # which gzip writes
    extract(source, tmp_path / "b.txt.gz")
    assert (tmp_path / "a.txt.gz").read_bytes() == (tmp_path / "b.txt.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.txt.gz").read_bytes()).decode() == PROSE + "\n"

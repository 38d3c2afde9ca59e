"""Text out of files that are more than plain UTF-8: other encodings, markup, JSON lines, documents.

Everything is streamed or bounded. Markup goes through `html.parser`, which knows HTML's entities and expands
none that a file declares. Documents of Word, LibreOffice and e-books are zips of markup; PDF and RTF need the extra ``documents``.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from itertools import chain
from pathlib import PurePosixPath
from posixpath import dirname, join, normpath
from tempfile import SpooledTemporaryFile
from typing import IO

from embeddings.archives import ByteSource, ZipReader, open_zip, unpacked_bound
from embeddings.errors import FormatError, clause
from embeddings.files import CHUNK_BYTES
from embeddings.optional import optional

SNIFFED_BYTES = 1 << 14
MAX_ELEMENT = 16 << 20  # characters of an unfinished tag, or of one line of JSON
MAX_DOCUMENT = 256 << 20  # bytes of a PDF, of RTF, or of the text in one part of a document
PLAIN = (".txt", ".text", ".md", ".markdown", "")
KIND_OF_SUFFIX = {
    ".htm": "html",
    ".html": "html",
    ".xhtml": "html",
    ".xml": "xml",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".docx": "docx",
    ".odt": "odt",
    ".epub": "epub",
    ".pdf": "pdf",
    ".rtf": "rtf",
}
DOCUMENTS = ("docx", "odt", "epub", "pdf", "rtf")
PACKINGS = (".gz", ".xz", ".bz2")
BYTE_ORDER_MARKS = (  # that of UTF-32 begins as that of UTF-16 does
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
ENCODINGS = tuple(
    """utf-8 utf-16 utf-16-le utf-16-be utf-32 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256
    koi8-r koi8-u cp866 iso-8859-2 iso-8859-5 mac-cyrillic gb18030 big5 cp932 euc-jp cp949 cp874""".split()  # noqa: SIM905
)
"""Encodings that are looked for; more can be named. Rare relatives would win by chance (cp1257 for French)."""
_INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite code del dfn em emphasis font hi i ins kbd mark q s samp small span
    strike strong sub sup tt u var wbr""".split()  # noqa: SIM905
)
DOCUMENT_BREAKS = {
    "docx": {"w:p": "\n", "w:br": "\n", "w:cr": "\n", "w:tab": " "},
    "odt": {
        "text:p": "\n",
        "text:h": "\n",
        "text:line-break": "\n",
        "text:s": " ",
        "text:tab": " ",
    },
}
_SILENT = frozenset(("script", "style", "head", "template", "svg", "math", "noscript"))
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?([A-Za-z][\w.:-]{1,40})""")


_FOREIGN = {  # what begins with these bytes
    b"PK\x03\x04": clause("begins_zip"),
    b"\x1f\x8b": clause("begins_gzip"),
    b"\xfd7zXZ\x00": clause("begins_xz"),
    b"%PDF": clause("begins_pdf"),
    b"{\\rtf": clause("begins_rtf"),
    b"\xd0\xcf\x11\xe0": clause("begins_doc"),
    b"BZh": clause("begins_bzip2"),
    b"\x28\xb5\x2f\xfd": clause("begins_zstandard"),
    b"7z\xbc\xaf": clause("begins_7z"),
}


def kind_of_name(name: str) -> str | None:
    """Return what a file's name promises: "" for plain text, a kind of `KIND_OF_SUFFIX`, None for what is not read.

    Examples
    --------
    >>> kind_of_name("NOVEL.TXT.bz2"), kind_of_name("page.html"), kind_of_name("photo.jpg")
    ('', 'html', None)
    """
    path = PurePosixPath(name.lower())
    if path.suffix in PACKINGS:
        path = path.with_suffix("")
        if path.suffix not in KIND_OF_SUFFIX:
            return ""  # novel.2019.gz
    return "" if path.suffix in PLAIN else KIND_OF_SUFFIX.get(path.suffix)


def kind_of_start(start: bytes) -> str:
    """Return "html", "xml" or "jsonl" for bytes that begin as these do, "" for all others.

    Examples
    --------
    >>> kind_of_start(b'<!DOCTYPE html><p>'), kind_of_start(b'{"text": "a"}'), kind_of_start(b"a < b")
    ('html', 'jsonl', '')
    """
    begun = start.removeprefix(codecs.BOM_UTF8).lstrip()[:4096]
    if re.match(rb"(?is)(<!--.{0,500}?-->\s*)?<(!doctype\s+html|html)\b", begun):
        return "html"
    if re.match(rb"<\?xml\b|<doc\b[^>]*>", begun):
        return "html" if re.search(rb"(?i)<html\b", begun) else "xml"
    if re.match(rb'\{\s*"', begun):
        line = begun.split(b"\n", 1)[0]
        try:
            return "jsonl" if isinstance(json.loads(line), dict) else ""
        except (ValueError, RecursionError):
            return "jsonl" if re.match(rb'\{\s*"\w+"\s*:', line) and len(line) > 4000 else ""
    return ""


def text_of(
    name: str, stream: ByteSource, size: int, encoding: str = "", *, is_start: bool = True
) -> Iterator[bytes]:
    """Yield the text of a file in pieces of UTF-8; plain text without ``encoding`` comes as it is, unchecked.

    Parameters
    ----------
    name : str
        For its suffix, and for errors.
    stream : ByteSource
        The unpacked bytes; of a document from its first byte.
    size : int
        Bytes that are read at a time.
    encoding : str
        Of plain text and markup. Bytes that it does not have become the sign for that, U+FFFD.
    is_start : bool, default True
        False where the stream is a later part of a file: it is plain text.

    Raises
    ------
    FormatError
        For an unknown encoding, archives, damaged documents, and JSON lines without a field ``text``.
    MissingLibraryError
        For PDF and RTF where the libraries that read them are not installed.
    """
    kind = kind_of_name(name) or ""
    if kind in DOCUMENTS:
        yield from map(_encoded, _document(name, kind, stream, encoding))
        return
    start = stream.read(SNIFFED_BYTES) if is_start else b""
    _refuse_foreign(name, start, encoding)
    kind = kind or kind_of_start(start)
    declared = _DECLARED.search(start[:2048])
    if kind in ("html", "xml") and not encoding and declared and foreign_byte(start) >= 0:
        encoding = declared[1].decode()
    start = start if encoding else start.removeprefix(codecs.BOM_UTF8)
    pieces = chain(
        (start[at : at + size] for at in range(0, len(start), size)),
        iter(lambda: stream.read(size), b""),
    )
    if not kind and not encoding:
        yield from pieces
        return
    texts = _decoded(name, pieces, encoding or "utf-8", strict=not encoding)
    if kind:
        texts = _json_texts(name, texts) if kind == "jsonl" else _markup(name, texts, kind)
    yield from map(_encoded, texts)


def _encoded(text: str) -> bytes:
    """Return a text as UTF-8."""
    return text.encode("utf-8", "replace")


def _refuse_foreign(name: str, start: bytes, encoding: str) -> None:
    """Refuse a file that begins as an archive does, or, without an ``encoding``, as UTF-16 or UTF-32 does."""
    if what := next((what for magic, what in _FOREIGN.items() if start.startswith(magic)), None):
        raise FormatError("corpus_archive", path=name, what=what)
    if not encoding and start.startswith(tuple(mark for mark, _ in BYTE_ORDER_MARKS)):
        raise encoding_error(name, 1, start, 0)


def foreign_byte(data: bytes) -> int:
    """Return the place of the first byte that no UTF-8 has there; -1 if there is none, or only a letter cut at the end."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError as error:
        return error.start
    return -1


def encoding_error(path: object, line: int, data: bytes, at: int) -> FormatError:
    """Return the error for a byte of ``data`` that is not UTF-8, with the encoding that the text may have."""
    guess, confidence = detect_encoding(data)
    about: dict[str, object] = {"path": path, "line": line, "byte": f"0x{data[at]:02X}"}
    if guess:
        return FormatError("corpus_encoding", **about, guess=guess, confidence=confidence)
    return FormatError("corpus_binary" if data[at] == 0 else "corpus_byte", **about)


def _decoded(name: str, pieces: Iterable[bytes], encoding: str, *, strict: bool) -> Iterator[str]:
    """Yield the text piece by piece, without a byte order mark."""
    try:
        "".encode(encoding)
        decoder = codecs.getincrementaldecoder(encoding)("strict" if strict else "replace")
    except LookupError as error:
        raise FormatError("corpus_encoding_unknown", path=name, encoding=encoding) from error
    first = True
    for data in chain(pieces, [b""]):  # the last says that a letter which is cut stays so
        try:
            text = decoder.decode(data, not data)
        except UnicodeDecodeError as error:
            raise encoding_error(name, 1, error.object, error.start) from error
        except UnicodeError as error:
            raise FormatError("corpus_encoding_unknown", path=name, encoding=encoding) from error
        if first and text:
            text, first = text.removeprefix("\ufeff"), False
        yield text


class _TextOfMarkup(HTMLParser):
    """Collects what stands between tags: blocks end a line, inline elements end nothing."""

    def __init__(self, kind: str) -> None:
        super().__init__(convert_charrefs=True)
        self.kind, self.pieces = kind, list[str]()
        self._silent: list[str] = []
        self._within = 0  # docx: depth of w:t

    def take(self) -> str:
        """Return what was collected, and forget it."""
        text, self.pieces = "".join(self.pieces), []
        return text

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in _SILENT and self.kind == "html":
            self._silent.append(tag)
        self._within += tag == "w:t"
        self._break(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            del self._silent[self._silent.index(tag) :]
        self._within -= tag == "w:t"
        self._break(tag)

    def _break(self, tag: str) -> None:
        if self.kind in DOCUMENT_BREAKS:
            mark = DOCUMENT_BREAKS[self.kind].get(tag, "")
        else:
            mark = "" if tag in _INLINE else " " if tag in ("td", "th") else "\n"
        self.pieces.append(mark)

    def handle_data(self, data: str) -> None:
        if not self._silent and (self.kind != "docx" or self._within):
            is_laid_out = self.kind == "html"  # a line end in HTML is a space
            self.pieces.append(re.sub(r"\s+", " ", data) if is_laid_out else data)


def _markup(name: str, pieces: Iterable[str], kind: str) -> Iterator[str]:
    """Yield the text between tags, lines without words left out."""
    parser, line = _TextOfMarkup(kind), ""
    for piece in pieces:
        parser.feed(piece)
        if len(parser.rawdata) > MAX_ELEMENT:
            raise FormatError("corpus_markup_open", path=name, bound=MAX_ELEMENT)
        line += parser.take()
        whole, newline, line = line.rpartition("\n")
        if newline:
            yield _filled_lines(whole)
    parser.close()
    yield _filled_lines(line + parser.take())


def _filled_lines(text: str) -> str:
    """Return the lines that hold anything, each stripped and ended."""
    lines = (re.sub(r"[ \t\xa0]+", " ", line).strip() for line in text.split("\n"))
    return "".join(f"{line}\n" for line in lines if line)


def _json_texts(name: str, pieces: Iterable[str]) -> Iterator[str]:
    """Yield the field ``text`` of each object, a blank line behind it: each is a document."""
    for number, line in enumerate(_lines(name, pieces), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError("corpus_json", path=name, line=number) from error
        if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
            fields = ", ".join(map(str, entry))[:200] if isinstance(entry, dict) else "?"
            raise FormatError("corpus_json_text", path=name, line=number, fields=fields)
        yield _filled_lines(entry["text"]) + "\n"


def _lines(name: str, pieces: Iterable[str]) -> Iterator[str]:
    """Yield lines of bounded length."""
    rest = ""
    for piece in pieces:
        *whole, rest = (rest + piece).split("\n")
        yield from whole
        if len(rest) > MAX_ELEMENT:
            raise FormatError("corpus_markup_open", path=name, bound=MAX_ELEMENT)
    yield rest


def _document(name: str, kind: str, stream: ByteSource, encoding: str) -> Iterator[str]:
    """Yield the text of a document, which is held in a temporary file past some megabytes."""
    with SpooledTemporaryFile(max_size=CHUNK_BYTES * 16) as file:
        size = 0
        while piece := stream.read(CHUNK_BYTES):
            size += len(piece)
            if size > MAX_DOCUMENT:
                raise FormatError("corpus_document_large", path=name, bound=MAX_DOCUMENT >> 20)
            file.write(piece)
        file.seek(0)
        reader = {"pdf": _pdf, "rtf": _rtf}.get(kind, _zipped)
        yield from reader(name, kind, file, encoding)


def _zipped(name: str, kind: str, file: IO[bytes], encoding: str) -> Iterator[str]:  # noqa: ARG001
    """Yield the text of a document that is a zip of markup, part by part."""
    with open_zip(file, name) as archive:
        parts = {
            "docx": lambda _: ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"],
            "odt": lambda _: ["content.xml"],
            "epub": _chapters,
        }[kind](archive)
        members = {member.filename: member for member in archive.members}
        if not any(part in members for part in parts):
            raise FormatError("corpus_document_empty", path=name, kind=kind)
        for part in parts:
            if part in members:
                bound = min(MAX_DOCUMENT, unpacked_bound(members[part].compress_size))
                with archive.open(members[part], bound) as content:
                    data = iter(lambda: content.read(CHUNK_BYTES), b"")
                    pieces = _decoded(f"{name}: {part}", data, "utf-8", strict=True)
                    yield from _markup(name, pieces, "html" if kind == "epub" else kind)
                yield "\n"


def _chapters(archive: ZipReader) -> list[str]:
    """Return the parts of an e-book in reading order; all of its pages where no order is given."""
    members = {member.filename: member for member in archive.members}
    opf = next((part for part in members if part.endswith(".opf")), None)
    pages = sorted(part for part in members if part.lower().endswith((".xhtml", ".html", ".htm")))
    if opf is None:
        return pages
    with archive.open(members[opf], MAX_ELEMENT) as stream:
        package = stream.read().decode("utf-8", "replace")
    items, order = dict[str, str](), list[str]()

    class Package(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            given = {key: value or "" for key, value in attrs}
            if tag.endswith("itemref"):
                order.append(given.get("idref", ""))
            elif tag.endswith("item"):
                items[given.get("id", "")] = given.get("href", "")

    Package().feed(package)
    chapters = [normpath(join(dirname(opf), items[key])) for key in order if key in items]
    return [part for part in chapters if part in members] or pages


def _pdf(name: str, kind: str, file: IO[bytes], encoding: str) -> Iterator[str]:  # noqa: ARG001
    """Yield the text of a PDF, page by page."""
    with optional():
        from pypdf import PdfReader

    found = False
    try:
        for page in PdfReader(file).pages:
            text = _filled_lines(page.extract_text())
            found = found or bool(text)
            yield text
    except Exception as error:
        raise FormatError("corpus_document", path=name, kind=kind, reason=error) from error
    if not found:
        raise FormatError("corpus_document_scan", path=name)


def _rtf(name: str, kind: str, file: IO[bytes], encoding: str) -> Iterator[str]:
    """Yield the text of an RTF."""
    with optional():
        from striprtf.striprtf import rtf_to_text

    try:
        text: str = rtf_to_text(  # type: ignore[no-untyped-call]
            file.read().decode("latin-1"), encoding or "cp1252", errors="replace"
        )
    except Exception as error:
        raise FormatError("corpus_document", path=name, kind=kind, reason=error) from error
    yield _filled_lines(text)


def detect_encoding(data: bytes) -> tuple[str, int]:
    """Return the encoding that text seems to be in, upper case, and the confidence in percent; ("", 0) where none fits.

    By charset-normalizer. UTF-8 with some damaged bytes is in no other encoding.

    Examples
    --------
    >>> detect_encoding(("Он повернул ключ в замке и вошёл в комнату. " * 9).encode("koi8-r"))[0]
    'KOI8-R'
    """
    from charset_normalizer import from_bytes

    if marked := next((name for bom, name in BYTE_ORDER_MARKS if data.startswith(bom)), ""):
        return marked, 100
    sample = data[: 1 << 16] if any(byte > 127 for byte in data[: 1 << 16]) else data[-(1 << 16) :]
    if b"\0" in sample:
        if sample.count(0) < max(4, len(sample) // 32):  # a binary file, or damage
            return "", 0
        sample = sample[: len(sample) // 4 * 4]  # whole characters of UTF-16 and UTF-32
    text = sample.decode("utf-8", "replace")
    if sum(letter > "\x7f" for letter in text) > 2 * text.count("\ufffd") and b"\0" not in sample:
        return "", 0
    python_names = {codecs.lookup(name).name: name.upper() for name in ENCODINGS[1:]}
    isolated = [codecs.lookup(name).name.replace("-", "_") for name in ENCODINGS[1:]]
    best = from_bytes(sample, cp_isolation=isolated).best()
    if best is None:
        return "", 0
    if best.encoding == "cp1250" and sample.decode("cp1252", "replace") == str(best):
        name = "WINDOWS-1252"  # German: the same letters in both
    else:
        name = python_names.get(codecs.lookup(best.encoding).name, best.encoding.upper())
    is_wide = name.startswith(("UTF-16", "UTF-32"))
    if "\0" in str(best) or (b"\0" in sample and not is_wide):
        return "", 0
    return name, round(100 * (1 - best.chaos))

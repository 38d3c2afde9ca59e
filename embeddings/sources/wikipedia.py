"""A dump of Wikipedia (``…-pages-articles.xml.bz2``) to text: one paragraph per line, a blank line between articles.

Articles alone, no redirects. Running prose stays; templates, tables, lists, headings, references, formulas, files and
categories go. A link becomes its visible text. A line of under `MIN_PARAGRAPH_WORDS` words is no paragraph: captions and remains of tables.
"""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast
from xml.etree import ElementTree

from embeddings.archives import unpacked
from embeddings.errors import FormatError

ENDING = "-pages-articles.xml.bz2"
MIN_PARAGRAPH_WORDS = 8  # words
FOREIGN = re.compile(r"[a-z]{2,3}(-[a-z]+)*")  # links to the same article in another language
NAMESPACES = {
    *("file", "image", "media", "category", "template", "special"),
    *("файл", "изображение", "медиа", "категория", "шаблон", "служебная"),
    *("datei", "bild", "medium", "kategorie", "vorlage", "spezial"),
}
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_EMPTY_TAG = re.compile(r"<\s*ref[^<>]*/\s*>|<\s*references[^<>]*/?>", re.IGNORECASE)
_DROPPED = (
    "ref|references|math|chem|gallery|table|timeline|syntaxhighlight|source|score|pre|imagemap"
)
_ELEMENT = re.compile(rf"<\s*({_DROPPED})\b[^<>]*>.*?<\s*/\s*\1\s*>", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"<\s*br\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_FOREIGN_WORD = re.compile(r"\{\{\s*lang[\w-]*\s*\|(?:[^{}|]*\|)?([^{}|]*)\}\}", re.IGNORECASE)
_BRACES = re.compile(r"\{\{|\{\||\}\}|\|\}(?!\})")
_OPENER = {"}}": "{{", "|}": "{|"}
_LINK = re.compile(r"\[\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\]")
_OUTSIDE = re.compile(r"\[(?:https?:|ftp:|//)[^\s\[\]]*\s*([^\[\]]*)\]")
_SWITCH = re.compile(r"__[A-ZА-ЯЁÄÖÜ_]+__")
_EMPHASIS = re.compile(r"'{2,}")
_HOLLOW = re.compile(r"\s*[(\[][\s,;:–—-]*[)\]]|(?<=\()[\s,;:]+")
_BEFORE_STOP = re.compile(r"\s+(?=[,.;:!?)])")
_STRUCTURE = ("=", "*", "#", ":", ";", "|", "!", "{", "}", "----")


def extract(dump: Path, target: Path, advance: Callable[[int], None] | None = None) -> int:
    """Write the articles of a dump to ``target`` as gzip, and return how many there are.

    Parameters
    ----------
    advance : callable, optional
        Called with the number of bytes of the dump read so far.

    Raises
    ------
    FormatError
        If the dump is damaged, cut short or holds no article.
    """
    count = 0
    with (
        dump.open("rb") as packed,
        target.open("wb") as raw,
        # No name and no time in it, so that the same dump gives the same checksum.
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as file,
    ):
        try:
            for text in articles(packed, dump):
                if prose := "\n".join(article_paragraphs(text)):
                    file.write((("\n\n" if count else "") + prose).encode())
                    count += 1
                if advance:
                    advance(packed.tell())
        except ElementTree.ParseError as error:
            raise FormatError("corpus_damaged", path=dump, kind="XML", reason=error) from error
        file.write(b"\n")
    if not count:
        raise FormatError("corpus_wordless", path=dump)
    return count


def articles(packed: BinaryIO, path: Path) -> Iterator[str]:
    """Yield the wikitext of each article: pages of namespace 0 that are no redirects. Errors name the file ``path``."""
    with unpacked(packed, ".bz2", path) as source:
        events = ElementTree.iterparse(cast("BinaryIO", source), events=("start", "end"))
        _, root = next(events)
        for event, element in events:
            if event == "end" and element.tag.rpartition("}")[2] == "page":
                parts = {part.tag.rpartition("}")[2]: part for part in element.iter()}
                if "redirect" not in parts and "ns" in parts and parts["ns"].text == "0":
                    yield parts["text"].text or "" if "text" in parts else ""
                root.clear()  # a dump does not fit into memory


def article_paragraphs(wikitext: str) -> list[str]:
    r"""Return the paragraphs of an article.

    Examples
    --------
    >>> article_paragraphs("== A ==\nA '''key''' ({{IPA|kiː}}) is [[tool|what opens]] a lock and closes it again.<ref>x</ref>")
    ['A key is what opens a lock and closes it again.']
    """
    text = _COMMENT.sub("", wikitext)
    text = _ELEMENT.sub("", _EMPTY_TAG.sub("", text))
    text = _without_braces(_FOREIGN_WORD.sub(r"\1", text))
    for _ in range(4):  # a caption may hold links, from the innermost on
        text, links = _LINK.subn(_visible, text)
        if not links:
            break
    text = _OUTSIDE.sub(r"\1", text)
    text = _TAG.sub("", _BREAK.sub(" ", text))
    text = html.unescape(_SWITCH.sub("", _EMPHASIS.sub("", text)))
    lines = (line for line in text.split("\n") if not line.lstrip().startswith(_STRUCTURE))
    cleaned = (_BEFORE_STOP.sub("", _HOLLOW.sub("", " ".join(line.split()))) for line in lines)
    return [line for line in cleaned if len(line.split()) >= MIN_PARAGRAPH_WORDS]


def _visible(link: re.Match[str]) -> str:
    """Text that a link shows."""
    target, _, shown = link[1].partition("|")
    space, colon, _ = target.strip().partition(":")
    if colon and space:
        if space.strip().lower() in NAMESPACES:
            return ""
        if not shown and FOREIGN.fullmatch(space.strip()):
            return ""
    return shown.rpartition("|")[2] if shown else target.lstrip(":")


def _without_braces(text: str) -> str:
    """Take out templates and tables, nested ones too; a brace without its partner takes nothing with it."""
    opened: list[tuple[str, int]] = []
    spans: list[tuple[int, int]] = []
    waiting = dict.fromkeys(_OPENER.values(), 0)
    for brace in _BRACES.finditer(text):
        sign = brace[0]
        if sign in waiting:
            opened.append((sign, brace.start()))
            waiting[sign] += 1
        elif waiting[_OPENER[sign]]:
            start = _closed(opened, waiting, _OPENER[sign])
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, brace.end()))
    kept, position = [], 0
    for start, end in spans:
        kept.append(text[position:start])
        position = end
    return "".join(kept) + text[position:]


def _closed(opened: list[tuple[str, int]], waiting: dict[str, int], opener: str) -> int:
    """Take back to the last ``opener``, which is there, and return where it stands."""
    while True:
        sign, start = opened.pop()
        waiting[sign] -= 1
        if sign == opener:
            return start

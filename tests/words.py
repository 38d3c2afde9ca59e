"""Check words: ``python -m tests.words`` names each place with a banned word, a long sentence, a dead link or a stale table.

Documents, English wording and docstrings have none of them.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.product_sources import ROOT, nodes

LONGEST = 35  # words of a sentence
GENERATED = {"docs/cli.md", "docs/licences.md", "docs/glossary.md", "docs/sources.md"}
TOP = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "data/README.md")
DIALECT = {
    r"whoever": "the person or program",
    r"anew": "again",
    r"(is|are|was|were) told": "is reported",
    r"(?<!there )(is|are) (?-i:none)": "is not a …",
    r"(is|are) as none": "is ignored",
    r"held to|held against": "checked against",
    r"stands? (beside|in(?! for))": "is in, is next to",
    r"beside": "next to",
    r"past the null": "significant",
    r"a peer|its peer|their peers": "reference implementation",
    r"running words": "tokens",
    r"goes on with|go on with": "continues",
    r"(fetched|shown|kept|measured|scored|printed) are": "subject first, verb second",
    r"where it (ended|waited|was|had)": "instead of",
    r"trusted ground": "trusted",
    r"(questions|is|are) asked of": "question, query",
    r"by itself alone": "alone",
    r"a room for|every room": "layer",
}


class Finding(NamedTuple):
    """A place, what is wrong there, and what to write."""

    place: str
    fault: str
    use: str


@cache
def patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the banned expressions with what to write instead: the dialect, and the banned terms of English."""
    terms = tomllib.loads((ROOT / "tests/app/banned_terms.toml").read_text(encoding="utf-8"))["en"]
    spelled = {
        re.escape(term).replace(r"\ ", r"\s+").replace(r"\*", r"\w*"): use
        for term, use in terms.items()
        if term == term.lower()
    }
    return tuple(
        (re.compile(rf"(?<!\w)(?:{text})(?!\w)", re.IGNORECASE), use)
        for text, use in (DIALECT | spelled).items()
    )


def banned(place: str, text: str) -> Iterator[Finding]:
    """Yield the banned expressions of a text."""
    for pattern, use in patterns():
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield Finding(f"{place}:{line}", f"«{match[0]}»", use)


def plain(text: str) -> str:
    """Return Markdown without code, tables and addresses; lines stay where they are."""
    text = re.sub(r"^( *)```.*?^\1```", lambda m: "\n" * m[0].count("\n"), text, flags=re.S | re.M)
    generated = r"<!-- (\w+) -->.*?<!-- /\1 -->"
    text = re.sub(generated, lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    text = re.sub(r"^\s*\|.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\$[^$]*\$", "x", re.sub(r"<!--.*?-->", "", text))
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"`[^`\n]*`", "x", text)


def long_sentences(place: str, text: str) -> Iterator[Finding]:
    """Yield the sentences of more than `LONGEST` words."""
    block = r"\n\s*\n|\n(?=\s*(?:[-*>#]|\d+\.) )|\n(?=#)"
    start = 0
    for part in re.split(f"({block})", text):
        for sentence in re.split(r"(?<=[.!?])[*_)»”\"]*\s+", part):
            words = re.findall(r"[^\W_][\w'’-]*", sentence)
            if len(words) > LONGEST:
                line = text.count("\n", 0, start + part.find(sentence)) + 1
                yield Finding(
                    f"{place}:{line}",
                    f"{len(words)} words: {' '.join(words[:8])} …",
                    "shorter sentences, a list or a table",
                )
        start += len(part)


def documents() -> Iterator[tuple[str, str]]:
    """Yield the written documents and their texts."""
    for path in (*(ROOT / name for name in TOP), *sorted((ROOT / "docs").rglob("*.md"))):
        name = str(path.relative_to(ROOT))
        if name not in GENERATED:
            yield name, path.read_text(encoding="utf-8")


def strings(value: object, key: str) -> Iterator[tuple[str, str]]:
    """Yield each text of a TOML table with its key."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from strings(inner, f"{key}.{name}" if key else name)


def english() -> Iterator[tuple[str, str]]:
    """Yield each English text of the pages and of the error messages, with file and key."""
    for path in sorted((ROOT / "app/wording/en").glob("*.toml")):
        for key, text in strings(tomllib.loads(path.read_text(encoding="utf-8")), ""):
            yield f"{path.relative_to(ROOT)} {key}", text
    for path in sorted((ROOT / "embeddings/wording").rglob("*.toml")):
        for key, text in strings(tomllib.loads(path.read_text(encoding="utf-8")), ""):
            if key.endswith(".en"):
                yield f"{path.relative_to(ROOT)} {key}", text


def docstrings() -> Iterator[tuple[str, str]]:
    """Yield each docstring of the product with file and line."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path, node in nodes("embeddings", "app"):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            names = r"^[\w, *]+ : .*$"  # of parameters, which are code
            prose = re.sub(names, "", text, flags=re.MULTILINE)
            yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}", prose


def anchors_of(path: Path) -> set[str]:
    """Return the anchors of the headings of a document, as the site and GitHub name them."""
    text = path.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title.strip().lower())) for title in titles}


def dead_links() -> Iterator[Finding]:
    """Yield the links of documents to files or headings that do not exist."""
    for name, text in documents():
        folder = (ROOT / name).parent
        for match in re.finditer(r"\]\(([^)\s]+)\)", text):
            address, _, anchor = match[1].partition("#")
            if re.match(r"\w+:", match[1]):
                continue
            target = (folder / address).resolve() if address else ROOT / name
            place = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
            if not target.exists():
                yield Finding(place, f"dead link {match[1]}", "a file that exists")
            elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
                yield Finding(place, f"dead anchor {match[1]}", "a heading that exists")


def stale_tables() -> Iterator[Finding]:
    """Yield the generated tables of documents that differ from what the files of results give."""
    from benchmarks.report import blocks

    for document, name, made in blocks():
        text = (ROOT / document).read_text(encoding="utf-8")
        if f"<!-- {name} -->\n{made}\n<!-- /{name} -->" not in text:
            yield Finding(f"{document} {name}", "stale table", "python -m benchmarks.report")


def in_documents() -> list[Finding]:
    """Return what is wrong in documents."""
    found: list[Finding] = []
    for name, text in documents():
        written = plain(text)
        found += banned(name, written)
        if not name.startswith(("docs/ru/", "docs/de/")):
            found += long_sentences(name, written)
    return [*found, *dead_links(), *stale_tables()]


def in_wording() -> list[Finding]:
    """Return the banned expressions and long sentences of the English pages and error messages."""
    return [
        found
        for place, text in english()
        for found in (*banned(place, plain(text)), *long_sentences(place, plain(text)))
    ]


def in_docstrings() -> list[Finding]:
    """Return the banned expressions in docstrings."""
    return [found for place, text in docstrings() for found in banned(place, text)]


def main() -> None:
    """Print what is found; end with exit code 1 if there is anything."""
    found = [*in_documents(), *in_wording(), *in_docstrings()]
    for finding in found:
        sys.stdout.write(f"{finding.place}: {finding.fault}; write: {finding.use}\n")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()

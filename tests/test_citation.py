"""What pages and files give to be cited is what CITATION.cff says, and BibTeX reads it."""

import re
from pathlib import Path

from embeddings import citation

ROOT = Path(__file__).resolve().parents[1]


def said(key):
    """A value of CITATION.cff, "" where it has none."""
    found = re.search(
        rf'^(?:\s+- )?{key}: "?(.*?)"?$', (ROOT / "CITATION.cff").read_text(), re.MULTILINE
    )
    return found[1] if found else ""


def fields(entry):
    """The fields of a BibTeX entry, read by counting braces as BibTeX does."""
    found, at = {}, entry.index(",")
    while match := re.compile(r"\s*,?\s*(\w+) = \{").match(entry, at):
        at, depth = match.end(), 1
        begun = at
        while depth:
            depth += {"{": 1, "}": -1}.get(entry[at], 0)
            at += 1
        found[match[1]] = entry[begun : at - 1]
    assert entry[at:].strip(", \n") == "}"
    return found


def test_the_sentence_has_author_year_title_version_and_address_of_the_citation_file():
    for value in (said("name"), said("title"), said("version"), said("url")):
        assert value in citation.sentence()
    assert f"({said('date-released')[:4]})" in citation.sentence()


def test_bibtex_reads_the_same_and_keeps_the_author_one_name():
    read = fields(citation.bibtex())
    assert citation.bibtex().startswith("@misc{klyuch,")
    assert read["author"] == "{" + said("name") + "}"  # else "authors" would be the family name
    assert read["title"].replace("{", "").replace("}", "") == said("title")
    assert read["year"] == said("date-released")[:4]
    assert said("version") in read["note"]
    assert read.get("url", "") == said("url")


def test_what_models_share_is_said_once():
    lines = citation.lines(["one; sha256 12.", "two; sha256 34."], ["seed 1"])
    assert lines[1:3] == ["one; sha256 12.", "two; sha256 34."]
    assert lines[3].startswith("seed 1; Klyuch ")
    assert len(lines) == 4

"""Word lists of association tests: written for this project, of Caliskan et al. (2017) where they were fetched, a person's own.

``data/associations.toml`` holds the first; of the second it holds line numbers into the catalogue's entry ``weat``.
"""

from __future__ import annotations

import csv
import os
import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from embeddings.analysis.vector_answers import AssociationSets, AssociationTest
from embeddings.errors import FormatError, InputError, clause
from embeddings.files import check_file, stamp, verify
from embeddings.shelf.locations import data, home
from embeddings.sources.catalogue import find_entry, read_catalogue
from embeddings.vectors.table import Vectors

ASSOCIATIONS_FILE, ENTRY, PAPER = "associations.toml", "weat", "paper"
ENGLISH = "vocab_en.txt"
MAX_SET_BYTES = 1 << 18  # bytes of a person's file
SETS = 4


def association_tests(language: str) -> dict[str, AssociationSets]:
    """Return the tests that there are for a language, by name; those of the paper only where their words were fetched."""
    if not (data() / ASSOCIATIONS_FILE).exists():
        return {}
    tables = _tables(data() / ASSOCIATIONS_FILE, stamp(data() / ASSOCIATIONS_FILE))
    tests = {name: _sets(name, table) for name, table in tables.get(language, {}).items()}
    for name, table in tables[PAPER].items() if (words := _paper_words(language)) else ():
        listed = {
            title: [w for line in lines for w in words[line - 1]] for title, lines in table.items()
        }
        if all(listed.values()):
            tests[name] = _sets(name, listed)
    return tests


@lru_cache(maxsize=4)
def _tables(path: Path, _: str) -> Mapping[str, Any]:
    """Return what the file of this project holds, read once a state of it."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def find_association_test(name_or_path: str, language: str) -> AssociationSets:
    """Return the test of that name in a language, or of a person's TOML file with four lists.

    Raises
    ------
    InputError
        If there is neither.
    FormatError
        If the file does not hold four lists of words.
    """
    tests = association_tests(language)
    if name_or_path in tests:
        return tests[name_or_path]
    path = Path(name_or_path).expanduser()
    if path.suffix != ".toml":
        choices = ", ".join(tests) or "–"
        raise InputError("weat_unknown", name=name_or_path, language=language, choices=choices)
    check_file(path, clause("name_word_sets"))
    try:
        if path.stat().st_size > MAX_SET_BYTES:
            raise ValueError
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return _sets(path.stem, table)
    except (ValueError, TypeError, RecursionError) as error:
        raise FormatError("weat_form", path=path) from error


def ask_association(
    vectors: Vectors, test: str | AssociationSets, draws: int = 100_000, seed: int = 1
) -> AssociationTest:
    """Return a model's answer to a test, as `find_association_test` finds it in the language of the model."""
    from embeddings.analysis.association import association_test

    sets = find_association_test(test, vectors.language) if isinstance(test, str) else test
    return association_test(vectors, sets, draws, seed)


def _sets(name: str, table: Mapping[str, Any]) -> AssociationSets:
    """Return four lists as a test; ValueError where they are not four lists of words."""
    lists = tuple(_words(words) for words in table.values())
    if len(lists) != SETS or not all(lists):
        raise ValueError(name)
    titles = tuple(str(title) for title in table)
    return AssociationSets(name, titles, lists)  # type: ignore[arg-type]


def _words(words: object) -> tuple[str, ...]:
    """Return the words of a list, or of a text with commas."""
    listed = words.split(",") if isinstance(words, str) else words
    if not isinstance(listed, list):
        raise TypeError(words)
    return tuple(dict.fromkeys(word for text in listed if (word := str(text).strip())))


def _paper_words(language: str) -> list[list[str]]:
    """Return the words of each line of the fetched lists, several where a translation has forms; nothing where they are not here.

    Raises
    ------
    CheckpointError
        If a file is not the one that the line numbers are of.
    """
    mirror = os.environ.get("KLYUCH_MIRROR")
    roots = [*home().glob(f"*/{ENTRY}")]
    roots += [Path(mirror) / "evaluation" / "bias"] if mirror else []
    name = ENGLISH if language == "en" else f"vocab_en_{language}.csv"
    root = next((root for root in roots if (root / name).is_file()), None)
    if root is None:
        return []
    entry = find_entry(read_catalogue(data() / "catalogue.toml"), ENTRY)
    verify(root, {file.name: file.sha256 for file in entry.files if file.name == name})
    text = (root / name).read_text(encoding="utf-8-sig")
    if language == "en":
        return [[line.strip()] for line in text.splitlines()]
    rows = csv.reader(text.splitlines())
    return [
        list(dict.fromkeys(re.sub(r"\s+", " ", w.strip()) for w in row[1:] if w.strip()))
        for row in rows
    ]

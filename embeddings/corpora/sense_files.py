"""Contexts with their senses in three forms that open again: RUSSE 2018 (.tsv), CSV (.csv) and JSON (.json).

A table is recognised by its first line, not by its suffix (`embeddings.corpora.tables`): with a tab it is tab-separated, as RUSSE's
own ``train.csv``. All hold the same columns (`embeddings.corpora.sense_contexts`): the sense of a context is ``predict_sense_id``,
what a person calls the sense the further column ``sense_name``. JSON is an object with ``format`` "klyuch-senses", ``version`` 1 and
``contexts``, a list of objects with the columns as keys and texts as values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from embeddings.corpora.corpus_answers import SenseGrouping
from embeddings.corpora.sense_contexts import (
    OPTIONAL,
    Context,
    check_columns,
    context_rows,
    parse_context,
    read_contexts,
    write_contexts,
)
from embeddings.errors import FormatError, InputError, clause
from embeddings.files import check_file, parse_json, read_text, write_json

FORMS = (".tsv", ".csv", ".json")
MAX_ANNOTATION_BYTES = 32 << 20  # bytes of a file
SENSE_NAME = "sense_name"
JSON_FORMAT, JSON_VERSION = "klyuch-senses", 1


def read_senses(path: str | Path) -> tuple[Context, ...]:
    """Read contexts from a file in one of `FORMS`, whatever its suffix.

    Raises
    ------
    MissingFileError
        If there is no such file.
    FormatError
        If it is too large, not UTF-8, lacks a column, holds no context, or an entry does not fit.
    """
    path = Path(path)
    check_file(path, clause("name_contexts"))
    if path.stat().st_size > MAX_ANNOTATION_BYTES:
        raise FormatError("contexts_large", path=path, bound=MAX_ANNOTATION_BYTES >> 20)
    return _json_contexts(path) if path.suffix.lower() == ".json" else read_contexts(path)


def write_senses(path: str | Path, contexts: Sequence[Context]) -> None:
    """Write contexts in the form that the suffix of ``path`` names; whole or not at all.

    Raises
    ------
    InputError
        If the suffix is not one of `FORMS`.
    """
    path = Path(path)
    suffix = check_form(path)
    if suffix == ".json":
        columns, rows = context_rows(contexts)
        entries = [dict(zip(columns, row, strict=True)) for row in rows]
        about = {"format": JSON_FORMAT, "version": JSON_VERSION, "contexts": entries}
        write_json(path, about)
    else:
        write_contexts(path, contexts, mark="," if suffix == ".csv" else "\t")


def check_form(path: Path) -> str:
    """Return the suffix of a file that is to be written; one that is not in `FORMS` raises an `InputError`."""
    suffix = path.suffix.lower()
    if suffix not in FORMS:
        raise InputError("senses_form", path=path, forms=", ".join(FORMS))
    return suffix


def with_senses(contexts: Sequence[Context], grouping: SenseGrouping) -> tuple[Context, ...]:
    """Return contexts with their senses, numbered from 1, and the names of those that a person named."""
    labelled = []
    for context, label in zip(contexts, grouping.labels, strict=True):
        further = tuple((name, value) for name, value in context.further if name != SENSE_NAME)
        if any(grouping.names):
            further = (*further, (SENSE_NAME, grouping.names[label]))
        labelled.append(replace(context, predicted=str(label + 1), further=further))
    return tuple(labelled)


def grouping_of(contexts: Sequence[Context]) -> SenseGrouping | None:
    """Return the senses that a file gives its contexts, numbers in their order; None where some have none.

    A sense that bears several names takes the first.
    """
    senses = {context.predicted for context in contexts}
    if not contexts or "" in senses:
        return None
    ordered = sorted(senses, key=lambda sense: (not sense.isdecimal(), len(sense), sense))
    number = {sense: at for at, sense in enumerate(ordered)}
    names = ["" if sense.isdecimal() else sense for sense in ordered]
    for context in reversed(contexts):
        if name := dict(context.further).get(SENSE_NAME, ""):
            names[number[context.predicted]] = name
    return SenseGrouping(tuple(number[context.predicted] for context in contexts), tuple(names))


def _json_contexts(path: Path) -> tuple[Context, ...]:
    """Return the contexts of a JSON file."""
    value = parse_json(read_text(path), path, MAX_ANNOTATION_BYTES)
    entries = value.get("contexts")
    if value.get("format") != JSON_FORMAT or not isinstance(entries, list):
        raise FormatError("contexts_json", path=path, format=JSON_FORMAT)
    contexts = []
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or not all(isinstance(v, str) for v in entry.values()):
            raise FormatError("contexts_json_entry", path=path, line=number)
        check_columns(path, tuple(entry))
        contexts.append(parse_context(dict.fromkeys(OPTIONAL, "") | entry, path, number))
    if not contexts:
        raise FormatError("contexts_empty", path=path)
    return tuple(contexts)

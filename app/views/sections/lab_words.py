"""Lab: codes of experiments in the words of the screen's language."""

from __future__ import annotations

from app.wording import Wording
from embeddings.results.experiments import Cell, Column, Measured


def term(say: Wording, code: str) -> str:
    """Return what a code is called; a proper name stands as it is, ``|`` becomes a comma."""
    return ", ".join(say.get(f"lab_term.{part}", part) for part in code.split("|"))


def head(say: Wording, column: Column) -> str:
    """Return the heading of a column."""
    return say.get(f"lab_column.{column.name}") or term(say, column.name)


def cell(say: Wording, column: Column, value: Cell) -> str:
    """Return a cell as this language writes it."""
    if isinstance(value, str):
        return term(say, value) if column.kind == "term" else value
    return say.number(value, column.digits)


def field(say: Wording, value: Measured | str) -> str:
    """Return a field of a sentence."""
    return term(say, value) if isinstance(value, str) else say.number(value.value, value.digits)

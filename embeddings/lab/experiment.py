"""An experiment as it was run: its claims, tables and drawings, of plain values."""

from __future__ import annotations

from typing import Any

from embeddings.results import Result, Value

Cell = str | float | int | None


class Column(Value):
    """A column of a table, of a name that no other column of it has.

    ``kind``: "term" (a code or a proper name), "text" (as it stands) or "number", written with ``digits``, 0 to 10. The unit
    belongs to the name: a column ``accuracy`` holds percent, ``seconds`` seconds, ``loss`` nats.
    """

    name: str
    kind: str = "number"
    digits: int = 0


class Table(Result):
    """Rows of as many cells as there are columns; None where nothing was measured."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def table(self) -> tuple[list[str], list[list[Cell]]]:
        """Return names of the columns, and the rows."""
        return [column.name for column in self.columns], [list(row) for row in self.rows]


class Series(Value):
    """A line or a set of bars.

    ``x`` are numbers for lines, codes of the labels for bars; ``spread`` is a standard deviation next to each ``y`` or empty; a
    series that is not ``main`` waits in the legend.
    """

    name: str
    x: tuple[Cell, ...]
    y: tuple[float | None, ...]
    spread: tuple[float, ...] = ()
    main: bool = True


class Drawing(Value):
    """What is to be drawn: ``kind`` "lines", "dots" or "bars", codes of its axes, the series.

    Of bars and dots ``x`` names what they stand for, a row a name, ``y`` their length or place. ``reference`` is a value of y
    worth a line of its own (chance, equality).
    """

    name: str
    kind: str
    x: str
    y: str
    series: tuple[Series, ...]
    reference: float | None = None


class Measured(Value):
    """A number in a sentence, with the digits after the point that it is worth, 0 to 10."""

    value: float | None
    digits: int = 0


Numbers = tuple[tuple[str, float | tuple[float | None, ...] | None], ...]


class Claim(Value):
    """A claim of a source, checked against what was measured.

    Attributes
    ----------
    name : str
        Code of the claim; `app.wording` has its sentences.
    rule : str
        The rule that gives the verdict, one of `benchmarks.verdict_rules.RULES`.
    numbers : tuple of (str, number or numbers)
        Everything that the rule reads, bounds included: ``verdict == RULES[rule](**dict(numbers))``.
    verdict : str
        "yes", "no", "partly" (in some of the cases), or "open" where the numbers do not decide (too few of them, or a
        difference within chance).
    source : str
        Citation of the source of the claim; "" for a question of this project's own.
    published, ours : float, optional
        The source's value and the one measured here, in the same unit; None where there is no single comparable one.
    fields : tuple of (str, Measured or str)
        Numbers and codes that the sentence on the outcome needs: the claim's own sentence, or ``sentence``. Their names are
        identifiers, and neither "self" nor "key".
    """

    name: str
    rule: str
    numbers: Numbers
    verdict: str
    source: str = ""
    published: float | None = None
    ours: float | None = None
    fields: tuple[tuple[str, Measured | str], ...] = ()
    sentence: str = ""


class Experiment(Result):
    """An experiment as it was run: the one shape of ``benchmarks/results/*.json``.

    Attributes
    ----------
    name, question : str
    claims, tables, drawings : tuples
    commands : tuple of str
        What repeats it, in order; at least one.
    files : tuple of str
        The files of results that hold its measurements, as paths in the repository.
    commit, machine, created : str
        "" where it is not known; ``created`` is a date, as 2026-11-20.
    seconds : float, optional
        How long it took on that machine.
    short : bool
        True if this was a run of minutes that only shows that the experiment works.
    """

    name: str
    question: str
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    drawings: tuple[Drawing, ...]
    commands: tuple[str, ...]
    files: tuple[str, ...] = ()
    commit: str = ""
    machine: str = ""
    created: str = ""
    seconds: float | None = None
    short: bool = False

    def table(self) -> tuple[list[str], list[list[Any]]]:
        """Return a line a claim: the verdict, and what was measured."""
        lines: list[list[Any]]
        lines = [[claim.name, claim.verdict, dict(claim.fields)] for claim in self.claims]
        return ["claim", "verdict", "measured"], lines

    def title(self) -> str:
        """Return the question."""
        return self.question

    @property
    def minutes(self) -> float | None:
        """How long it took, in minutes."""
        return None if self.seconds is None else self.seconds / 60

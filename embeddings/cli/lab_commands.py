"""``klyuch lab``: the experiments as they were run: their tables, and their claims next to what was measured."""

from __future__ import annotations

import typer
from rich.console import Group, RenderableType

from embeddings.cli.nouns import verb
from embeddings.cli.output import emit, grid
from embeddings.errors import KlyuchError
from embeddings.lab import NAMES, read_experiment
from embeddings.results.trainings import Cell, Experiment, Measured


@verb("lab", "list")
def list_command(*, as_json: bool = False) -> None:
    """List the experiments with the commands that repeat them, or the errors in their files."""
    rows: list[tuple[object, ...]] = []
    for name in NAMES:
        try:
            experiment = read_experiment(name)
        except KlyuchError as error:
            rows.append((name, "no", str(error)))
        else:
            state = "short" if experiment.short else "yes"
            rows.append((name, state, "\n".join(experiment.commands)))
    heads = ("experiment", "run", "command")
    value = [dict(zip(heads, row, strict=True)) for row in rows]
    emit(value, as_json, lambda: grid(*heads, rows=rows))


@verb("lab", "show")
def show_command(
    name: str = typer.Argument(help=f"One of {', '.join(NAMES)}."), *, as_json: bool = False
) -> None:
    """Show an experiment's claims, whether they hold, and its tables."""
    experiment = read_experiment(name)
    emit(experiment, as_json, lambda: _render(experiment))  # type: ignore[arg-type,return-value]


def _render(experiment: Experiment) -> RenderableType:
    """The question, claims and tables below each other."""
    claims: list[tuple[object, ...]] = [
        (
            claim.name,
            claim.verdict,
            ", ".join(f"{key} {_field(value)}" for key, value in claim.fields),
            claim.source,
        )
        for claim in experiment.claims
    ]
    parts: list[RenderableType] = [experiment.question]
    parts.append(grid("claim", "holds", "measured", "source", rows=claims))
    for table in experiment.tables:
        heads = [column.name for column in table.columns]
        digits = [column.digits for column in table.columns]
        rows: list[tuple[object, ...]] = [
            tuple(_cell(value, places) for value, places in zip(row, digits, strict=True))
            for row in table.rows
        ]
        parts += [f"\n{table.name}", grid(*heads, rows=rows)]
    return Group(*parts)


def _field(value: Measured | str) -> str:
    """A field of a sentence."""
    return value if isinstance(value, str) else str(_cell(value.value, value.digits))


def _cell(value: Cell, digits: int) -> str:
    """A cell with the digits that it is worth; a dash for None."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.{digits}f}"

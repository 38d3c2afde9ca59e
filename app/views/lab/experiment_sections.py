"""Lab: the parts of an experiment on the page, with its codes in the words of the screen's language.

Figures; claims of the sources next to what was measured here; tables, as CSV in full precision; how it was made, the same in Python, and
a line to cite.
"""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from app.figures.experiment_drawings import lab_figure, series_looks
from app.widgets import outputs
from app.wording import Wording
from embeddings.lab.experiment import Cell, Claim, Column, Drawing, Experiment, Measured, Table


def term(say: Wording, code: str) -> str:
    """Return what a code is called, ``page_NAME`` as in the navigation; a proper name stands as it is, ``|`` becomes a comma."""
    return ", ".join(_called(say, part) for part in code.split("|"))


def _called(say: Wording, code: str) -> str:
    """Return what one code is called."""
    if code.startswith("page_"):
        return say.get(f"{code.removeprefix('page_')}.nav", code)
    return say.get(f"lab_term.{code}", code)


def head(say: Wording, column: Column) -> str:
    """Return the heading of a column."""
    return say.get(f"lab_column.{column.name}") or term(say, column.name)


def heads(say: Wording, table: Table) -> list[str]:
    """Return the headings of a table; the columns' codes where two would be called the same."""
    called = [head(say, column) for column in table.columns]
    distinct = len(set(called)) == len(called)
    return called if distinct else [column.name for column in table.columns]


def sentence(say: Wording, key: str, values: dict[str, str], instead: str) -> str:
    """Return the sentence under a key, ``instead`` where there is none or a value of it is missing."""
    try:
        return say.get(key).format(**values) or instead
    except KeyError:
        return instead


def cell(say: Wording, column: Column, value: Cell, *, exact: bool = False) -> Cell:
    """Return a cell as this language writes it, ``exact`` numbers as they were measured."""
    if isinstance(value, str):
        return term(say, value) if column.kind == "term" else value
    return value if exact else say.number(value, column.digits)


def cells(say: Wording, table: Table, *, exact: bool = False) -> pd.DataFrame:
    """Return a table with its headings and cells as this language writes them."""
    rows = [
        [cell(say, c, v, exact=exact) for c, v in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]
    return pd.DataFrame(rows, columns=heads(say, table))


def field(say: Wording, value: Measured | str) -> str:
    """Return a field of a sentence."""
    return term(say, value) if isinstance(value, str) else say.number(value.value, value.digits)


def show_drawing(say: Wording, experiment: Experiment, drawing: Drawing) -> None:
    """Draw one figure under its title."""
    title = say.get(f"lab_figure.{experiment.name}_{drawing.name}", outputs.plain(drawing.name))
    st.subheader(title, anchor=False)
    axes = say.get(f"lab_axis.{drawing.x}", drawing.x), say.get(f"lab_axis.{drawing.y}", drawing.y)
    looks = series_looks(experiment.drawings)
    drawn = lab_figure(drawing, partial(term, say), axes, looks)
    key = f"lab-{experiment.name}-{drawing.name}".replace("_", "-")
    outputs.figure(say, drawn, key, title)
    if any(not series.main for series in drawing.series):
        st.caption(say("lab.legend"))


def show_tables(say: Wording, experiment: Experiment) -> None:
    """Show each table under its title."""
    for table in experiment.tables:
        title = say.get(f"lab_table.{experiment.name}_{table.name}", outputs.plain(table.name))
        st.subheader(title, anchor=False)
        st.table(cells(say, table), hide_index=True)
        key = f"lab-{experiment.name}-{table.name}".replace("_", "-")
        outputs.csv(say, partial(cells, say, table, exact=True), key)


def show_made(say: Wording, experiment: Experiment) -> None:
    """Say on what machine, how long, from which files; show the commands that repeat it."""
    st.subheader(say("lab.repeat"), anchor=False)
    sentences = [say("lab.machine", machine=experiment.machine)] if experiment.machine else []
    if experiment.minutes:
        sentences.append(say("lab.took", minutes=say.number(experiment.minutes, 1)))
    sentences += [say("lab.commit", commit=experiment.commit[:12])] if experiment.commit else []
    sentences += [say("lab.file", file=", ".join(f"`{file}`" for file in experiment.files))]
    st.markdown(" ".join(sentences))
    st.code("\n".join(experiment.commands), language="bash", wrap_lines=True)


def provenance(experiment: Experiment) -> list[str]:
    """Return experiment, command, commit, machine and date, for a citation."""
    parts = [
        f"Experiment {experiment.name}",
        experiment.commands[-1],
        f"commit {experiment.commit[:12]}" if experiment.commit else "",
        experiment.machine,
        experiment.created,
    ]
    return [part for part in parts if part]


ICONS = {"yes": "check_circle", "partly": "contrast", "no": "cancel", "open": "help"}


def show_claims(say: Wording, experiment: Experiment) -> None:
    """Show each claim, its source, the numbers here, and whether it holds."""
    st.caption(say("lab.verdicts_note"))
    columns = st.columns(2)
    for number, claim in enumerate(experiment.claims):
        with columns[number % 2]:
            _show_claim(say, claim)


def _show_claim(say: Wording, claim: Claim) -> None:
    """Show one claim."""
    with st.container(border=True):
        mark = say(f"lab_mark.{claim.verdict}")
        st.markdown(
            f":gray-badge[:material/{ICONS[claim.verdict]}: {mark}] **{_claim(say, claim)}**"
        )
        if source := say.get(f"lab_source.{claim.name}"):
            st.markdown(source)
        if claim.fields:
            values = {name: outputs.plain(field(say, value)) for name, value in claim.fields}
            measured = ", ".join(f"{outputs.plain(name)} {value}" for name, value in values.items())
            key = f"lab_here.{claim.sentence or claim.name}"
            st.markdown(sentence(say, key, values, measured))
        else:
            st.markdown(say("lab.unmeasured"))


def _claim(say: Wording, claim: Claim) -> str:
    """The claim, with the name of what it is about."""
    names = {n: outputs.plain(field(say, v)) for n, v in claim.fields if isinstance(v, str)}
    return sentence(say, f"lab_claim.{claim.name}", names, outputs.plain(claim.name))

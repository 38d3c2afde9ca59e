"""Lab: how an experiment was made, the same in Python, and a line to cite.

Lab: the curves and bars of an experiment.
Lab: the tables of an experiment, written as the language writes numbers; as CSV in full precision.
Lab: what the sources found beside what was found here.
Lab: codes of experiments in the words of the screen's language.
"""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from app.figures.experiment_drawings import lab_figure
from app.widgets import outputs
from app.wording import Wording
from embeddings import __version__
from embeddings.results.experiment import Cell, Column, Experiment, Measured, Table, Verdict


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


def show_figures(say: Wording, found: Experiment) -> None:
    """Draw each figure under its title."""
    for drawing in found.drawings:
        title = say(f"lab_figure.{found.name}_{drawing.name}")
        st.subheader(title, anchor=False)
        axes = (say(f"lab_axis.{drawing.x}"), say(f"lab_axis.{drawing.y}"))
        drawn = lab_figure(drawing, partial(term, say), axes, say.separators)
        key = f"lab-{found.name}-{drawing.name}".replace("_", "-")
        outputs.figure(say, drawn, key, title)
        if any(not series.main for series in drawing.series):
            st.caption(say("lab.legend"))


def show_tables(say: Wording, found: Experiment) -> None:
    """Show each table under its title."""
    for table in found.tables:
        st.subheader(say(f"lab_table.{found.name}_{table.name}"), anchor=False)
        heads = [head(say, column) for column in table.columns]
        rows = [
            [cell(say, c, v) for c, v in zip(table.columns, row, strict=True)] for row in table.rows
        ]
        written = pd.DataFrame(rows, columns=heads)
        st.table(written, hide_index=True)
        key = f"lab-{found.name}-{table.name}".replace("_", "-")
        outputs.csv(say, _whole(say, table, heads), key)


def _whole(say: Wording, table: Table, heads: list[str]) -> pd.DataFrame:
    """The table with its numbers as they were measured."""
    terms = [column.kind == "term" for column in table.columns]
    return pd.DataFrame(
        [
            [
                term(say, v) if known and isinstance(v, str) else v
                for v, known in zip(row, terms, strict=True)
            ]
            for row in table.rows
        ],
        columns=heads,
    )


def show_made(say: Wording, found: Experiment) -> None:
    """Say on what machine, how long, from which files; show the commands that repeat it."""
    st.subheader(say("lab.repeat"), anchor=False)
    told = [say("lab.machine", machine=found.machine)] if found.machine else []
    told += [say("lab.took", minutes=say.number(found.minutes, 1))] if found.minutes else []
    told += [say("lab.commit", commit=found.commit[:12])] if found.commit else []
    told += [say("lab.file", file=", ".join(f"`{file}`" for file in found.files))]
    st.markdown(" ".join(told))
    st.code("\n".join(found.commands), language="bash", wrap_lines=True)


def show_take_away(say: Wording, found: Experiment) -> None:
    """Show the Python that gives the same, and a line to cite."""
    with st.expander(say("common.take_away"), icon=":material/code:"):
        st.markdown(say("common.python"))
        st.code(code(found.name), language="python")
        st.markdown(say("lab.cite"))
        st.code(citation(found), language=None, wrap_lines=True)


def code(name: str) -> str:
    """Code for an experiment's claims and tables."""
    return (
        "from embeddings.lab import read_experiment\n\n"
        f"found = read_experiment({name!r})\n"
        "for verdict in found.verdicts:\n"
        "    print(verdict.claim, verdict.outcome, dict(verdict.fields))\n"
        "for table in found.tables:\n"
        "    print([column.name for column in table.columns])\n"
        "    for row in table.rows:\n"
        "        print(row)\n"
    )


def citation(found: Experiment) -> str:
    """Return experiment, command, commit, machine, date and version in one line."""
    parts = [
        f"Experiment {found.name}",
        found.commands[-1],
        f"commit {found.commit[:12]}" if found.commit else "",
        found.machine,
        found.created,
        f"Klyuch {__version__}",
    ]
    return "; ".join(filter(None, parts)) + "."


SIDE_BY_SIDE = 4  # claims from which on there are two columns
COLOURS = {"yes": "green", "partly": "blue", "no": "orange", "open": "gray"}


def show_verdicts(say: Wording, found: Experiment) -> None:
    """Show each claim, its source, the numbers here, and whether it holds."""
    st.subheader(say("lab.verdicts"), anchor=False)
    st.caption(say("lab.verdicts_note"))
    wide = 2 if len(found.verdicts) > SIDE_BY_SIDE else 1
    for first in range(0, len(found.verdicts), wide):
        row = found.verdicts[first : first + wide]
        for column, verdict in zip(st.columns(wide), row, strict=False):
            with column:
                _show_verdict(say, verdict)


def _show_verdict(say: Wording, verdict: Verdict) -> None:
    """Show one claim."""
    with st.container(border=True):
        mark = say(f"lab_mark.{verdict.outcome}")
        st.markdown(f":{COLOURS[verdict.outcome]}-badge[{mark}] **{_claim(say, verdict)}**")
        if source := say.get(f"lab_source.{verdict.claim}"):
            st.markdown(source)
        if verdict.fields:
            values = {name: outputs.plain(field(say, value)) for name, value in verdict.fields}
            st.markdown(say(f"lab_here.{verdict.sentence or verdict.claim}", **values))
        else:
            st.markdown(say("lab.unmeasured"))


def _claim(say: Wording, verdict: Verdict) -> str:
    """The claim, with the name of what it is about."""
    names = {n: outputs.plain(field(say, v)) for n, v in verdict.fields if isinstance(v, str)}
    return say(f"lab_claim.{verdict.claim}", **names)

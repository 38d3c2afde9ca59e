"""Lab: the tables of an experiment, written as the language writes numbers; as CSV in full precision."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.views.sections.lab_words import cell, head, term
from app.widgets import outputs
from app.wording import Wording
from embeddings.results.experiments import Experiment, Table


def show(say: Wording, found: Experiment) -> None:
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

"""Grammar: how often the networks that ship prefer the grammatical sentence, beside what is published."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.widgets import outputs
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError, MissingFileError
from embeddings.lab.experiment_files import read_file
from embeddings.results.experiment import Table

COMMAND = "KLYUCH_MIRROR=FOLDER python -m benchmarks.grammar_accuracy"
SETS = {"en": ("blimp_en",), "ru": ("rublimp_ru", "clams_ru"), "de": ("clams_de",)}


def show(page: PageState) -> None:
    """Show a table for each set of the models' language; nothing where the benchmark was not run."""
    say = page.say
    try:
        experiment, measured = read_file("grammar", COMMAND)
    except MissingFileError:
        return
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    tables = {table.name: table for table in experiment.tables}
    names = [name for name in SETS[page.language] if name in tables]
    if not names:
        return
    st.subheader(say("grammar.how_often"), anchor=False)
    st.caption(say("grammar.how_often_read"))
    for name in names:
        pairs = measured.get("pairs", {}).get(name)
        st.markdown(say(f"grammar_set.{name}", pairs=say.number(pairs)))
        outputs.table(
            say,
            frame_of(say("grammar.phenomenon"), say("grammar.all_pairs"), tables[name]),
            f"grammar-{name}",
            forms={
                column.name: lambda value: say.number(value, 1)
                for column in tables[name].columns[1:]
            },
        )


def frame_of(head: str, everything: str, table: Table) -> pd.DataFrame:
    """Return a set's table, its first column and its first row named in the reader's language."""
    names = [head, *(column.name for column in table.columns[1:])]
    (_, *first), *rest = table.rows
    return pd.DataFrame([(everything, *first), *rest], columns=names)

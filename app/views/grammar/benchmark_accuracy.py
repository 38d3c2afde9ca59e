"""Grammar: how often the networks that ship prefer the grammatical sentence, next to what is published."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.widgets import outputs
from app.widgets.frame import PageState
from embeddings.errors import FormatError, KlyuchError, MissingFileError
from embeddings.lab.experiment_files import read_file
from embeddings.results.trainings import Table

COMMAND = "KLYUCH_MIRROR=FOLDER python -m benchmarks.research.knowledge --work WORK"
SETS = {"en": ("blimp_en",), "ru": ("rublimp_ru", "clams_ru"), "de": ("clams_de",)}
MOST_PAIRS = 1_000_000_000


def has_sets(page: PageState) -> bool:
    """Whether the benchmark was run on a set of the models' language; a damaged file is named when it is shown."""
    try:
        return bool(scored_sets(SETS[page.language]))
    except MissingFileError:
        return False
    except KlyuchError:
        return True


def show_benchmarks(page: PageState) -> None:
    """Show a table for each set of the models' language; nothing where the benchmark was not run."""
    say = page.say
    try:
        scored = scored_sets(SETS[page.language])
    except MissingFileError:
        return
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    if not scored:
        return
    st.caption(say("grammar.how_often_read"))
    for table, pairs in scored:
        st.markdown(say(f"grammar_set.{table.name}", pairs=pairs))
        outputs.table(
            say,
            frame_of(say("grammar.phenomenon"), say("grammar.all_pairs"), table),
            f"grammar-{table.name}",
            forms={column.name: lambda value: say.number(value, 1) for column in table.columns[1:]},
        )


def scored_sets(names: Sequence[str]) -> list[tuple[Table, int]]:
    """Read the tables of the sets that were scored, each with its number of pairs; a damaged one is a `FormatError`."""
    experiment, measured = read_file("grammar", COMMAND)
    tables = {table.name: table for table in experiment.tables}
    counts = measured.get("pairs")
    scored = []
    for name in names:
        if name not in tables:
            continue
        pairs = counts.get(name) if isinstance(counts, dict) else None
        if type(pairs) is not int or not 0 <= pairs <= MOST_PAIRS:
            raise _damaged(f"measurements.pairs.{name}")
        kinds = [column.kind for column in tables[name].columns]
        if kinds[:1] != ["text"] or set(kinds[1:]) != {"number"}:
            raise _damaged(f"{name}.columns")
        if not tables[name].rows:
            raise _damaged(f"{name}.rows")
        scored.append((tables[name], pairs))
    return scored


def _damaged(place: str) -> FormatError:
    """Say where the file of results is damaged."""
    return FormatError(
        "experiment_damaged", path="benchmarks/results/grammar.json", place=place, command=COMMAND
    )


def frame_of(head: str, everything: str, table: Table) -> pd.DataFrame:
    """Return a set's table, its first column and its first row named in the reader's language."""
    networks = [column.name for column in table.columns[1:]]
    title = table.columns[0].name if head in networks else head
    (_, *first), *rest = table.rows
    return pd.DataFrame([(everything, *first), *rest], columns=[title, *networks])

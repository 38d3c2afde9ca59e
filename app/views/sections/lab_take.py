"""Lab: how an experiment was made, the same in Python, and a line to cite."""

from __future__ import annotations

import streamlit as st

from app.wording import Wording
from embeddings import __version__
from embeddings.results.experiments import Experiment


def made(say: Wording, found: Experiment) -> None:
    """Say on what machine, how long, from which files; show the commands that repeat it."""
    st.subheader(say("lab.repeat"), anchor=False)
    told = [say("lab.machine", machine=found.machine)] if found.machine else []
    told += [say("lab.took", minutes=say.number(found.minutes, 1))] if found.minutes else []
    told += [say("lab.commit", commit=found.commit[:12])] if found.commit else []
    told += [say("lab.file", file=", ".join(f"`{file}`" for file in found.files))]
    st.markdown(" ".join(told))
    st.code("\n".join(found.commands), language="bash", wrap_lines=True)


def show(say: Wording, found: Experiment) -> None:
    """Show the Python that gives the same, and a line to cite."""
    with st.expander(say("common.take_away"), icon=":material/code:"):
        st.markdown(say("common.python"))
        st.code(code(found.name), language="python")
        st.markdown(say("lab.cite"))
        st.code(citation(found), language=None, wrap_lines=True)


def code(name: str) -> str:
    """Code for an experiment's claims and tables."""
    return (
        "from embeddings.library.experiments import read_experiment\n\n"
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

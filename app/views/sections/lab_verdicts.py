"""Lab: what the sources found beside what was found here."""

from __future__ import annotations

import streamlit as st

from app.views.sections.lab_words import field
from app.widgets import outputs
from app.wording import Wording
from embeddings.results.experiments import Experiment, Verdict

SIDE_BY_SIDE = 4  # claims from which on there are two columns
COLOURS = {"yes": "green", "partly": "blue", "no": "orange", "open": "gray"}


def show(say: Wording, found: Experiment) -> None:
    """Show each claim, its source, the numbers here, and whether it holds."""
    st.subheader(say("lab.verdicts"), anchor=False)
    st.caption(say("lab.verdicts_note"))
    wide = 2 if len(found.verdicts) > SIDE_BY_SIDE else 1
    for first in range(0, len(found.verdicts), wide):
        row = found.verdicts[first : first + wide]
        for column, verdict in zip(st.columns(wide), row, strict=False):
            with column:
                _show(say, verdict)


def _show(say: Wording, verdict: Verdict) -> None:
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

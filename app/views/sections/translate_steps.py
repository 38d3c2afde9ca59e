"""Translate: decoding step by step: what is written, what could come next, which source words were looked at."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.figures.translate import candidates_figure, looked_figure
from app.widgets import address, outputs
from app.wording import Wording
from embeddings.results.translation import DecodingStep, TranslationInside

KEY = "translate_step"


def show(say: Wording, found: TranslationInside) -> None:
    """Show the step that is chosen."""
    st.header(say("translate.steps"), anchor=False)
    number = _ask(say, len(found.steps))
    step = found.steps[number - 1]
    st.subheader(_written(say, step), anchor=False)
    left, right = st.columns(2)
    with left:
        st.caption(say("translate.candidates"))
        drawn = candidates_figure(step, say("translate.probability"), say.separators)
        outputs.figure(say, drawn, "translate-candidates", say("translate.candidates_alt"))
    with right:
        st.caption(say("translate.looked"))
        shares = [float(share) for share in found.looked[number - 1]]
        drawn = looked_figure(found.source_words, shares, say("translate.share"), say.separators)
        outputs.figure(say, drawn, "translate-looked", say("translate.looked_alt"))
    if step.chosen != step.candidates[0]:
        st.caption(say("translate.not_likeliest"))
    st.caption(say("translate.signs"))
    outputs.csv(say, _rows(say, found), "translate-steps")


def _ask(say: Wording, steps: int) -> int:
    """Ask for a step, by a slider and two buttons; a translation of one step needs neither."""
    number = address.keep(KEY, 1, (1, steps))
    if steps == 1:
        return 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            say("translate.back"), key="translate-back", icon=":material/chevron_left:",
            disabled=number == 1, on_click=address.put, kwargs={KEY: number - 1},
        )  # fmt: skip
        st.button(
            say("translate.on"), key="translate-on", icon=":material/chevron_right:",
            disabled=number == steps, on_click=address.put, kwargs={KEY: number + 1},
        )  # fmt: skip
        number = st.slider(say(f"{KEY}.label"), 1, steps, key=KEY, help=say(f"{KEY}.help"))
    return int(number)


def _written(say: Wording, step: DecodingStep) -> str:
    """Return what is written so far, and the token that comes next in colour."""
    token = step.chosen.token.replace("▁", " ")
    end = say("translate.end") if step.chosen.token == "</s>" else ""
    gap = " " if token.startswith(" ") or end else ""
    return (
        f"{outputs.plain(step.before)}{gap}:primary[{outputs.plain(end or token.strip() or '▁')}]"
    )


def _rows(say: Wording, found: TranslationInside) -> pd.DataFrame:
    """Return all candidates of all steps, with full precision."""
    return pd.DataFrame(
        [
            {
                say("translate.step"): number,
                say("translate.before"): step.before,
                say("common.rank"): rank,
                say("translate.token"): one.token,
                say("translate.probability"): one.probability,
                say("translate.chosen"): one.token == step.chosen.token,
            }
            for number, step in enumerate(found.steps, 1)
            for rank, one in enumerate(step.candidates, 1)
        ]
    )

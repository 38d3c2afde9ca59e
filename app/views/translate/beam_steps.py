"""Translate: decoding step by step: what is written, what could come next, which source words were looked at.

Translate: the branches that the beam followed, and how its endings rank.
"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.figures.decoding_steps import (
    GROUP_SYMBOLS,
    beam_figure,
    candidates_figure,
    source_attention_figure,
)
from app.widgets import address, outputs
from app.wording import Wording
from embeddings.results.translations import BeamTree, DecodingStep, TranslationInside

KEY = "translate_step"


def show_steps(say: Wording, found: TranslationInside) -> None:
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
        shares = [float(share) for share in found.source_attention[number - 1]]
        drawn = source_attention_figure(
            found.source_words, shares, say("translate.share"), say.separators
        )
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


def show_beam(say: Wording, found: TranslationInside, beam: int) -> None:
    """Show the tree around the step chosen above, the endings, and every beginning as CSV."""
    st.header(say("translate.beam"), anchor=False)
    st.caption(say("translate.beam_note", beam=beam) if beam > 1 else say("translate.greedy"))
    names = {group: say(f"translate.group_{group}") for group in GROUP_SYMBOLS}
    at = int(address.held(KEY, 1))
    drawn = beam_figure(found.tree, at, names, say("translate.step"), say.separators)
    outputs.figure(say, drawn, "translate-beam", say("translate.beam_alt"))
    st.table(
        pd.DataFrame(
            {
                say("translate.ending"): [text for text, _ in found.tree.endings],
                say("translate.worth"): [say.number(s, 3) for _, s in found.tree.endings],
            },
            index=range(1, len(found.tree.endings) + 1),
        )
    )
    outputs.csv(say, _ending_rows(say, found.tree), "translate-beam")


def _ending_rows(say: Wording, tree: BeamTree) -> pd.DataFrame:
    """Return every beginning that the search made, the dropped ones too, with full precision."""
    return pd.DataFrame(
        [
            {
                say("translate.number"): number,
                say("translate.parent"): node.parent,
                say("translate.step"): node.step,
                say("translate.token"): node.token,
                say("translate.before"): node.text,
                "log p": node.log_probability,
                say("translate.state"): say(f"translate.group_{node.state}"),
                say("translate.chosen"): node.is_best,
            }
            for number, node in enumerate(tree.nodes)
        ]
    )

"""Translate: decoding step by step, and the hypotheses of the beam."""

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
from embeddings.results.network_answers import BeamTree, DecodingStep, TranslationInside

STEP_KEY = "translate_step"


def show_decoding_steps(say: Wording, translation: TranslationInside) -> None:
    """Show the step that is chosen."""
    number = _ask_step(say, len(translation.steps))
    step = translation.steps[number - 1]
    st.subheader(_step_markdown(say, step), anchor=False)
    left, right = st.columns(2)
    with left:
        st.caption(say("translate.candidates"))
        figure = candidates_figure(step, say("translate.probability"), say.separators)
        outputs.figure(say, figure, "translate-candidates", say("translate.candidates_alt"))
    with right:
        st.caption(say("translate.looked"))
        shares = [float(share) for share in translation.source_attention[number - 1]]
        figure = source_attention_figure(
            translation.source_words, shares, say("translate.share"), say.separators
        )
        outputs.figure(say, figure, "translate-looked", say("translate.looked_alt"))
    if step.chosen != step.candidates[0]:
        st.caption(say("translate.not_likeliest"))
    st.caption(say("translate.signs"))
    outputs.csv(say, lambda: _candidate_rows(say, translation), "translate-steps")


def _ask_step(say: Wording, steps: int) -> int:
    """Ask for a step, by a slider and two buttons; a translation of one step needs neither."""
    number = address.keep(STEP_KEY, 1, (1, steps))
    if steps == 1:
        return 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            say("translate.back"), key="translate-back", icon=":material/chevron_left:",
            disabled=number == 1, on_click=address.put, kwargs={STEP_KEY: number - 1},
        )  # fmt: skip
        st.button(
            say("translate.on"), key="translate-on", icon=":material/chevron_right:",
            disabled=number == steps, on_click=address.put, kwargs={STEP_KEY: number + 1},
        )  # fmt: skip
        number = st.slider(
            say(f"{STEP_KEY}.label"), 1, steps, key=STEP_KEY, help=say(f"{STEP_KEY}.help")
        )
    return int(number)


def _step_markdown(say: Wording, step: DecodingStep) -> str:
    """Return what is written so far, and the token that comes next in colour."""
    token = step.chosen.token.replace("▁", " ")
    end = say("translate.end") if step.chosen.token == "</s>" else ""
    gap = " " if token.startswith(" ") or end else ""
    return (
        f"{outputs.plain(step.before)}{gap}:primary[{outputs.plain(end or token.strip() or '▁')}]"
    )


def _candidate_rows(say: Wording, translation: TranslationInside) -> pd.DataFrame:
    """Return all candidates of all steps, with full precision."""
    return pd.DataFrame(
        [
            {
                say("translate.step"): number,
                say("translate.before"): step.before,
                say("common.rank"): rank,
                say("translate.token"): candidate.token,
                say("translate.probability"): candidate.probability,
                say("translate.chosen"): candidate.token == step.chosen.token,
            }
            for number, step in enumerate(translation.steps, 1)
            for rank, candidate in enumerate(step.candidates, 1)
        ]
    )


def show_beam_tree(say: Wording, translation: TranslationInside, beam: int) -> None:
    """Show the tree around the chosen step, the finished hypotheses, and all hypotheses as CSV."""
    st.caption(say("translate.beam_note", beam=beam) if beam > 1 else say("translate.greedy"))
    names = {group: say(f"translate.group_{group}") for group in GROUP_SYMBOLS}
    step = _ask_step(say, len(translation.steps))
    figure = beam_figure(translation.tree, step, names, say("translate.step"), say.separators)
    outputs.figure(say, figure, "translate-beam", say("translate.beam_alt"))
    outputs.written_table(
        pd.DataFrame(
            {
                say("translate.ending"): [text for text, _ in translation.tree.endings],
                say("translate.worth"): [
                    say.number(score, 3) for _, score in translation.tree.endings
                ],
            },
            index=range(1, len(translation.tree.endings) + 1),
        )
    )
    outputs.csv(say, lambda: _node_rows(say, translation.tree), "translate-beam")


def _node_rows(say: Wording, tree: BeamTree) -> pd.DataFrame:
    """Return every hypothesis of the search, the dropped ones too, with full precision."""
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

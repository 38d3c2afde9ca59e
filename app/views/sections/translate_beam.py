"""Translate: the branches that the beam followed, and how its endings rank."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.figures.translate import SYMBOLS, beam_figure
from app.views.sections.translate_steps import KEY
from app.widgets import address, outputs
from app.wording import Wording
from embeddings.results.translation import BeamTree, TranslationInside


def show(say: Wording, found: TranslationInside, beam: int) -> None:
    """Show the tree around the step chosen above, the endings, and every beginning as CSV."""
    st.header(say("translate.beam"), anchor=False)
    st.caption(say("translate.beam_note", beam=beam) if beam > 1 else say("translate.greedy"))
    names = {group: say(f"translate.group_{group}") for group in SYMBOLS}
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
    outputs.csv(say, _rows(say, found.tree), "translate-beam")


def _rows(say: Wording, tree: BeamTree) -> pd.DataFrame:
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

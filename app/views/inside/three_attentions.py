"""Inside, the decoder: its three attentions told apart, the mask, and the look at the source."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.views.inside.array_cells import each, window
from app.views.inside.decoder_tokens import DecoderView
from app.widgets import inputs, outputs
from embeddings.results.network_walks import AttentionWalk

Sides = tuple[Sequence[str], Sequence[str]]
STAGES = ("scores", "scaled", "masked", "weights")


def three(at: DecoderView) -> None:
    """List who asks whom under which mask, and draw one head of each attention."""
    say = at.page.say
    kinds = [kind for kind in ("encoder", "own", "cross", "bert") if getattr(at.found, kind)]
    rows = pd.DataFrame(
        {
            say("decoder.attention"): [say(f"decoder.kind_{kind}") for kind in kinds],
            say("decoder.asks"): [say(f"decoder.asks_{kind}") for kind in kinds],
            say("decoder.asked"): [say(f"decoder.asked_{kind}") for kind in kinds],
            say("decoder.mask"): [say(f"decoder.mask_{kind}") for kind in kinds],
            say("decoder.size"): [
                " × ".join(map(str, getattr(at.found, kind).weights.shape)) for kind in kinds
            ],
        }
    )
    st.table(rows.set_index(say("decoder.attention")))
    for kind in kinds:
        title = say(f"decoder.kind_{kind}")
        walk: AttentionWalk = getattr(at.found, kind)
        each(at, walk.weights, _sides(at, kind), f"decoder-three-{kind}", title, share=True)
    st.caption(say("decoder.three_note"))


def mask(at: DecoderView) -> None:
    """Draw the decoder's own attention at a stage, and one row through all of them."""
    say, walk = at.page.say, at.found.own
    stage = inputs.choice(say, "decoder_stage", STAGES)
    title = say(f"decoder_stage.{stage}")
    share = stage == "weights"
    each(at, getattr(walk, stage), _sides(at, "own"), f"decoder-own-{stage}", title, share=share)
    st.caption(say(f"decoder.note_{stage}"))
    _row(at, walk, at.found.read, at.found.read[at.token])


def cross(at: DecoderView) -> None:
    """Draw queries of the target, keys and values of the source, and who looks where."""
    say, found, walk = at.page.say, at.found, at.found.cross
    sides = _sides(at, "cross")
    for part, side in (("query", sides[0]), ("key", sides[1]), ("value", sides[1])):
        window(at, getattr(walk, part), side, f"decoder-{part}", say(f"decoder.{part}"))
    st.caption(say("decoder.parts_note", size=walk.query.shape[1]))
    each(at, walk.scaled, sides, "decoder-cross-scaled", say("decoder_stage.scaled"))
    each(at, walk.weights, sides, "decoder-cross", say("decoder_stage.weights"), share=True)
    _row(at, walk, found.source_tokens, found.said[at.token])
    window(at, walk.mixed, sides[0], "decoder-mixed", say("inside.mixed", head=found.head))
    if found.bert is not None:
        st.caption(say("decoder.bert_note"))
        title = say("decoder.kind_bert")
        each(at, found.bert.weights, _sides(at, "bert"), "decoder-cross-bert", title, share=True)


def _sides(at: DecoderView, kind: str) -> Sides:
    """Return what looks and what is looked at; a step's look elsewhere is named by what it says."""
    found = at.found
    return {
        "encoder": (found.source_tokens, found.source_tokens),
        "own": (found.read, found.read),
        "cross": (found.said, found.source_tokens),
        "bert": (found.said, found.bert_tokens),
    }[kind]


def _row(at: DecoderView, walk: AttentionWalk, looked: Sequence[str], token: str) -> None:
    """Write one step's way from scores to shares, every number."""
    say = at.page.say
    st.subheader(say("inside.row_title", token=token), anchor=False)
    names = {
        "scores": "q · k",
        "scaled": f"q · k / √{walk.query.shape[1]}",
        "masked": say("decoder_stage.masked"),
        "powers": "exp(s − max)",
        "weights": "softmax",
    }
    columns = {name: getattr(walk, part)[at.token] for part, name in names.items()}
    rows = pd.DataFrame({say("inside.looks_at"): list(looked), **columns})
    shown = rows.assign(**{n: [say.number(float(v), 3) for v in c] for n, c in columns.items()})
    sums = dict.fromkeys(shown.columns, "") | {say("inside.looks_at"): say("inside.sum")}
    sums |= {n: say.number(float(columns[n].sum()), 3) for n in ("exp(s − max)", "softmax")}
    st.table(pd.concat([shown, pd.DataFrame([sums])]).set_index(say("inside.looks_at")))
    st.caption(say("inside.row_note"))
    outputs.csv(say, rows, "decoder-row")

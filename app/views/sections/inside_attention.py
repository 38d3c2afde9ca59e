"""Inside: queries, keys and values of a head; scores to weights; heads joined."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.views.sections.inside_cells import At, square, whole, window
from app.widgets import inputs, outputs


def projections(at: At) -> None:
    """Draw what a token asks, what it answers to, and what it gives."""
    head, say = at.found.at_head, at.here.say
    for part in ("query", "key", "value"):
        window(at, getattr(head, part), at.found.tokens, part, say(f"inside.{part}"))
    st.caption(say("inside.projections_note", size=head.query.shape[1]))


def scores(at: At) -> None:
    """Draw the matrix at a stage, and one token's row through all of them."""
    say, head = at.here.say, at.found.at_head
    stage = inputs.choice(say, "inside_stage", ("scores", "scaled", "weights", "causal"))
    shares = stage in ("weights", "causal")
    square(at, getattr(head, stage), stage, say(f"inside_stage.{stage}"), share=shares)
    st.caption(say(f"inside.note_{stage}"))
    _row(at)


def heads(at: At) -> None:
    """Draw one head's mixture, all heads side by side, and what the output map makes of them."""
    say, layer, head = at.here.say, at.found.at_layer, at.found.at_head
    window(at, head.mixed, at.found.tokens, "mixed", say("inside.mixed", head=at.found.head))
    size = head.mixed.shape[1]
    whole(at, layer.joined, "joined", say("inside.joined"), every=size)
    st.caption(say("inside.joined_note", heads=len(layer.weights), size=size))
    window(at, layer.attended, at.found.tokens, "attended", say("inside.attended"))


def _row(at: At) -> None:
    """Write one token's way from scores to shares, every number."""
    say, head, token = at.here.say, at.found.at_head, at.token
    st.subheader(say("inside.row_title", token=at.found.tokens[token]), anchor=False)
    names = {
        "scores": "q · k",
        "scaled": f"q · k / √{head.query.shape[1]}",
        "powers": "exp(s − max)",
        "weights": "softmax",
    }
    columns = {name: getattr(head, part)[token] for part, name in names.items()}
    rows = pd.DataFrame({say("inside.looks_at"): list(at.found.tokens), **columns})
    shown = rows.assign(**{n: [say.number(float(v), 3) for v in c] for n, c in columns.items()})
    total = {n: say.number(float(columns[n].sum()), 3) for n in ("exp(s − max)", "softmax")}
    sums = {say("inside.looks_at"): say("inside.sum"), "q · k": "", names["scaled"]: "", **total}
    st.table(pd.concat([shown, pd.DataFrame([sums])]).set_index(say("inside.looks_at")))
    st.caption(say("inside.row_note"))
    outputs.csv(say, rows, "inside-row")

"""Inside, the decoder: its three attentions, the mask, and the attention to the source."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.views.inside.array_cells import draw_columns, draw_square, show_score_row
from app.views.inside.decoder_tokens import DecoderView
from app.widgets import inputs, outputs
from embeddings.results.network_walks import AttentionWalk

Sides = tuple[Sequence[str], Sequence[str]]
STAGES = ("scores", "scaled", "masked", "weights")


def show_three_attentions(view: DecoderView) -> None:
    """List queries, keys and mask of each attention, and draw one head of each."""
    say = view.page.say
    kinds = [
        kind for kind in ("encoder", "self_attention", "cross", "bert") if getattr(view.walk, kind)
    ]
    rows = pd.DataFrame(
        {
            say("decoder.attention"): [say(f"decoder.kind_{kind}") for kind in kinds],
            say("decoder.asks"): [say(f"decoder.asks_{kind}") for kind in kinds],
            say("decoder.asked"): [say(f"decoder.asked_{kind}") for kind in kinds],
            say("decoder.mask"): [say(f"decoder.mask_{kind}") for kind in kinds],
            say("decoder.size"): [
                " × ".join(map(str, getattr(view.walk, kind).weights.shape)) for kind in kinds
            ],
        }
    )
    outputs.written_table(rows.set_index(say("decoder.attention")))
    for kind in kinds:
        title = say(f"decoder.kind_{kind}")
        attention: AttentionWalk = getattr(view.walk, kind)
        draw_square(
            view, attention.weights, _sides(view, kind), f"decoder-three-{kind}", title, share=True
        )
    st.caption(say("decoder.three_note"))


def draw_masked_attention(view: DecoderView) -> None:
    """Draw the decoder's self-attention at a stage, and one row at all stages."""
    say, attention = view.page.say, view.walk.self_attention
    stage = inputs.choice(say, "decoder_stage", STAGES)
    title = say(f"decoder_stage.{stage}")
    share = stage == "weights"
    draw_square(
        view,
        getattr(attention, stage),
        _sides(view, "self_attention"),
        f"decoder-self-attention-{stage}",
        title,
        share=share,
    )
    st.caption(say(f"decoder.note_{stage}"))
    _show_score_row(view, attention, view.walk.input_tokens, view.walk.input_tokens[view.token])


def draw_cross_attention(view: DecoderView) -> None:
    """Draw queries of the target, keys and values of the source, and the weights."""
    say, walk, attention = view.page.say, view.walk, view.walk.cross
    sides = _sides(view, "cross")
    for part, side in (("query", sides[0]), ("key", sides[1]), ("value", sides[1])):
        draw_columns(
            view, getattr(attention, part), side, f"decoder-{part}", say(f"decoder.{part}")
        )
    st.caption(say("decoder.parts_note", size=attention.query.shape[1]))
    draw_square(view, attention.scaled, sides, "decoder-cross-scaled", say("decoder_stage.scaled"))
    draw_square(
        view, attention.weights, sides, "decoder-cross", say("decoder_stage.weights"), share=True
    )
    _show_score_row(view, attention, walk.source_tokens, walk.output_tokens[view.token])
    draw_columns(
        view, attention.mixed, sides[0], "decoder-mixed", say("inside.mixed", head=walk.head)
    )
    if walk.bert is not None:
        st.caption(say("decoder.bert_note"))
        title = say("decoder.kind_bert")
        draw_square(
            view, walk.bert.weights, _sides(view, "bert"), "decoder-cross-bert", title, share=True
        )


def _sides(view: DecoderView, kind: str) -> Sides:
    """Return the tokens of queries and of keys; a step that attends elsewhere is named by its prediction."""
    walk = view.walk
    return {
        "encoder": (walk.source_tokens, walk.source_tokens),
        "self_attention": (walk.input_tokens, walk.input_tokens),
        "cross": (walk.output_tokens, walk.source_tokens),
        "bert": (walk.output_tokens, walk.bert_tokens),
    }[kind]


def _show_score_row(
    view: DecoderView, attention: AttentionWalk, keys: Sequence[str], token: str
) -> None:
    """Show the followed step's way from scores to weights."""
    say = view.page.say
    st.subheader(say("inside.row_title", token=outputs.plain(token)), anchor=False)
    names = {
        "scores": "q · k",
        "scaled": f"q · k / √{attention.query.shape[1]}",
        "masked": say("decoder_stage.masked"),
        "powers": "exp(s − max)",
        "weights": "softmax",
    }
    rows = show_score_row(view.page, attention, names, keys, view.token)
    outputs.csv(say, lambda: rows, "decoder-row")

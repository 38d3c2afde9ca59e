"""Inside, the decoder: its steps in their order: the target shifted, as input, and through a layer's attentions."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.views.inside.array_cells import Half, WalkStep, WalkView
from app.widgets import outputs
from embeddings.probing.network_walks import DecoderWalk
from embeddings.verbs import TranslatorVerbs

DecoderView = WalkView[DecoderWalk]
LAYER_FORMULAS = {True: r"x' = x + f(\mathrm{norm}(x))", False: r"x' = \mathrm{norm}(x + f(x))"}
LAYER_ROWS = {
    True: ("input", "given", "change", "sum"),
    False: ("input", "change", "sum", "output"),
}


def show_shift(view: DecoderView) -> None:
    """List for each step what the decoder reads and what it predicts."""
    say, walk = view.page.say, view.walk
    rows = pd.DataFrame(
        {
            say("inside.position"): range(len(walk.input_tokens)),
            say("decoder.reads"): walk.input_tokens,
            f"{say('decoder.reads')}: {say('inside.id')}": walk.input_ids,
            say("decoder.says"): walk.output_tokens,
            f"{say('decoder.says')}: {say('inside.id')}": walk.output_ids,
            say("decoder.sees"): [
                " ".join(walk.input_tokens[: i + 1]) for i in range(len(walk.input_tokens))
            ],
        }
    )
    st.dataframe(rows, hide_index=True, width="stretch")
    st.caption(say("decoder.shift_note"))
    outputs.csv(say, lambda: rows, "decoder-shift")


def draw_decoder_input(view: DecoderView) -> None:
    """Draw one token's embedding, scaled, its position wave, and their sum; then all tokens."""
    say, walk = view.page.say, view.walk
    parts = {
        say("inside.token_rows"): walk.token_rows,
        say("decoder.scaled_rows"): walk.scaled_rows,
        say("decoder.wave"): walk.position_rows,
        say("inside.total"): walk.total,
    }
    view.draw_parts(parts, "decoder-input", view.followed)
    size = walk.total.shape[1]
    st.caption(say("decoder.input_note", size=size, root=say.number(size**0.5, 3)))
    view.draw_shades(walk.total, "decoder-input-all", say("inside.total"))


def draw_decoder_layer(view: DecoderView) -> None:
    """Draw the input of each sublayer, what it adds, and its output; where BERT is fused in, the outputs of both attentions too."""
    say, walk = view.page.say, view.walk
    norm_first, layer = walk.norm_first, walk.at_layer
    st.caption(say("decoder.norm_first" if norm_first else "decoder.norm_last"))
    st.latex(LAYER_FORMULAS[norm_first])
    for part in ("self_attention", "cross", "forward"):
        rows = {}
        for row in LAYER_ROWS[norm_first]:
            name = say(f"decoder.part_{row}")
            if part == "cross" and row == "change" and layer.from_bert is not None:
                rows[say("decoder.from_source")] = layer.from_source
                rows[say("decoder.from_bert")] = layer.from_bert
                name = say("decoder.mean")
            rows[name] = getattr(getattr(layer, part), row)
        title = f"{say(f'decoder.layer_{part}')}: {view.followed}"
        view.draw_parts(rows, f"decoder-layer-{part}", title)
    st.caption(say("decoder.layer_note"))
    view.draw_shades(layer.inner, "decoder-inner", say("inside.inner"))
    title = say("decoder.leaves", layer=walk.layer)
    view.draw_columns(walk.states[walk.layer], "decoder-output", title)


Sides = tuple[Sequence[str], Sequence[str]]
STAGES = ("scores", "scaled", "masked", "weights")


def show_three_attentions(view: DecoderView) -> None:
    """List queries, keys and mask of each attention, and draw one head of each."""
    say = view.page.say
    kinds = [
        kind for kind in ("encoder", "self_attention", "cross", "bert") if getattr(view.walk, kind)
    ]
    columns = {
        say(f"decoder.{part}"): [say(f"decoder.{part}_{kind}") for kind in kinds]
        for part in ("asks", "asked", "mask")
    }
    shapes = [getattr(view.walk, kind).weights.shape for kind in kinds]
    columns[say("decoder.size")] = [" × ".join(map(str, shape)) for shape in shapes]
    index = pd.Index((say(f"decoder.kind_{kind}") for kind in kinds), name=say("decoder.attention"))
    outputs.written_table(pd.DataFrame(columns, index=index))
    for kind in kinds:
        _draw_weights(view, kind, f"decoder-three-{kind}", say(f"decoder.kind_{kind}"))
    st.caption(say("decoder.three_note"))


def draw_masked_attention(view: DecoderView) -> None:
    """Draw the decoder's self-attention at a stage, and one row at all stages."""
    attention, masked = view.walk.self_attention, view.page.say("decoder_stage.masked")
    view.draw_stage(attention, "decoder", STAGES, "decoder-self-attention-")
    view.show_score_row(attention, view.tokens, "decoder-row", view.tokens[view.token], masked)


def draw_cross_attention(view: DecoderView) -> None:
    """Draw queries of the target, keys and values of the source, and the weights."""
    say, walk, attention = view.page.say, view.walk, view.walk.cross
    sides = _sides(view, "cross")
    for part, side in (("query", sides[0]), ("key", sides[1]), ("value", sides[1])):
        title = say(f"decoder.{part}")
        view.draw_columns(getattr(attention, part), f"decoder-{part}", title, side)
    st.caption(say("decoder.parts_note", size=attention.query.shape[1]))
    view.draw_square(attention.scaled, "decoder-cross-scaled", say("decoder_stage.scaled"), sides)
    _draw_weights(view, "cross", "decoder-cross", say("decoder_stage.weights"))
    token, masked = walk.output_tokens[view.token], say("decoder_stage.masked")
    view.show_score_row(attention, walk.source_tokens, "decoder-row", token, masked)
    title = say("inside.mixed", head=walk.head)
    view.draw_columns(attention.mixed, "decoder-mixed", title, sides[0])
    if walk.bert is not None:
        st.caption(say("decoder.bert_note"))


def _draw_weights(view: DecoderView, kind: str, key: str, title: str) -> None:
    """Draw the weights of one head of one attention."""
    weights = getattr(view.walk, kind).weights
    view.draw_square(weights, key, title, _sides(view, kind), share=True)


def _sides(view: DecoderView, kind: str) -> Sides:
    """Return the tokens of queries and of keys; a step that attends elsewhere is named by its prediction."""
    walk = view.walk
    return {
        "encoder": (walk.source_tokens, walk.source_tokens),
        "self_attention": (walk.input_tokens, walk.input_tokens),
        "cross": (walk.output_tokens, walk.source_tokens),
        "bert": (walk.output_tokens, walk.bert_tokens),
    }[kind]


DECODER_STEPS = {
    "shift": WalkStep(show_shift),
    "input": WalkStep(draw_decoder_input, "token columns"),
    "three": WalkStep(show_three_attentions, "layer head"),
    "mask": WalkStep(draw_masked_attention, "layer head token"),
    "cross": WalkStep(draw_cross_attention, "layer head token columns"),
    "layer": WalkStep(draw_decoder_layer, "layer token columns"),
}


def _labels(walk: DecoderWalk) -> dict[str, str]:
    """Return the steps that can be followed, with what each reads and predicts; the first last."""
    positions = [*range(1, len(walk.input_tokens)), 0]
    return {str(i): f"{i} · {walk.input_tokens[i]} → {walk.output_tokens[i]}" for i in positions}


DECODER = Half(
    "decoder",
    DECODER_STEPS,
    TranslatorVerbs,
    tokens=lambda walk: walk.input_tokens,
    labels=_labels,
    width=lambda config, _: config.hidden_size,
)

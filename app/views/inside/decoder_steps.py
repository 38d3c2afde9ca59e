"""Inside, the decoder: its steps in their order: the target shifted, as input, through a layer's attentions, and predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from app.loaders import shelf_models
from app.views.inside.array_cells import (
    COLUMNS_SHOWN,
    WalkStep,
    draw_columns,
    draw_shades,
    draw_square,
    offer_next_steps,
    show_score_row,
    show_step,
)
from app.views.inside.encoder_steps import ask_number
from app.views.translate import translation_views
from app.widgets import inputs, network_inputs, outputs, snippets
from app.widgets.frame import PageState
from app.wording import Wording, first_texts
from embeddings.probing.network_walks import AttentionWalk, DecoderWalk
from embeddings.shelf import Entry
from embeddings.verbs import TranslatorVerbs

if TYPE_CHECKING:
    from app.streamlit_private import DeltaGenerator


LAYER_FORMULAS = {True: r"x' = x + f(\mathrm{norm}(x))", False: r"x' = \mathrm{norm}(x + f(x))"}
LAYER_ROWS = {
    True: ("input", "given", "change", "sum"),
    False: ("input", "change", "sum", "output"),
}


@dataclass(frozen=True)
class DecoderView:
    """A sentence in a translator: ``token`` is the step followed, ``first`` the first column shown."""

    page: PageState
    entry: Entry
    text: str
    walk: DecoderWalk
    token: int
    first: int


def ask_source_sentence(say: Wording, entry: Entry) -> str:
    """Ask for a sentence of the language that is translated from."""
    example = first_texts(entry.language.partition("-")[0], "decoded")[0]
    text = inputs.line(say, "decoder_text", example)
    if not text:
        st.info(say("inside.empty"))
        raise outputs.Halt
    return text


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
    say, walk, token = view.page.say, view.walk, view.token
    parts = ("token_rows", "scaled_rows", "position_rows", "total")
    values = np.stack([getattr(walk, part)[token] for part in parts])
    names = [
        say("inside.token_rows"), say("decoder.scaled_rows"), say("decoder.wave"),
        say("inside.total"),
    ]  # fmt: skip
    draw_columns(view, values, names, "decoder-input", f"{token} · {walk.input_tokens[token]}")
    size = walk.total.shape[1]
    root = say.number(size**0.5, 3)
    st.caption(say("decoder.input_note", size=size, root=root))
    draw_shades(view, walk.total, walk.input_tokens, "decoder-input-all", say("inside.total"))


def draw_decoder_layer(view: DecoderView) -> None:
    """Draw the input of each sublayer, what it adds, and its output."""
    say, walk = view.page.say, view.walk
    norm_first = walk.norm_first
    st.caption(say("decoder.norm_first" if norm_first else "decoder.norm_last"))
    st.latex(LAYER_FORMULAS[norm_first])
    for part in ("self_attention", "cross", "forward"):
        sublayer = getattr(walk.at_layer, part)
        rows = {
            say(f"decoder.part_{row}"): getattr(sublayer, row) for row in LAYER_ROWS[norm_first]
        }
        if part == "cross" and walk.at_layer.from_bert is not None:
            rows = _insert_attention_parts(view, rows)
        values = np.stack([array[view.token] for array in rows.values()])
        title = f"{say(f'decoder.layer_{part}')}: {view.token} · {walk.input_tokens[view.token]}"
        draw_columns(view, values, list(rows), f"decoder-layer-{part}", title)
    st.caption(say("decoder.layer_note"))
    inner = walk.at_layer.inner
    draw_shades(view, inner, walk.input_tokens, "decoder-inner", say("inside.inner"))
    title = say("decoder.leaves", layer=walk.layer)
    draw_columns(view, walk.states[walk.layer], walk.input_tokens, "decoder-output", title)


def _insert_attention_parts(
    view: DecoderView, rows: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Insert the two attention outputs before the row of their mean."""
    say, layer = view.page.say, view.walk.at_layer
    assert layer.from_bert is not None
    parts = {
        say("decoder.from_source"): layer.from_source,
        say("decoder.from_bert"): layer.from_bert,
    }
    change = say("decoder.part_change")
    rows_with_parts: dict[str, np.ndarray] = {}
    for name, array in rows.items():
        rows_with_parts |= parts | {say("decoder.mean"): array} if name == change else {name: array}
    return rows_with_parts


def show_next_tokens(view: DecoderView) -> None:
    """Draw a state next to the output row of the predicted token, and list the likeliest next tokens."""
    say, walk, token = view.page.say, view.walk, view.token
    state, row, bias = walk.last[token], walk.output_rows[token], float(walk.output_biases[token])
    next_token = walk.output_tokens[token]
    names = [say("decoder.state"), say("decoder.row_of", token=next_token), say("decoder.product")]
    title = f"{token} · {walk.input_tokens[token]}"
    draw_columns(view, np.stack([state, row, state * row]), names, "decoder-state", title)
    best = walk.following[token][0]
    numbers = (float(state @ row), bias, best.score)
    dot, bias_text, score = (say.number(value, 3) for value in numbers)
    values = {"token": outputs.plain(next_token), "dot": dot, "bias": bias_text, "score": score}
    st.caption(say("decoder.state_note", **values))
    _show_candidates(view)
    _show_all_steps(view)


def _show_candidates(view: DecoderView) -> None:
    """List the likeliest next tokens of the step: score, exponential, probability."""
    say, candidates = view.page.say, view.walk.following[view.token]
    columns = {
        say("decoder.score"): [candidate.score for candidate in candidates],
        "exp(s − max)": [candidate.power for candidate in candidates],
        "softmax": [candidate.probability for candidate in candidates],
    }
    rows = pd.DataFrame(
        {say("inside.token"): [candidate.token for candidate in candidates], **columns}
    )
    formatted = rows.assign(
        **{name: [say.number(value, 4) for value in values] for name, values in columns.items()}
    )
    total = [say("decoder.all_tokens", count=view.walk.vocabulary), ""]
    total += [say.number(float(view.walk.sums[view.token]), 4), say.number(1, 4)]
    total_row = pd.DataFrame([dict(zip(formatted.columns, total, strict=True))])
    st.subheader(say("decoder.candidates"), anchor=False)
    outputs.written_table(pd.concat([formatted, total_row]).set_index(say("inside.token")))
    st.caption(say("decoder.candidates_note"))
    outputs.csv(say, lambda: rows, "decoder-next")


def _show_all_steps(view: DecoderView) -> None:
    """List all steps, from the BOS to the EOS token."""
    say, walk = view.page.say, view.walk
    shares = [candidates[0].probability for candidates in walk.following]
    rows = pd.DataFrame(
        {
            say("inside.position"): range(len(walk.input_tokens)),
            say("decoder.sees"): [
                " ".join(walk.input_tokens[: i + 1]) for i in range(len(walk.input_tokens))
            ],
            say("decoder.says"): walk.output_tokens,
            say("inside.probability"): shares,
        }
    )
    percent = {say("inside.probability"): lambda share: f"{say.number(100 * share, 1)} %"}
    st.subheader(say("decoder.all_steps"), anchor=False)
    outputs.table(say, rows, "decoder-steps", forms=percent)
    st.caption(say("decoder.all_steps_note"))


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


GREEDY = 1  # the beam of the decoder that the page walks through

DECODER_STEPS = {
    "shift": WalkStep(show_shift, r"P(y \mid x) = \prod_t P(y_t \mid y_0 \dots y_{t-1},\, x)"),
    "input": WalkStep(
        draw_decoder_input,
        r"z_t = \sqrt{H}\; E[\mathrm{id}_t] + PE_t",
        "token columns",
    ),
    "three": WalkStep(
        show_three_attentions,
        r"\mathrm{attention}(Q, K, V) = \mathrm{softmax}\!\left("
        r"\frac{Q K^\top}{\sqrt{d}} + M\right) V",
        "layer head",
    ),
    "mask": WalkStep(
        draw_masked_attention,
        r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
        "layer head token",
    ),
    "cross": WalkStep(
        draw_cross_attention,
        r"Q = S\, W_Q + b_Q, \qquad K = H_E\, W_K + b_K, \quad V = H_E\, W_V + b_V",
        "layer head token columns",
    ),
    "layer": WalkStep(draw_decoder_layer, "", "layer token columns"),
    "next": WalkStep(
        show_next_tokens,
        r"P(y_t = v) = \frac{e^{s_v}}{\sum_w e^{s_w}}, \qquad s_v = h_t \cdot W_v + b_v",
        "token columns",
    ),
}


def show_decoder(page: PageState, row: DeltaGenerator) -> tuple[Entry, str, list[str]]:
    """Show a step of the decoder of a translator chosen in ``row``; return the translator, the same in Python, and settings to cite."""
    say = page.say
    with row:
        entry = inputs.pick_model(say, "decoder_model", network_inputs.translators(say))
    text = ask_source_sentence(say, entry)
    step = inputs.choice(say, "decoder_step", list(DECODER_STEPS))
    view = ask_decoder_view(page, entry, text, step)
    st.markdown(
        say(
            "decoder.pair", source=outputs.plain(view.walk.source),
            target=outputs.plain(view.walk.target),
        )
    )  # fmt: skip
    show_step("decoder", DECODER_STEPS, step, view)
    offer_next_steps(say, "decoder", list(DECODER_STEPS), step)
    layer, head = view.walk.layer, view.walk.head
    code = snippets.code("decoder", model=entry.name, text=text, layer=layer, head=head)
    st.header(say("off.title"), anchor=False)
    if inputs.switch(say, "translate_off"):
        code += translation_views.show(page, entry, text, GREEDY, needed_is_blue=False)
    return entry, code, [f"layer {layer}", f"head {head}", "greedy"]


def ask_decoder_view(page: PageState, entry: Entry, text: str, step: str) -> DecoderView:
    """Ask for what the step needs, and compute the arrays."""
    say, asks = page.say, DECODER_STEPS[step].asks.split()
    with st.spinner(say("inside.opening")):
        config = shelf_models.open_with_base(entry).network.config
    layer = head = 1
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        if "layer" in asks:
            layer = ask_number(say, "decoder_layer", config.num_hidden_layers)
        if "head" in asks:
            head = ask_number(say, "decoder_head", config.num_attention_heads)
        walk = shelf_models.ask(TranslatorVerbs.walk, entry, text, layer, head)
        token = 0
        if "token" in asks:
            positions = [*range(1, len(walk.input_tokens)), 0]
            labels = {
                str(i): f"{i} · {walk.input_tokens[i]} → {walk.output_tokens[i]}" for i in positions
            }
            token = int(inputs.pick(say, "decoder_token", list(labels), labels))
        first = 1
        if "columns" in asks:
            first = ask_number(say, "decoder_from", max(1, config.hidden_size - COLUMNS_SHOWN + 1))
    return DecoderView(page, entry, text, walk, token, first - 1)

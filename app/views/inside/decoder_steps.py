"""Inside, the decoder: the steps in their order and what each asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from app.loaders import shelf_models
from app.views.inside import decoder_tokens
from app.views.inside.array_cells import (
    COLUMNS_SHOWN,
    WalkStep,
    offer_next_steps,
    show_step,
    take_next_step,
)
from app.views.inside.decoder_tokens import DecoderView, ask_source_sentence
from app.views.inside.encoder_steps import ask_number
from app.views.translate import moved_translation
from app.widgets import inputs, network_inputs, outputs, snippets
from app.widgets.frame import PageState
from embeddings.shelf import Entry
from embeddings.verbs import TranslatorVerbs

if TYPE_CHECKING:
    from app.streamlit_private import DeltaGenerator


GREEDY = 1  # the beam of the decoder that the page walks through

DECODER_STEPS = {
    "shift": WalkStep(
        decoder_tokens.show_shift, r"P(y \mid x) = \prod_t P(y_t \mid y_0 \dots y_{t-1},\, x)"
    ),
    "input": WalkStep(
        decoder_tokens.draw_decoder_input,
        r"z_t = \sqrt{H}\; E[\mathrm{id}_t] + PE_t",
        "token columns",
    ),
    "three": WalkStep(
        decoder_tokens.show_three_attentions,
        r"\mathrm{attention}(Q, K, V) = \mathrm{softmax}\!\left("
        r"\frac{Q K^\top}{\sqrt{d}} + M\right) V",
        "layer head",
    ),
    "mask": WalkStep(
        decoder_tokens.draw_masked_attention,
        r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
        "layer head token",
    ),
    "cross": WalkStep(
        decoder_tokens.draw_cross_attention,
        r"Q = S\, W_Q + b_Q, \qquad K = H_E\, W_K + b_K, \quad V = H_E\, W_V + b_V",
        "layer head token columns",
    ),
    "layer": WalkStep(decoder_tokens.draw_decoder_layer, "", "layer token columns"),
    "next": WalkStep(
        decoder_tokens.show_next_tokens,
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
    take_next_step()
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
    code = snippets.decoder(entry.name, text, layer, head)
    st.header(say("off.title"), anchor=False)
    if inputs.switch(say, "translate_off"):
        code += moved_translation.show(page, entry, text, GREEDY, needed_is_blue=False)
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

"""Inside, the decoder: the steps in their order and what each asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from app.loaders import translation_answers
from app.views.inside import decoder_tokens, three_attentions
from app.views.inside.array_cells import CELLS
from app.views.inside.decoder_tokens import DecoderView, sentence, translator
from app.views.inside.encoder_steps import onward, upto
from app.widgets import inputs, network_snippets, outputs
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError
from embeddings.shelf import Entry


@dataclass(frozen=True)
class Step:
    """A step: what draws it, its formula, and which of layer, head, token and columns it asks for."""

    show: Callable[[DecoderView], None]
    formula: str = ""
    asks: str = ""


STEPS = {
    "shift": Step(
        decoder_tokens.shift, r"P(y \mid x) = \prod_t P(y_t \mid y_0 \dots y_{t-1},\, x)"
    ),
    "input": Step(
        decoder_tokens.entering, r"z_t = \sqrt{H}\; E[\mathrm{id}_t] + PE_t", "token columns"
    ),
    "three": Step(
        three_attentions.three,
        r"\mathrm{attention}(Q, K, V) = \mathrm{softmax}\!\left("
        r"\frac{Q K^\top}{\sqrt{d}} + M\right) V",
        "layer head",
    ),
    "mask": Step(
        three_attentions.mask,
        r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
        "layer head token",
    ),
    "cross": Step(
        three_attentions.cross,
        r"Q = S\, W_Q + b_Q, \qquad K = H_E\, W_K + b_K, \quad V = H_E\, W_V + b_V",
        "layer head token columns",
    ),
    "layer": Step(decoder_tokens.show_layer, "", "layer token columns"),
    "next": Step(
        decoder_tokens.following,
        r"P(y_t = v) = \frac{e^{s_v}}{\sum_w e^{s_w}}, \qquad s_v = h_t \cdot W_v + b_v",
        "token columns",
    ),
}


def show_half(page: PageState) -> tuple[Entry, str, list[str]]:
    """Show a step of the decoder; return the translator, the same in Python, and settings to cite."""
    say = page.say
    entry = translator(say)
    text = sentence(say, entry)
    step = inputs.choice(say, "decoder_step", list(STEPS))
    try:
        at = ask(page, entry, text, step)
    except KlyuchError as error:
        outputs.refuse(say, error)
        raise outputs.Halt from error
    st.markdown(
        say(
            "decoder.pair", source=outputs.plain(at.found.source),
            target=outputs.plain(at.found.target),
        )
    )  # fmt: skip
    st.header(f"{list(STEPS).index(step) + 1}. {say(f'decoder.{step}_title')}", anchor=False)
    st.markdown(say(f"decoder.{step}_lead"))
    if STEPS[step].formula:
        st.latex(STEPS[step].formula)
    STEPS[step].show(at)
    onward(say, "decoder", list(STEPS), step)
    layer, head = at.found.layer, at.found.head
    code = network_snippets.decoder(entry.name, text, layer, head)
    return entry, code, [f"layer {layer}", f"head {head}", "greedy"]


def ask(page: PageState, entry: Entry, text: str, step: str) -> DecoderView:
    """Ask for what the step needs, and walk."""
    say, asks = page.say, STEPS[step].asks.split()
    with st.spinner(say("inside.opening")):
        config = translation_answers.config(entry)
    layer = head = 1
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        if "layer" in asks:
            layer = upto(say, "decoder_layer", config.num_hidden_layers)
        if "head" in asks:
            head = upto(say, "decoder_head", config.num_attention_heads)
        found = translation_answers.walked(entry, text, layer, head)
        token = 0
        if "token" in asks:
            places = [*range(1, len(found.read)), 0]
            labels = {str(i): f"{i} · {found.read[i]} → {found.said[i]}" for i in places}
            token = int(inputs.pick(say, "decoder_token", list(labels), labels))
        first = 1
        if "columns" in asks:
            first = upto(say, "decoder_from", max(1, config.hidden_size - CELLS + 1))
    return DecoderView(page, entry, text, found, token, first - 1)

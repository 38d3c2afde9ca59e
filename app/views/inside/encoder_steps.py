"""Inside, the encoder: the steps in their order, and what each asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from app.loaders import shelf_models
from app.loaders.shelf_models import ask
from app.views.attention import switched_off
from app.views.inside import encoder_input, encoder_layers
from app.views.inside.array_cells import COLUMNS_SHOWN, EncoderView
from app.views.inside.stepping import offer_next_steps, take_next_step
from app.widgets import inputs, network_inputs, outputs, snippets
from app.widgets.frame import PageState
from app.wording import Wording, wording
from embeddings.errors import KlyuchError
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from app.streamlit_private import DeltaGenerator


@dataclass(frozen=True)
class EncoderStep:
    """A step of the encoder: what draws it, its formula, and what it asks for.

    ``asks`` names some of "layer", "head", "token" and "columns".
    """

    draw: Callable[[EncoderView], None]
    formula: str = ""
    asks: str = ""


ENCODER_STEPS = {
    "tokens": EncoderStep(encoder_input.show_tokens),
    "embeddings": EncoderStep(encoder_input.draw_embeddings, r"e_t = E[\mathrm{id}_t]", "columns"),
    "positions": EncoderStep(
        encoder_input.show_positions,
        r"PE_{(p,\,2i)} = \sin\!\left(p / 10000^{2i/H}\right), \qquad"
        r" PE_{(p,\,2i+1)} = \cos\!\left(p / 10000^{2i/H}\right)",
    ),
    "sum": EncoderStep(
        encoder_input.draw_sum, r"x_t = \mathrm{norm}(e_t + s_t + p_t)", "token columns"
    ),
    "projections": EncoderStep(
        encoder_layers.draw_projections,
        r"Q = X W_Q + b_Q, \quad K = X W_K + b_K, \quad V = X W_V + b_V",
        "layer head columns",
    ),
    "scores": EncoderStep(
        encoder_layers.draw_scores,
        r"A = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d}}\right), \qquad"
        r" a_{ij} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}",
        "layer head token",
    ),
    "heads": EncoderStep(
        encoder_layers.draw_heads,
        r"\mathrm{head}_h = A_h V_h, \qquad"
        r" \mathrm{attention}(X) = [\mathrm{head}_1 \dots \mathrm{head}_{H/d}]\, W_O + b_O",
        "layer head columns",
    ),
    "residual": EncoderStep(
        encoder_layers.draw_residual,
        r"y = \mathrm{norm}(x + \mathrm{attention}(x)), \qquad"
        r" \mathrm{norm}(z) = \gamma\, \frac{z - \mu}{\sigma} + \beta",
        "layer token columns",
    ),
    "forward": EncoderStep(
        encoder_layers.draw_feed_forward,
        r"\mathrm{FFN}(y) = \mathrm{act}(y W_1 + b_1) W_2 + b_2, \qquad"
        r" x' = \mathrm{norm}(y + \mathrm{FFN}(y))",
        "layer token columns",
    ),
    "layers": EncoderStep(
        encoder_layers.draw_layers, r"X^{(0)} \to X^{(1)} \to \dots \to X^{(L)}", "layer columns"
    ),
    "back": EncoderStep(
        encoder_layers.show_predictions,
        r"P(\text{token} \mid x) = \mathrm{softmax}\!\left("
        r"E\, \mathrm{norm}(\mathrm{act}(x W + b)) + c\right)",
        "token",
    ),
    "order": EncoderStep(encoder_input.show_word_order),
    "costs": EncoderStep(
        encoder_layers.show_network_costs,
        r"P_\ell = 12 H^2 + 13 H, \qquad M_\ell = n H (12 H + 2 n)",
    ),
}


def show_encoder(page: PageState, row: DeltaGenerator) -> tuple[Entry, str, list[str]]:
    """Show a step of a network, which is chosen in ``row``; return the network, the same in Python, and settings to cite."""
    say = page.say
    with row:
        entry = network_inputs.pick_network(page)
    text = inputs.line(say, "inside_text", wording(page.language)("inside.example"))
    if not text:
        st.info(say("inside.empty"))
        raise outputs.Halt
    take_next_step()
    step = inputs.choice(say, "inside_step", list(ENCODER_STEPS))
    try:
        view = ask_encoder_view(page, entry, text, step)
        show_encoder_step(view, step)
    except KlyuchError as error:
        outputs.refuse(say, error)
        raise outputs.Halt from error
    offer_next_steps(say, "inside", list(ENCODER_STEPS), step)
    layer, head = view.walk.layer, view.walk.head
    code = snippets.inside(entry.name, text, layer, head)
    st.header(say("off.title"), anchor=False)
    if inputs.switch(say, "off"):
        code += switched_off.show(page, entry, (text, ""))
    return entry, code, [f"layer {layer}", f"head {head}"]


def ask_encoder_view(page: PageState, entry: Entry, text: str, step: str) -> EncoderView:
    """Ask for what the step needs, and compute the arrays."""
    say, asks = page.say, ENCODER_STEPS[step].asks.split()
    with st.spinner(say("inside.opening")):
        config = shelf_models.reader(entry).config
    layer = head = 1
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        if "layer" in asks:
            layer = ask_number(say, "inside_layer", config.num_hidden_layers)
        if "head" in asks:
            head = ask_number(say, "inside_head", config.num_attention_heads)
        walk = ask("encoder_walk.walk", entry, text, layer, head)
        token = 1
        if "token" in asks:
            positions = [*range(1, len(walk.tokens) - 1), 0, len(walk.tokens) - 1]
            labels = {str(i): f"{i} · {walk.tokens[i]}" for i in positions}
            token = int(inputs.pick(say, "inside_token", list(labels), labels))
        first = 1
        if "columns" in asks:
            columns = config.intermediate_size if step == "forward" else config.width
            first = ask_number(say, "inside_from", max(1, columns - COLUMNS_SHOWN + 1))
    return EncoderView(page, entry, text, walk, token, first - 1)


def show_encoder_step(view: EncoderView, step: str) -> None:
    """Write the step's heading, its sentence and formula, and draw it."""
    say, number = view.page.say, list(ENCODER_STEPS).index(step) + 1
    st.header(f"{number}. {say(f'inside.{step}_title')}", anchor=False)
    st.markdown(say(f"inside.{step}_lead"))
    if ENCODER_STEPS[step].formula:
        st.latex(ENCODER_STEPS[step].formula)
    ENCODER_STEPS[step].draw(view)


def ask_number(say: Wording, key: str, high: int) -> int:
    """Ask for a number from 1; where there is only one, ask nothing."""
    return inputs.number(say, key, 1, 1, high) if high > 1 else 1

"""Inside: the steps in their order, what each asks for, and the way from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from app.loaders import network_answers, shelf_models
from app.views.inside import encoder_input, encoder_layers, network_sizes
from app.views.inside.array_cells import CELLS, EncoderView
from app.widgets import address, inputs, network_inputs, network_snippets, outputs
from app.widgets.frame import PageState
from app.wording import Wording, wording
from embeddings.errors import KlyuchError
from embeddings.shelf import Entry


@dataclass(frozen=True)
class Step:
    """A step: what draws it, its formula, and which of layer, head and token it asks for."""

    show: Callable[[EncoderView], None]
    formula: str = ""
    asks: str = ""


STEPS = {
    "tokens": Step(encoder_input.tokens),
    "embeddings": Step(encoder_input.embeddings, r"e_t = E[\mathrm{id}_t]", "columns"),
    "positions": Step(
        encoder_input.show_positions,
        r"PE_{(p,\,2i)} = \sin\!\left(p / 10000^{2i/H}\right), \qquad"
        r" PE_{(p,\,2i+1)} = \cos\!\left(p / 10000^{2i/H}\right)",
    ),
    "sum": Step(encoder_input.total, r"x_t = \mathrm{norm}(e_t + s_t + p_t)", "token columns"),
    "projections": Step(
        encoder_layers.projections,
        r"Q = X W_Q + b_Q, \quad K = X W_K + b_K, \quad V = X W_V + b_V",
        "layer head columns",
    ),
    "scores": Step(
        encoder_layers.scores,
        r"A = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d}}\right), \qquad"
        r" a_{ij} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}",
        "layer head token",
    ),
    "heads": Step(
        encoder_layers.heads,
        r"\mathrm{head}_h = A_h V_h, \qquad"
        r" \mathrm{attention}(X) = [\mathrm{head}_1 \dots \mathrm{head}_A]\, W_O + b_O",
        "layer head columns",
    ),
    "residual": Step(
        encoder_layers.residual,
        r"y = \mathrm{norm}(x + \mathrm{attention}(x)), \qquad"
        r" \mathrm{norm}(z) = \gamma\, \frac{z - \mu}{\sigma} + \beta",
        "layer token columns",
    ),
    "forward": Step(
        encoder_layers.forward,
        r"\mathrm{FFN}(y) = \mathrm{act}(y W_1 + b_1) W_2 + b_2, \qquad"
        r" x' = \mathrm{norm}(y + \mathrm{FFN}(y))",
        "layer token columns",
    ),
    "layers": Step(
        encoder_layers.layers, r"X^{(0)} \to X^{(1)} \to \dots \to X^{(L)}", "layer columns"
    ),
    "back": Step(
        encoder_layers.show_back,
        r"P(\text{token} \mid x) = \mathrm{softmax}\!\left("
        r"E\, \mathrm{norm}(\mathrm{act}(x W + b)) + c\right)",
        "token",
    ),
    "order": Step(encoder_input.show_order),
    "costs": Step(
        network_sizes.show,
        r"P_\ell = 12 H^2 + 13 H, \qquad M_\ell = n H (12 H + 2 n)",
    ),
}


def show_half(page: PageState) -> tuple[Entry, str, list[str]]:
    """Show a step of a network; return the network, the same in Python, and settings to cite."""
    say = page.say
    entry = network_inputs.pick_network(say)
    text = inputs.line(say, "inside_text", wording(page.language)("inside.example"))
    if not text:
        st.info(say("inside.empty"))
        raise outputs.Halt
    step = inputs.choice(say, "inside_step", list(STEPS))
    try:
        at = ask(page, entry, text, step)
        show(at, step)
    except KlyuchError as error:
        outputs.refuse(say, error)
        raise outputs.Halt from error
    onward(say, "inside", list(STEPS), step)
    layer, head = at.found.layer, at.found.head
    code = network_snippets.inside(entry.name, text, layer, head)
    return entry, code, [f"layer {layer}", f"head {head}"]


def ask(page: PageState, entry: Entry, text: str, step: str) -> EncoderView:
    """Ask for what the step needs, and walk."""
    say, asks = page.say, STEPS[step].asks.split()
    with st.spinner(say("inside.opening")):
        config = shelf_models.reader(entry).config
    layer = head = 1
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        if "layer" in asks:
            layer = upto(say, "inside_layer", config.num_hidden_layers)
        if "head" in asks:
            head = upto(say, "inside_head", config.num_attention_heads)
        found = network_answers.walked(entry, text, layer, head)
        token = 1
        if "token" in asks:
            inner = [*range(1, len(found.tokens) - 1), 0, len(found.tokens) - 1]
            labels = {str(i): f"{i} · {found.tokens[i]}" for i in inner}
            token = int(inputs.pick(say, "inside_token", list(labels), labels))
        first = 1
        if "columns" in asks:
            first = upto(say, "inside_from", max(1, config.width - CELLS + 1))
    return EncoderView(page, entry, text, found, token, first - 1)


def show(at: EncoderView, step: str) -> None:
    """Write the step's heading, its sentence and formula, and draw it."""
    say, number = at.page.say, list(STEPS).index(step) + 1
    st.header(f"{number}. {say(f'inside.{step}_title')}", anchor=False)
    st.markdown(say(f"inside.{step}_lead"))
    if STEPS[step].formula:
        st.latex(STEPS[step].formula)
    STEPS[step].show(at)


def onward(say: Wording, half: str, names: Sequence[str], step: str) -> None:
    """Offer the step before and the step after, of the "inside" (the encoder's) or the "decoder"."""
    place = names.index(step)
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        for key, other in (("back", place - 1), ("next", place + 1)):
            if 0 <= other < len(names):
                st.button(
                    say(f"inside.{key}", step=say(f"{half}_step.{names[other]}")),
                    key=f"{half}-{key}",
                    on_click=address.put,
                    kwargs={f"{half}_step": names[other]},
                )


def upto(say: Wording, key: str, high: int) -> int:
    """Ask for a number from 1; where there is only one, ask nothing."""
    return inputs.number(say, key, 1, 1, high) if high > 1 else 1

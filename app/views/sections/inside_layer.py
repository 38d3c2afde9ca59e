"""Inside: residual and norm, the feed-forward network, and what the layers make of each token."""

from __future__ import annotations

import numpy as np
import streamlit as st

from app.figures.inside import Cells, cells_figure
from app.views.sections.inside_cells import MOST, At, whole, window
from app.widgets import outputs


def residual(at: At) -> None:
    """Draw one token: what entered, what attention adds, the sum, the norm of it."""
    say, layer, token = at.here.say, at.found.at_layer, at.token
    _parts(at, ("input", "attended", "first_sum", "first_norm"), "residual")
    mean, spread = (say.number(float(value), 3) for value in layer.moments[token])
    st.caption(say("inside.residual_note", mean=mean, spread=spread))
    whole(at, layer.first_norm, "first-norm", say("inside.first_norm"))


def forward(at: At) -> None:
    """Draw the wide inner layer, then one token through the block."""
    say, layer = at.here.say, at.found.at_layer
    whole(at, layer.inner, "inner", say("inside.inner"))
    st.caption(say("inside.inner_note", size=say.number(layer.inner.shape[1])))
    _parts(at, ("first_norm", "outer", "second_sum", "output"), "forward")


def layers(at: At) -> None:
    """Draw the layer's output, and how far each token has gone from its first state."""
    say, found = at.here.say, at.found
    window(at, found.at_layer.output, found.tokens, "output", say("inside.output"))
    st.caption(say("inside.layers_note", layer=found.layer))
    columns = [say("inside.layer_number", number=i) for i in range(found.drift.shape[1])]
    look = Cells(say("inside.drift"), share=True, numbers=len(found.tokens) <= 2 * MOST)
    drawn = cells_figure(found.drift, found.tokens, columns, look, say.separators)
    outputs.figure(say, drawn, "inside-drift", say("inside.drift_alt", text=at.text))
    st.caption(say("inside.drift_note"))


def _parts(at: At, parts: tuple[str, ...], key: str) -> None:
    """Draw several arrays of the layer for the token that is followed, a row each."""
    say, layer, token = at.here.say, at.found.at_layer, at.token
    values = np.stack([getattr(layer, part)[token] for part in parts])
    names = [say(f"inside.{part}") for part in parts]
    window(at, values, names, key, f"{token} · {at.found.tokens[token]}")

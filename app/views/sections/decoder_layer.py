"""Inside, the decoder: one token through the three parts of a layer."""

from __future__ import annotations

import numpy as np
import streamlit as st

from app.views.sections.decoder_place import Place
from app.views.sections.inside_cells import whole_of, window

FORMULAS = {True: r"x' = x + f(\mathrm{norm}(x))", False: r"x' = \mathrm{norm}(x + f(x))"}
ROWS = {
    True: ("input", "given", "change", "sum"),
    False: ("input", "change", "sum", "output"),
}


def show(at: Place) -> None:
    """Draw what enters each part, what it adds, and what leaves it."""
    say, found = at.here.say, at.found
    first = found.norm_first
    st.caption(say("decoder.norm_first" if first else "decoder.norm_last"))
    st.latex(FORMULAS[first])
    for part in ("own", "cross", "forward"):
        walk = getattr(found.at_layer, part)
        rows = {say(f"decoder.part_{row}"): getattr(walk, row) for row in ROWS[first]}
        if part == "cross" and found.at_layer.from_bert is not None:
            rows = _with_bert(at, rows)
        values = np.stack([array[at.token] for array in rows.values()])
        title = f"{say(f'decoder.layer_{part}')}: {at.token} · {found.read[at.token]}"
        window(at, values, list(rows), f"decoder-layer-{part}", title)
    st.caption(say("decoder.layer_note"))
    inner = found.at_layer.inner
    whole_of(at, inner, found.read, "decoder-inner", say("inside.inner"))
    title = say("decoder.leaves", layer=found.layer)
    window(at, found.states[found.layer], found.read, "decoder-output", title)


def _with_bert(at: Place, rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Put the two looks whose mean goes on before their mean."""
    say, layer = at.here.say, at.found.at_layer
    assert layer.from_bert is not None
    both = {
        say("decoder.from_source"): layer.from_source,
        say("decoder.from_bert"): layer.from_bert,
    }
    change = say("decoder.part_change")
    found: dict[str, np.ndarray] = {}
    for name, array in rows.items():
        found |= both | {say("decoder.mean"): array} if name == change else {name: array}
    return found

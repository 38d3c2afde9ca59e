"""Inside: queries, keys and values of a head; scores to weights; heads joined.

Inside: the way back from a vector to a word.
Inside: residual and norm, the feed-forward network, and what the layers make of each token.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from app.figures.network_arrays import CellStyle, cells_figure
from app.loaders import network_answers
from app.views.inside.array_cells import MOST, EncoderView, square, whole, window
from app.widgets import inputs, outputs


def projections(at: EncoderView) -> None:
    """Draw what a token asks, what it answers to, and what it gives."""
    head, say = at.found.at_head, at.page.say
    for part in ("query", "key", "value"):
        window(at, getattr(head, part), at.found.tokens, part, say(f"inside.{part}"))
    st.caption(say("inside.projections_note", size=head.query.shape[1]))


def scores(at: EncoderView) -> None:
    """Draw the matrix at a stage, and one token's row through all of them."""
    say, head = at.page.say, at.found.at_head
    stage = inputs.choice(say, "inside_stage", ("scores", "scaled", "weights", "causal"))
    shares = stage in ("weights", "causal")
    square(at, getattr(head, stage), stage, say(f"inside_stage.{stage}"), share=shares)
    st.caption(say(f"inside.note_{stage}"))
    _row(at)


def heads(at: EncoderView) -> None:
    """Draw one head's mixture, all heads side by side, and what the output map makes of them."""
    say, layer, head = at.page.say, at.found.at_layer, at.found.at_head
    window(at, head.mixed, at.found.tokens, "mixed", say("inside.mixed", head=at.found.head))
    size = head.mixed.shape[1]
    whole(at, layer.joined, "joined", say("inside.joined"), every=size)
    st.caption(say("inside.joined_note", heads=len(layer.weights), size=size))
    window(at, layer.attended, at.found.tokens, "attended", say("inside.attended"))


def _row(at: EncoderView) -> None:
    """Write one token's way from scores to shares, every number."""
    say, head, token = at.page.say, at.found.at_head, at.token
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


def show_back(at: EncoderView) -> None:
    """Hide one token and read the likeliest; then what each layer's states already say."""
    say, found = at.page.say, at.found
    if not found.guesses:
        st.info(say("inside.no_head"))
        return
    if 0 < at.token < len(found.tokens) - 1:
        _hidden(at)
    st.subheader(say("inside.lens_title"), anchor=False)
    names = [say("inside.layer_number", number=i) for i in range(len(found.guesses))]
    rows = [
        {
            say("inside.token"): token,
            **{
                name: f"{guesses[place][0].token} ({_percent(at, guesses[place][0].probability)})"
                for name, guesses in zip(names, found.guesses, strict=True)
            },
        }
        for place, token in enumerate(found.tokens)
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
    st.caption(say("inside.lens_note"))
    outputs.csv(say, pd.DataFrame(rows), "inside-lens")


def _hidden(at: EncoderView) -> None:
    """List what the network puts in the place of the token that is followed."""
    say, token = at.page.say, at.found.tokens[at.token]
    hidden = network_answers.walked(at.entry, at.text, 1, 1, at.token)
    st.subheader(say("inside.hidden_title"), anchor=False)
    st.markdown(outputs.plain(" ".join(hidden.tokens[1:-1])))
    rows = [
        {say("inside.token"): guess.token, say("inside.probability"): guess.probability}
        for guess in hidden.guesses[-1][at.token]
    ]
    shown = pd.DataFrame(rows)
    shown[say("inside.probability")] = [
        _percent(at, guess.probability) for guess in hidden.guesses[-1][at.token]
    ]
    st.table(shown.set_index(say("inside.token")))
    st.caption(say("inside.hidden_note", token=token))
    outputs.csv(say, pd.DataFrame(rows), "inside-hidden")


def _percent(at: EncoderView, share: float) -> str:
    """Return a probability in per cent."""
    return f"{at.page.say.number(100 * share, 1)} %"


def residual(at: EncoderView) -> None:
    """Draw one token: what entered, what attention adds, the sum, the norm of it."""
    say, layer, token = at.page.say, at.found.at_layer, at.token
    _parts(at, ("input", "attended", "first_sum", "first_norm"), "residual")
    mean, spread = (say.number(float(value), 3) for value in layer.moments[token])
    st.caption(say("inside.residual_note", mean=mean, spread=spread))
    whole(at, layer.first_norm, "first-norm", say("inside.first_norm"))


def forward(at: EncoderView) -> None:
    """Draw the wide inner layer, then one token through the block."""
    say, layer = at.page.say, at.found.at_layer
    whole(at, layer.inner, "inner", say("inside.inner"))
    st.caption(say("inside.inner_note", size=say.number(layer.inner.shape[1])))
    _parts(at, ("first_norm", "outer", "second_sum", "output"), "forward")


def layers(at: EncoderView) -> None:
    """Draw the layer's output, and how far each token has gone from its first state."""
    say, found = at.page.say, at.found
    window(at, found.at_layer.output, found.tokens, "output", say("inside.output"))
    st.caption(say("inside.layers_note", layer=found.layer))
    columns = [say("inside.layer_number", number=i) for i in range(found.drift.shape[1])]
    look = CellStyle(say("inside.drift"), share=True, numbers=len(found.tokens) <= 2 * MOST)
    drawn = cells_figure(found.drift, found.tokens, columns, look, say.separators)
    outputs.figure(say, drawn, "inside-drift", say("inside.drift_alt", text=at.text))
    st.caption(say("inside.drift_note"))


def _parts(at: EncoderView, parts: tuple[str, ...], key: str) -> None:
    """Draw several arrays of the layer for the token that is followed, a row each."""
    say, layer, token = at.page.say, at.found.at_layer, at.token
    values = np.stack([getattr(layer, part)[token] for part in parts])
    names = [say(f"inside.{part}") for part in parts]
    window(at, values, names, key, f"{token} · {at.found.tokens[token]}")

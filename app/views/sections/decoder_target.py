"""Inside, the decoder: the target shifted behind its start token, what enters, what is said next."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from app.views.sections.decoder_place import Place
from app.views.sections.inside_cells import whole_of, window
from app.widgets import outputs


def shift(at: Place) -> None:
    """Write for each step what the decoder reads and what it says."""
    say, found = at.here.say, at.found
    rows = pd.DataFrame(
        {
            say("inside.position"): range(len(found.read)),
            say("decoder.reads"): found.read,
            f"{say('decoder.reads')}: {say('inside.id')}": found.read_ids,
            say("decoder.says"): found.said,
            f"{say('decoder.says')}: {say('inside.id')}": found.said_ids,
            say("decoder.sees"): [" ".join(found.read[: i + 1]) for i in range(len(found.read))],
        }
    )
    st.dataframe(rows, hide_index=True, width="stretch")
    st.caption(say("decoder.shift_note"))
    outputs.csv(say, rows, "decoder-shift")


def entering(at: Place) -> None:
    """Draw one token's row, scaled, its wave, and their sum; then all tokens."""
    say, found, token = at.here.say, at.found, at.token
    parts = ("token_rows", "scaled_rows", "position_rows", "total")
    values = np.stack([getattr(found, part)[token] for part in parts])
    names = [
        say("inside.token_rows"), say("decoder.scaled_rows"), say("decoder.wave"),
        say("inside.total"),
    ]  # fmt: skip
    window(at, values, names, "decoder-input", f"{token} · {found.read[token]}")
    size = found.total.shape[1]
    root = say.number(size**0.5, 3)
    st.caption(say("decoder.input_note", size=size, root=root))
    whole_of(at, found.total, found.read, "decoder-input-all", say("inside.total"))


def following(at: Place) -> None:
    """Draw a state beside the row of the token said, and the likeliest next tokens with every number."""
    say, found, token = at.here.say, at.found, at.token
    state, row, bias = found.last[token], found.said_rows[token], float(found.said_biases[token])
    said = found.said[token]
    names = [say("decoder.state"), say("decoder.row_of", token=said), say("decoder.product")]
    title = f"{token} · {found.read[token]}"
    window(at, np.stack([state, row, state * row]), names, "decoder-state", title)
    best = found.following[token][0]
    numbers = (float(state @ row), bias, best.score)
    dot, shift, score = (say.number(value, 3) for value in numbers)
    st.caption(say("decoder.state_note", token=said, dot=dot, bias=shift, score=score))
    _candidates(at)
    _all_steps(at)


def _candidates(at: Place) -> None:
    """Write the likeliest next tokens of the step: score, power, share."""
    say, told = at.here.say, at.found.following[at.token]
    columns = {
        say("decoder.score"): [one.score for one in told],
        "exp(s − max)": [one.power for one in told],
        "softmax": [one.probability for one in told],
    }
    rows = pd.DataFrame({say("inside.token"): [one.token for one in told], **columns})
    shown = rows.assign(**{n: [say.number(v, 4) for v in c] for n, c in columns.items()})
    whole = [say("decoder.all_tokens", count=say.number(at.found.vocabulary)), ""]
    whole += [say.number(float(at.found.sums[at.token]), 4), say.number(1, 4)]
    last = pd.DataFrame([dict(zip(shown.columns, whole, strict=True))])
    st.subheader(say("decoder.candidates"), anchor=False)
    st.table(pd.concat([shown, last]).set_index(say("inside.token")))
    st.caption(say("decoder.candidates_note"))
    outputs.csv(say, rows, "decoder-next")


def _all_steps(at: Place) -> None:
    """Write all steps, from the start sign to the end sign."""
    say, found = at.here.say, at.found
    shares = [one[0].probability for one in found.following]
    rows = pd.DataFrame(
        {
            say("inside.position"): range(len(found.read)),
            say("decoder.sees"): [" ".join(found.read[: i + 1]) for i in range(len(found.read))],
            say("decoder.says"): found.said,
            say("inside.probability"): shares,
        }
    )
    shown = rows.copy()
    shown[say("inside.probability")] = [f"{say.number(100 * share, 1)} %" for share in shares]
    st.subheader(say("decoder.all_steps"), anchor=False)
    st.dataframe(shown, hide_index=True, width="stretch")
    st.caption(say("decoder.all_steps_note"))
    outputs.csv(say, rows, "decoder-steps")

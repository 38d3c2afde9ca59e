"""Inside: the way back from a vector to a word."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import network_resources
from app.views.sections.inside_cells import At
from app.widgets import outputs


def show(at: At) -> None:
    """Hide one token and read the likeliest; then what each layer's states already say."""
    say, found = at.here.say, at.found
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


def _hidden(at: At) -> None:
    """List what the network puts in the place of the token that is followed."""
    say, token = at.here.say, at.found.tokens[at.token]
    hidden = network_resources.walked(at.entry, at.text, 1, 1, at.token)
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


def _percent(at: At, share: float) -> str:
    """Return a probability in per cent."""
    return f"{at.here.say.number(100 * share, 1)} %"

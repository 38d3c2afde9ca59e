"""Inside, the decoder: the target shifted behind its start token, what enters, what is said next.

Inside, the decoder: one token through the three parts of a layer.
Inside, the decoder: where the person stands, which translator, what sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from app.loaders import shelf_models
from app.views.inside.array_cells import whole_of, window
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.widgets.translator_inputs import COMMANDS
from app.wording import Wording
from embeddings.results.network_walks import DecoderWalk
from embeddings.shelf import Entry

EXAMPLES = {"en": "Two dogs are playing.", "de": "Die Wohnung ist groß."}  # translated from


@dataclass(frozen=True)
class DecoderView:
    """A sentence in a translator: ``token`` is the step followed, ``first`` the first column shown."""

    page: PageState
    entry: Entry
    text: str
    found: DecoderWalk
    token: int
    first: int


def translator(say: Wording) -> Entry:
    """Let a translator be chosen; without one on the shelf the page ends with the way to get one."""
    found = shelf_models.translators()
    if not found:
        st.info(say("translate.none"))
        st.code(COMMANDS, language="sh")
        raise outputs.Halt
    entries = {e.name: e for e in sorted(found, key=lambda e: (e.method == "bert-fused", e.name))}
    names = list(entries)
    if len(names) == 1:
        return entries[names[0]]
    return entries[inputs.pick(say, "decoder_model", names, {name: name for name in names})]


def sentence(say: Wording, entry: Entry) -> str:
    """Ask for a sentence of the language that is translated from."""
    example = EXAMPLES.get(entry.language.partition("-")[0], EXAMPLES["en"])
    text = inputs.line(say, "decoder_text", example)
    if not text:
        st.info(say("inside.empty"))
        raise outputs.Halt
    return text


FORMULAS = {True: r"x' = x + f(\mathrm{norm}(x))", False: r"x' = \mathrm{norm}(x + f(x))"}
ROWS = {
    True: ("input", "given", "change", "sum"),
    False: ("input", "change", "sum", "output"),
}


def show_layer(at: DecoderView) -> None:
    """Draw what enters each part, what it adds, and what leaves it."""
    say, found = at.page.say, at.found
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


def _with_bert(at: DecoderView, rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Put the two looks whose mean goes on before their mean."""
    say, layer = at.page.say, at.found.at_layer
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


def shift(at: DecoderView) -> None:
    """Write for each step what the decoder reads and what it says."""
    say, found = at.page.say, at.found
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


def entering(at: DecoderView) -> None:
    """Draw one token's row, scaled, its wave, and their sum; then all tokens."""
    say, found, token = at.page.say, at.found, at.token
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


def following(at: DecoderView) -> None:
    """Draw a state beside the row of the token said, and the likeliest next tokens with every number."""
    say, found, token = at.page.say, at.found, at.token
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


def _candidates(at: DecoderView) -> None:
    """Write the likeliest next tokens of the step: score, power, share."""
    say, told = at.page.say, at.found.following[at.token]
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


def _all_steps(at: DecoderView) -> None:
    """Write all steps, from the start sign to the end sign."""
    say, found = at.page.say, at.found
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

"""Fill the blank: the answers for one blank, the hidden word's own chances, and what each layer would say."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from app.figures.fill import bars_figure, layers_figure
from app.views.sections.fill_sentence import MASK, Asked
from app.widgets import outputs
from app.wording import Wording
from embeddings.results.contexts import AskedWord, FilledMask
from embeddings.text.byte_names import HEAD


def show(say: Wording, asked: Asked, mask: FilledMask, number: int, total: int) -> None:
    """Show one blank of ``total``."""
    text = asked.second if mask.segment else asked.text
    best = mask.guesses[0].token.replace(HEAD, " ") if mask.guesses else "–"
    before, after = text[: mask.start], text[mask.end :]
    st.subheader(
        f"{outputs.plain(before)}:primary[{outputs.plain(best)}]{outputs.plain(after)}",
        anchor=False,
    )
    if total > 1:
        st.caption(say("fill.blank", number=number, total=total))
    for word in mask.asked:
        _hidden(say, word)
    for lacked in set(asked.words) - {word.word for word in mask.asked}:
        st.markdown(say("fill.own_unknown", word=outputs.plain(lacked)))
    left, right = st.columns(2)
    with left:
        st.caption(say("fill.last"))
        drawn = bars_figure(mask, say("fill.probability"), say.separators)
        outputs.figure(say, drawn, f"fill-{number}", say("fill.alt", text=text))
    with right:
        names = [say("fill.input"), *(say("fill.layer", number=n) for n in _layers(mask))]
        st.caption(say("fill.layers"))
        drawn = layers_figure(mask, names, say.separators)
        outputs.figure(say, drawn, f"fill-layers-{number}", say("fill.layers_alt", text=text))
    if MASK in after or MASK in before:
        st.caption(say("fill.several"))
    outputs.csv(say, _rows(say, mask), f"fill-{number}")


def _hidden(say: Wording, word: AskedWord) -> None:
    """Say what the hidden word's own probability and rank were."""
    share = _percent(say, word.probability)
    shown = outputs.plain(word.word)
    if word.rank:
        st.markdown(say("fill.own", word=shown, share=share, rank=say.number(word.rank)))
        return
    tokens = outputs.plain(" + ".join(word.tokens))
    st.markdown(say("fill.own_tokens", word=shown, share=share, tokens=tokens))


def _percent(say: Wording, probability: float) -> str:
    """Return a probability in percent, with at least two digits that are not 0."""
    share = 100 * probability
    digits = 1 - math.floor(math.log10(share)) if share > 0 else 2
    return say.number(share, min(12, max(2, digits)))


def _layers(mask: FilledMask) -> range:
    """Return the numbers of the layers behind the embedding output."""
    return range(1, len(mask.by_layer))


def _rows(say: Wording, mask: FilledMask) -> pd.DataFrame:
    """Return all guesses of all layers, with full precision."""
    return pd.DataFrame(
        [
            {
                say("fill.layer_column"): layer,
                say("common.rank"): rank,
                say("common.word"): guess.token,
                say("fill.probability"): guess.probability,
            }
            for layer, guesses in enumerate(mask.by_layer)
            for rank, guess in enumerate(guesses, 1)
        ]
    )

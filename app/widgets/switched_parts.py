"""Parts of a network that are switched off: which, what takes their place, and how much each head matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from app.figures.network_arrays import CellStyle, cells_figure
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.results.network_answers import (
    REPLACEMENTS,
    HeadEffects,
    Parts,
    Replacement,
    head_name,
    joined_parts,
)

NUMBERED = 16  # heads of a layer up to which numbers are written into the cells


def ask_heads(say: Wording, key: str, layers: int, heads: int) -> list[str]:
    """Choose heads by layer and number; their names as `head_name` writes them."""
    labels = {
        head_name(layer, head): say("off.head_label", layer=layer, head=head)
        for layer in range(1, layers + 1)
        for head in range(1, heads + 1)
    }
    return inputs.several(say, key, list(labels), labels)


def ask_parts(say: Wording, layers: int, heads: int, words: Sequence[str]) -> Parts:
    """Choose heads, layers' attention, feed-forward blocks and words."""
    of_layers = {str(n): say("off.layer_label", layer=n) for n in range(1, layers + 1)}
    of_words = {str(n): f"{n}: {word}" for n, word in enumerate(words, 1)}

    def numbers(key: str, labels: Mapping[str, str]) -> list[int]:
        return [int(value) for value in inputs.several(say, key, list(labels), labels)]

    left, right = st.columns(2)
    with left:
        chosen_heads = ask_heads(say, "off_heads", layers, heads)
        attention = numbers("off_attention", of_layers)
    with right:
        hidden = numbers("off_words", of_words)
        feed_forward = numbers("off_feed_forward", of_layers)
    return joined_parts(chosen_heads, attention, feed_forward, hidden)


def ask_replacement(say: Wording, others: Sequence[str], example: str) -> Replacement:
    """Choose what takes the place of what is off; ``others`` are the sentences that a mean is over."""
    kind = inputs.choice(say, "off_how", REPLACEMENTS)
    if kind == "mean":
        st.caption(say("off.mean_over", count=len(others)))
        return Replacement(kind, tuple(others))
    if kind == "patch":
        return Replacement(kind, (inputs.line(say, "off_other", example),))
    return Replacement(kind)


def show_effects(
    page: PageState, effects: HeadEffects, title: str, note: str, *, needed_is_blue: bool = False
) -> None:
    """Draw how much each head matters, a row a layer, and offer the numbers as CSV.

    ``note`` is the key of the sentence below. ``needed_is_blue``: on pages where blue words speak for an answer, needed heads are blue too;
    elsewhere blue is below zero.
    """
    say = page.say
    layers, heads = effects.effects.shape
    rows = [say("off.layer_label", layer=layer) for layer in range(1, layers + 1)]
    columns = [say("off.head_column", head=head) for head in range(1, heads + 1)]
    style = CellStyle(title, numbers=heads <= NUMBERED, blue_above=needed_is_blue)
    figure = cells_figure(effects.effects, rows, columns, style, say.separators)
    outputs.figure(say, figure, "head-effects", say("off.effects_alt"))
    needed, spared = ("blue", "orange") if needed_is_blue else ("orange", "blue")
    st.caption(say(note, needed=say(f"off.{needed}"), spared=say(f"off.{spared}")))
    table = [
        {
            say("attention_table.layer"): layer,
            say("attention_table.head"): head,
            say("off.effect"): effects.effects[layer - 1, head - 1],
        }
        for layer in range(1, layers + 1)
        for head in range(1, heads + 1)
    ]
    outputs.csv(say, lambda: pd.DataFrame(table), "head-effects")

"""Parts of a network: which are switched off and what takes their place; how much each head matters, what it looks at, its weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from app.components.attention_component import view_labels
from app.figures.network_arrays import CellStyle, cells_figure
from app.widgets import address, inputs, outputs
from app.wording import Wording
from embeddings.attention_view.html_page import fitting, standalone
from embeddings.attention_view.payload import VIEWS, Panel, ViewState
from embeddings.probing.network_answers import (
    REPLACEMENTS,
    AttentionMap,
    HeadEffects,
    Parts,
    Replacement,
    head_name,
    joined_parts,
)
from embeddings.probing.sentence_answers import Attribution, GuessAttribution
from embeddings.saved_page.answer import Source

NUMBERED = 16  # heads of a layer up to which numbers are written into the cells


def ask_heads(say: Wording, key: str, config: Any) -> list[str]:
    """Choose heads by layer and number, of a network with these settings; their names as `head_name` writes them."""
    labels = {
        head_name(layer, head): say("off.head_label", layer=layer, head=head)
        for layer in range(1, config.num_hidden_layers + 1)
        for head in range(1, config.num_attention_heads + 1)
    }
    return inputs.several(say, key, list(labels), labels)


def ask_parts(say: Wording, config: Any, words: Sequence[str]) -> Parts:
    """Choose heads, layers' attention, feed-forward blocks and words."""
    layers = range(1, config.num_hidden_layers + 1)
    of_layers = {str(n): say("off.layer_label", layer=n) for n in layers}
    of_words = {str(n): f"{n}: {word}" for n, word in enumerate(words, 1)}

    def numbers(key: str, labels: Mapping[str, str]) -> list[int]:
        return [int(value) for value in inputs.several(say, key, list(labels), labels)]

    left, right = st.columns(2)
    with left:
        chosen_heads = ask_heads(say, "off_heads", config)
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
    say: Wording, effects: HeadEffects, title: str, note: str, *, needed_is_blue: bool = False
) -> None:
    """Draw how much each head matters, a row a layer, and offer the numbers as CSV.

    ``note`` is the key of the sentence below. ``needed_is_blue``: on pages where blue words speak for an answer, needed heads are blue too;
    elsewhere blue is below zero.
    """
    layers, heads = effects.effects.shape
    rows = [say("off.layer_label", layer=layer) for layer in range(1, layers + 1)]
    columns = [say("off.head_column", head=head) for head in range(1, heads + 1)]
    style = CellStyle(title, numbers=heads <= NUMBERED, blue_above=needed_is_blue)
    figure = cells_figure(effects.effects, rows, columns, style, say.separators)
    outputs.figure(say, figure, "head-effects", say("off.effects_alt"))
    needed, spared = ("blue", "orange") if needed_is_blue else ("orange", "blue")
    st.caption(say(note, needed=say(f"off.{needed}"), spared=say(f"off.{spared}")))
    keys = ("attention_table.layer", "attention_table.head", "off.effect")
    outputs.csv(say, partial(say.frame, effects, *keys), "head-effects")


SHARES = ("previous", "following", "itself", "cls", "sep")


def read_view_state(prefix: str, shown: AttentionMap, layer: int, head: str) -> ViewState:
    """Return the layer, head, view and word that the address holds, at first ``layer`` and ``head``."""
    layer = address.keep(f"{prefix}_layer", layer, (1, shown.layers))
    head = address.keep(f"{prefix}_head", head, shown.heads)
    word = address.keep(f"{prefix}_word", -1, (-1, len(shown.from_side) - 1))
    return ViewState(layer, head, address.keep(f"{prefix}_view", VIEWS[0], VIEWS), word=word)


def keep_view_state(prefix: str, view_state: ViewState) -> None:
    """Write the layer, head, view and word chosen inside the attention view to the address."""
    names = ("layer", "head", "view", "word")
    address.put(**{f"{prefix}_{name}": getattr(view_state, name) for name in names})


def offer_view(  # noqa: PLR0913 - what a file says
    say: Wording,
    panels: Sequence[Panel],
    at: ViewState,
    name: str,
    title: str,
    labels: Mapping[str, str],
    make_source: Callable[[], Source],
) -> None:
    """Offer the attention view as one HTML file, called ``name``, and the weights of the head shown as CSV."""
    shown = panels[0].shown
    whole = len(fitting(panels, at)) == shown.layers * len(shown.heads)
    with st.container(horizontal=True):
        outputs.download(
            say("attention.html"),
            lambda: standalone(
                panels,
                at,
                heading=title,
                source=make_source(),
                about=" · ".join(panel.title for panel in panels),
                labels=view_labels(say) | dict(labels),
            ),
            f"klyuch-{name}.html",
            f"{name}_html",
            help=say("attention.html_help" if whole else "attention.html_part"),
        )
        outputs.download(
            say("attention.weights"),
            lambda: outputs.csv_bytes(weights(shown, at, say("attention.looks"))),
            f"klyuch-{name}-{at.layer}-{at.head}.csv",
            f"{name}_csv",
            help=say("attention.weights_help"),
        )


def show(say: Wording, panel: Panel) -> None:
    """List what each head looks at, on average."""
    rows = pd.DataFrame(
        {
            say("attention_table.layer"): profile.layer,
            say("attention_table.head"): profile.head,
            say("attention_table.pattern"): say.get(f"attention_shown.{profile.pattern}", "–"),
            **{say(f"attention_shown.{name}"): getattr(profile, name) for name in SHARES},
            say("attention_table.entropy"): profile.entropy,
            say("attention_table.distance"): profile.distance,
        }
        for profile in panel.profiles
    )
    shares = [say(f"attention_shown.{name}") for name in SHARES]
    digits = {
        **{name: partial(say.number, digits=2) for name in shares},
        say("attention_table.entropy"): partial(say.number, digits=2),
        say("attention_table.distance"): partial(say.number, digits=1),
    }
    st.caption(say("attention_table.note"))
    outputs.table(say, rows, "attention-heads", forms=digits, shares=shares)


def weights(shown: AttentionMap, at: ViewState, corner: str) -> pd.DataFrame:
    """Return the weights of one head, one row per attending word, one column per attended word."""
    rows = pd.DataFrame(
        shown.head_weights(at.layer, at.head), columns=distinct(shown.to_side.labels)
    )
    rows.insert(0, corner, list(shown.from_side.labels), allow_duplicates=True)
    return rows


def distinct(labels: Sequence[str]) -> list[str]:
    """Number labels that occur more than once: a table's columns have names of their own."""
    times: dict[str, int] = {}
    names = []
    for label in labels:
        times[label] = times.get(label, 0) + 1
        names.append(label if times[label] == 1 else f"{label} ({times[label]})")
    return names


AnyAttribution = Attribution | GuessAttribution


def sum_sentence(
    say: Wording, key: str, attribution: AnyAttribution, numbers: Mapping[str, float], **names: str
) -> str:
    """Return the sentence on how words and baseline make an answer's number; ``numbers`` and ``names`` are its further fields."""
    words = sum(word.attribution for word in attribution.words)
    values = {**numbers, "baseline": attribution.baseline, "words": words}
    fields = {name: say.number(value, 3) for name, value in values.items()}
    residual = say.number(attribution.residual, 5)
    sentence = say(key, residual=residual, steps=attribution.steps, **fields, **names)
    return sentence.replace("+ \N{MINUS SIGN}", "\N{MINUS SIGN} ")


def attribution_table(
    say: Wording,
    key: str,
    attribution: AnyAttribution,
    others: tuple[str, float],
    total: tuple[str, float],
    heads: Sequence[str],
) -> None:
    """Offer as a table what each word adds, what is lost without it and its attention, then what is no word's.

    ``others`` names the attention to what is no word, ``total`` the whole sum; ``heads`` are keys of the wording.
    """

    def rows() -> pd.DataFrame:
        words = attribution.words
        lines: list[tuple[str, float, float | None, float | None]] = [
            *((word.word, word.attribution, word.occlusion, word.attention) for word in words),
            (say("classify.masked_text"), attribution.baseline, None, None),
            (say("classify.residual"), attribution.residual, None, None),
            (others[0], 0.0, None, others[1]),
            (*total, None, 1.0),
        ]
        return pd.DataFrame(lines, columns=[say(name) for name in ("common.word", *heads)])

    outputs.closed_table(say, rows, key)

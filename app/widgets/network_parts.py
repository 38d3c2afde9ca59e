"""Parts of a network: which are off and what takes their place; what heads matter and look at, which words moved an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from app.components.attention_component import attention_view, view_labels
from app.figures.network_arrays import CellStyle, cells_figure
from app.figures.palette import INDIGO
from app.figures.sentence_words import coloured_text, signed_bars
from app.figures.shares import share_bars
from app.widgets import address, inputs, outputs, saved_files
from app.wording import Wording
from embeddings.attention_view.html_page import fitting, standalone
from embeddings.attention_view.payload import ATTENTION_VIEWS, Panel, ViewState
from embeddings.probing.ablation_answers import (
    REPLACEMENTS,
    HeadEffects,
    Parts,
    Replacement,
    head_name,
    joined_parts,
)
from embeddings.probing.attention_answers import AttentionMap
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
    choices = {"off_attention": of_layers, "off_feed_forward": of_layers, "off_words": of_words}
    left, right = st.columns(2)
    with left:
        heads = ask_heads(say, "off_heads", config)
    numbers = []
    for place, (key, labels) in zip((left, right, right), choices.items(), strict=True):
        with place:
            numbers.append([int(n) for n in inputs.several(say, key, list(labels), labels)])
    return joined_parts(heads, *numbers)


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
    view = address.keep(f"{prefix}_view", ATTENTION_VIEWS[0], ATTENTION_VIEWS)
    return ViewState(layer, head, view, word=word)


def show_attention_view(  # noqa: PLR0913 - what the view and its files say
    say: Wording,
    prefix: str,
    panels: Sequence[Panel],
    at: ViewState,
    title: str,
    labels: Mapping[str, str],
    make_source: Callable[[], Source],
) -> None:
    """Draw the attention view, which keeps what is chosen in it under ``prefix`` in the address; offer it as HTML, its head as CSV."""

    def keep(chosen: ViewState) -> None:
        names = ("layer", "head", "view", "word")
        address.put(**{f"{prefix}_{name}": getattr(chosen, name) for name in names})

    attention_view(say, panels, at, keep, labels)
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
            f"klyuch-{prefix}.html",
            f"{prefix}_html",
            help=say("attention.html_help" if whole else "attention.html_part"),
        )
        weights = shown.to_frame(at.layer, at.head)
        corner = say("attention.looks")
        outputs.download(
            say("attention.weights"),
            lambda: outputs.csv_bytes(weights.reset_index(names=corner, allow_duplicates=True)),
            f"klyuch-{prefix}-{at.layer}-{at.head}.csv",
            f"{prefix}_csv",
            help=say("attention.weights_help"),
        )


def show(say: Wording, panel: Panel) -> None:
    """List what each head looks at, on average."""
    layer, head, pattern, entropy, distance = (
        say(f"attention_table.{name}")
        for name in ("layer", "head", "pattern", "entropy", "distance")
    )
    shares = {say(f"attention_shown.{name}"): name for name in SHARES}
    columns: outputs.Columns = {
        layer: "layer",
        head: "head",
        pattern: lambda profile: say.get(f"attention_shown.{profile.pattern}", "–"),
        **shares,
        entropy: "entropy",
        distance: "distance",
    }
    forms = dict.fromkeys([*shares, entropy], partial(say.number, digits=2))
    forms[distance] = partial(say.number, digits=1)
    st.caption(say("attention_table.note"))
    rows = outputs.rows_of(panel.profiles, columns)
    outputs.table(say, rows, "attention-heads", forms=forms, shares=list(shares))


FIELD_OF_MEASURE = {"gradients": "attribution", "occlusion": "occlusion", "attention": "attention"}


def show_attribution(say: Wording, attribution: Attribution | GuessAttribution, answer: str) -> str:
    """Show what moved a label or a guess: words in colours, bars of a measure that is chosen, a table; return the measure.

    ``answer`` is what the label or the guess is called.
    """
    if isinstance(attribution, Attribution):
        key, by, total = "classify", "classify_by", attribution.log_odds
        others = attribution.special_attention
    else:
        key, by, total = "attribution", "attribution_by", attribution.log_probability
        others = attribution.other_attention
    words, plain = attribution.words, outputs.plain(answer)
    st.html(coloured_text(attribution))
    st.caption(say(f"{key}.colours", answer=plain))
    measure = inputs.choice(say, by, list(FIELD_OF_MEASURE))
    bars = [(word.word, getattr(word, FIELD_OF_MEASURE[measure])) for word in words]
    axis = say(f"{key}.{measure}_axis", answer=answer)
    figure = (
        share_bars(bars, (), axis, say.separators, INDIGO)
        if measure == "attention"
        else signed_bars(bars, axis, say.separators)
    )
    outputs.figure(say, figure, f"{key}-words-figure", say(f"{key}.{measure}_alt"))
    st.caption(say(f"{key}.{measure}_read", answer=plain))
    if measure == "gradients":
        numbers = {
            "total": total,
            "baseline": attribution.baseline,
            "words": sum(word.attribution for word in words),
        }
        fields = {name: say.number(value, 3) for name, value in numbers.items()}
        residual = say.number(attribution.residual, 5)
        said = say(f"{key}.sum", answer=plain, residual=residual, steps=attribution.steps, **fields)
        st.markdown(saved_files.note(said.replace("+ \N{MINUS SIGN}", "\N{MINUS SIGN} ")))

    def rows() -> pd.DataFrame:
        lines: list[tuple[object, ...]] = [
            *((word.word, word.attribution, word.occlusion, word.attention) for word in words),
            (say("classify.masked_text"), attribution.baseline, None, None),
            (say("classify.residual"), attribution.residual, None, None),
            (say(f"{key}.others"), 0.0, None, others),
            (say(f"{key}.total"), total, None, 1.0),
        ]
        heads = (f"{key}.by_gradients", "attribution.by_occlusion", f"{key}.attention_axis")
        return say.table(lines, "common.word", *heads)

    outputs.closed_table(say, rows, f"{key}-words")
    return measure

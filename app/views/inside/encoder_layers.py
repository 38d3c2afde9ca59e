"""Inside: a layer of an encoder: attention, residual and norm, feed-forward; back to words; the costs of all layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.figures.network_arrays import CellStyle, cells_figure, network_costs_figure
from app.loaders.shelf_models import ask
from app.views.inside.array_cells import (
    MAX_NUMBERED_TOKENS,
    WalkView,
    draw_columns,
    draw_parts,
    draw_shades,
    draw_square,
    show_score_row,
)
from app.widgets import inputs, outputs
from app.wording import Wording
from embeddings.analysis.network_costs import bert_and_albert
from embeddings.probing.network_walks import PartWalk, Walk
from embeddings.verbs import NetworkVerbs

EncoderView = WalkView[Walk]
WIDTHS = ("128", "256", "512", "768", "1024", "2048")
NARROW = ("64", "128", "256")


def draw_projections(view: EncoderView) -> None:
    """Draw queries, keys and values of a head."""
    head, say = view.walk.at_head, view.page.say
    for part in ("query", "key", "value"):
        draw_columns(view, getattr(head, part), part, say(f"inside.{part}"))
    st.caption(say("inside.projections_note", size=head.query.shape[1]))


def draw_scores(view: EncoderView) -> None:
    """Draw the score matrix at a stage, and one token's row at all stages."""
    say, head = view.page.say, view.walk.at_head
    stage = inputs.choice(say, "inside_stage", ("scores", "scaled", "weights"))
    title, share = say(f"inside_stage.{stage}"), stage == "weights"
    draw_square(view, getattr(head, stage), stage, title, share=share)
    st.caption(say(f"inside.note_{stage}"))
    show_score_row(view, head, view.tokens, "inside-row", view.tokens[view.token])


def draw_heads(view: EncoderView) -> None:
    """Draw the output of one head, all heads side by side, and their output projection."""
    say, layer, head = view.page.say, view.walk.at_layer, view.walk.at_head
    draw_columns(view, head.mixed, "mixed", say("inside.mixed", head=view.walk.head))
    size = head.mixed.shape[1]
    draw_shades(view, layer.joined, "joined", say("inside.joined"), every=size)
    st.caption(say("inside.joined_note", heads=layer.joined.shape[1] // size, size=size))
    draw_columns(view, layer.attention.change, "attended", say("inside.attended"))


def draw_residual(view: EncoderView) -> None:
    """Draw one token: what entered, what attention adds, the sum, the norm of it."""
    say, layer = view.page.say, view.walk.at_layer
    names = ("input", "attended", "first_sum", "first_norm")
    _draw_part(view, layer.attention, names, "residual")
    mean, spread = (say.number(float(value), 3) for value in layer.moments[view.token])
    st.caption(say("inside.residual_note", mean=mean, spread=spread))
    draw_shades(view, layer.attention.output, "first-norm", say("inside.first_norm"))


def draw_feed_forward(view: EncoderView) -> None:
    """Draw the wide inner layer, then one token through the block."""
    say, layer = view.page.say, view.walk.at_layer
    draw_shades(view, layer.inner, "inner", say("inside.inner"))
    draw_columns(view, layer.inner, "inner-columns", say("inside.inner"))
    st.caption(say("inside.inner_note", size=layer.inner.shape[1]))
    _draw_part(view, layer.forward, ("first_norm", "outer", "second_sum", "output"), "forward")


def _draw_part(view: EncoderView, part: PartWalk, names: Sequence[str], key: str) -> None:
    """Draw what enters a part of a layer, what it adds, the sum and its norm, for the token that is followed."""
    arrays = (part.input, part.change, part.sum, part.output)
    said = (view.page.say(f"inside.{name}") for name in names)
    draw_parts(view, dict(zip(said, arrays, strict=True)), key, view.followed)


def draw_layers(view: EncoderView) -> None:
    """Draw the layer's output, and the distance of each token from its first state."""
    say, walk = view.page.say, view.walk
    draw_columns(view, walk.states[walk.layer], "output", say("inside.output"))
    st.caption(say("inside.layers_note", layer=walk.layer))
    columns = [say("inside.layer_number", number=i) for i in range(walk.drift.shape[1])]
    style = CellStyle(
        say("inside.drift"), share=True, numbers=len(walk.tokens) <= 2 * MAX_NUMBERED_TOKENS
    )
    figure = cells_figure(walk.drift, walk.tokens, columns, style, say.separators)
    outputs.figure(say, figure, "inside-drift", say("inside.drift_alt", text=view.text))
    st.caption(say("inside.drift_note"))


def show_predictions(view: EncoderView) -> None:
    """Mask one token and list its likeliest; then the predictions from each layer's states."""
    say, walk = view.page.say, view.walk
    if not walk.guesses:
        st.info(say("inside.no_head"))
        return
    if 0 < view.token < len(walk.tokens) - 1:
        _show_masked(view)
    st.subheader(say("inside.lens_title"), anchor=False)
    names = [say("inside.layer_number", number=i) for i in range(len(walk.guesses))]
    rows = [
        {
            say("inside.token"): token,
            **{
                name: f"{guesses[position][0].token} ({_format_share(view, guesses[position][0].probability)})"
                for name, guesses in zip(names, walk.guesses, strict=True)
            },
        }
        for position, token in enumerate(walk.tokens)
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
    st.caption(say("inside.lens_note"))
    outputs.csv(say, lambda: guess_rows(say, walk), "inside-lens")


def guess_rows(say: Wording, walk: Walk) -> pd.DataFrame:
    """Return all guesses at each token from each layer's states, with full precision."""
    return pd.DataFrame(
        [
            {
                say("inside.position"): position,
                say("inside.token"): token,
                say("fill.layer_column"): layer,
                say("common.rank"): rank,
                say("common.word"): guess.token,
                say("inside.probability"): guess.probability,
            }
            for layer, guesses in enumerate(walk.guesses)
            for position, token in enumerate(walk.tokens)
            for rank, guess in enumerate(guesses[position], 1)
        ]
    )


def _show_masked(view: EncoderView) -> None:
    """List what the network puts in the place of the followed token."""
    say, token = view.page.say, view.walk.tokens[view.token]
    masked_walk = ask(NetworkVerbs.walk, view.entry, view.text, 1, 1, masked=view.token)
    st.subheader(say("inside.hidden_title"), anchor=False)
    st.markdown(outputs.plain(" ".join(masked_walk.tokens[1:-1])))
    token_column, share_column = say("inside.token"), say("inside.probability")
    guesses = masked_walk.guesses[-1][view.token]
    rows = pd.DataFrame(
        {token_column: [g.token for g in guesses], share_column: [g.probability for g in guesses]}
    )
    shares = rows[share_column].map(partial(_format_share, view))
    outputs.written_table(rows.assign(**{share_column: shares}).set_index(token_column))
    st.caption(say("inside.hidden_note", token=outputs.plain(token)))
    outputs.csv(say, lambda: rows, "inside-hidden")


def _format_share(view: EncoderView, share: float) -> str:
    """Return a probability in per cent."""
    return f"{view.page.say.number(100 * share, 1)} %"


def show_network_costs(view: EncoderView) -> None:
    """Ask for the sizes and draw both counts."""
    say = view.page.say
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        hidden = int(inputs.choice(say, "inside_hidden", WIDTHS, "768"))
        narrow = int(inputs.choice(say, "inside_narrow", NARROW, "128"))
    with st.container(horizontal=True, gap="large"):
        layers = inputs.number(say, "inside_layers", 12, 1, 48)
        length = inputs.number(say, "inside_length", 128, 8, 512)
    networks = bert_and_albert(hidden, layers, embedding_size=narrow, sequence_length=length)
    for kind in ("parameters", "operations"):
        st.subheader(say(f"inside.{kind}"), anchor=False)
        totals = {network.name: getattr(network, f"total_{kind}") for network in networks}
        with st.container(horizontal=True):
            for name, count in totals.items():
                st.metric(name, say.number(count))
        counts = {network.name: getattr(network, kind) for network in networks}
        names = {part: say(f"part.{part}") for part in counts["BERT"]}
        figure = network_costs_figure(counts, names)
        outputs.figure(say, figure, f"inside-{kind}", say(f"inside.{kind}_alt"))
        st.caption(say(f"inside.{kind}_note", length=length, narrow=narrow))
        outputs.csv(say, partial(_count_rows, counts, names, say("inside.part")), f"inside-{kind}")


def _count_rows(
    counts: Mapping[str, Mapping[str, int]], names: Mapping[str, str], title: str
) -> pd.DataFrame:
    """Return the counts of both networks, a row a part."""
    return pd.DataFrame(counts).rename(index=dict(names)).reset_index(names=title)

"""Inside, the encoder: its steps in their order: the input, a layer with its attention, back to words; the costs of all layers."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app import shelf_models
from app.figures import network_arrays
from app.shelf_models import ask
from app.views.inside.array_cells import Half, WalkStep, WalkView
from app.widgets import inputs, outputs
from app.wording import Wording
from embeddings.analysis.network_costs import bert_and_albert
from embeddings.networks.sinusoidal_encoding import (
    number_positions,
    sinusoidal_encoding,
    wavelength,
)
from embeddings.probing.network_walks import PartWalk, Walk
from embeddings.verbs import NetworkVerbs

EncoderView = WalkView[Walk]
WIDTHS = ("128", "256", "512", "768", "1024", "2048")
NARROW = ("64", "128", "256")
POSITIONS_SHOWN = 64  # positions of the figures
SHORT_SENTENCE, LONG_SENTENCE = 5, 9  # tokens of two sentences


def show_tokens(view: EncoderView) -> None:
    """Write each word with its tokens and their ids."""
    say, walk = view.page.say, view.walk
    words = ask(NetworkVerbs.words_with_tokens, view.entry, view.text)
    word_by_number = dict(zip(sorted(set(walk.words) - {-1}), words, strict=True))
    texts = [word_by_number.get(number, "–") for number in walk.words]
    keys = ("inside.position", "common.word", "inside.token", "inside.id")
    rows = say.table(zip(range(len(texts)), texts, walk.tokens, walk.ids, strict=True), *keys)
    st.dataframe(rows, hide_index=True, width="content")
    size = say.number(shelf_models.reader(view.entry).config.vocab_size)
    fields = {
        "words": say("count.words", n=len(words)),
        "tokens": say("count.tokens", n=len(walk.tokens)),
        "first": outputs.plain(walk.tokens[0]),
        "last": outputs.plain(walk.tokens[-1]),
    }
    st.caption(say("inside.tokens_note", size=size, **fields))
    outputs.csv(say, lambda: rows, "inside-tokens")


def draw_embeddings(view: EncoderView) -> None:
    """Draw the rows of the token embedding matrix, eight columns in numbers and all as shades."""
    say, walk = view.page.say, view.walk
    config = shelf_models.reader(view.entry).config
    view.draw_columns(walk.token_rows, "token-rows", say("inside.token_rows"))
    st.caption(say("inside.embeddings_note", rows=config.vocab_size, columns=config.width))
    view.draw_shades(walk.token_rows, "token-rows-all", say("inside.token_rows"))


def show_positions(view: EncoderView) -> None:
    """Compare ways of numbering positions, and draw the one that is used."""
    _compare_codings(view)
    _draw_waves(view)


def _compare_codings(view: EncoderView) -> None:
    """Compare an index, a share of the sentence, and a wave."""
    say = view.page.say
    st.subheader(say("inside.plain_title"), anchor=False)
    st.markdown(say("inside.plain", short=SHORT_SENTENCE, long=LONG_SENTENCE))
    names = [
        say("inside.index"),
        *(say("inside.share_of", tokens=tokens) for tokens in (SHORT_SENTENCE, LONG_SENTENCE)),
        say("inside.wave"),
    ]
    rows = {
        index: [str(index), *(say.number(number, 2) for number in numbers)]
        for index, *numbers in number_positions(SHORT_SENTENCE, LONG_SENTENCE, 64)
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=names)
    outputs.written_table(table.rename_axis(say("inside.position")))


def _draw_waves(view: EncoderView) -> None:
    """Draw the waves as cells, and one pair of columns as curves."""
    say, size = view.page.say, view.walk.position_rows.shape[1]
    st.subheader(say("inside.waves_title"), anchor=False)
    pair = inputs.number(say, "inside_wave", 4, 0, max(1, (size - 1) // 2))
    table = sinusoidal_encoding(POSITIONS_SHOWN, size)
    titles = (say("inside.position"), say("inside.column"))
    figure = network_arrays.position_waves_figure(table, titles, 2 * pair)
    outputs.figure(say, figure, "inside-waves", say("inside.waves_alt", size=size))
    names = (say("inside.sine", column=2 * pair), say("inside.cosine", column=2 * pair + 1))
    wave_pair = table[:, 2 * pair : 2 * pair + 2]
    curves = network_arrays.wave_curves_figure(wave_pair, names[: wave_pair.shape[1]], titles[0])
    outputs.figure(say, curves, "inside-curves", say("inside.curves_alt", column=2 * pair))
    length = say.number(wavelength(2 * pair, size), 1)
    st.caption(say("inside.waves_note", size=size, column=2 * pair, length=length))
    kind = shelf_models.reader(view.entry).config.position_embedding_type
    st.caption(say(f"inside.positions_{kind}"))
    outputs.csv(say, lambda: pd.DataFrame(table), "inside-waves")


def draw_sum(view: EncoderView) -> None:
    """Draw the three rows of one token, their sum, and the sum normed; then all tokens."""
    say, walk = view.page.say, view.walk
    parts = ("token_rows", "segment_rows", "position_rows", "total", "normed")
    named = {say(f"inside.{part}"): getattr(walk, part) for part in parts}
    view.draw_parts(named, "sum", view.followed)
    st.caption(say("inside.sum_note"))
    view.draw_shades(walk.normed, "sum-all", say("inside.normed"))
    if walk.states.shape[2] != walk.normed.shape[1]:
        sizes = {"narrow": walk.normed.shape[1], "wide": walk.states.shape[2]}
        st.caption(say("inside.widened", **sizes))


def show_word_order(view: EncoderView) -> None:
    """Let two words be chosen, and draw how each token's last vector changes."""
    say, words = view.page.say, ask(NetworkVerbs.words_with_tokens, view.entry, view.text)
    if len(words) < 2:
        st.info(say("inside.order_few"))
        return
    labels = {str(i): f"{i + 1} · {word}" for i, word in enumerate(words)}
    with st.container(horizontal=True):
        first = int(inputs.pick(say, "inside_first", [*labels][1:] + [*labels][:1], labels))
        second = int(inputs.pick(say, "inside_second", [*labels][::-1], labels))
    if first == second:
        st.info(say("inside.order_same"))
        return
    swap = ask(NetworkVerbs.swap_words, view.entry, view.text, first, second)
    st.markdown(outputs.plain(" ".join(swap.tokens[1:-1])))
    st.markdown(outputs.plain(" ".join(swap.swapped[1:-1])))
    names = (say("inside.with_positions"), say("inside.without"))
    series = list(zip(names, (swap.with_positions, swap.without), strict=True))
    figure = network_arrays.word_swap_figure(swap.tokens, series, say("inside.swap_axis"))
    alt = say("inside.swap_alt", first=words[first], second=words[second])
    outputs.figure(say, figure, "inside-swap", alt)
    st.caption(say("inside.order_note"))
    rows = {say("inside.token"): list(swap.tokens), **dict(series)}
    outputs.csv(say, lambda: pd.DataFrame(rows), "inside-swap")


def draw_projections(view: EncoderView) -> None:
    """Draw queries, keys and values of a head."""
    say, head = view.page.say, view.walk.at_head
    for part in ("query", "key", "value"):
        view.draw_columns(getattr(head, part), part, say(f"inside.{part}"))
    st.caption(say("inside.projections_note", size=head.query.shape[1]))


def draw_scores(view: EncoderView) -> None:
    """Draw the score matrix at a stage, and one token's row at all stages."""
    head = view.walk.at_head
    view.draw_stage(head, "inside", ("scores", "scaled", "weights"), "")
    view.show_score_row(head, view.tokens, "inside-row", view.tokens[view.token])


def draw_heads(view: EncoderView) -> None:
    """Draw the output of one head, all heads side by side, and their output projection."""
    say, layer, head = view.page.say, view.walk.at_layer, view.walk.at_head
    view.draw_columns(head.mixed, "mixed", say("inside.mixed", head=view.walk.head))
    size = head.mixed.shape[1]
    view.draw_shades(layer.joined, "joined", say("inside.joined"), every=size)
    st.caption(say("inside.joined_note", heads=layer.joined.shape[1] // size, size=size))
    view.draw_columns(layer.attention.change, "attended", say("inside.attended"))


def draw_residual(view: EncoderView) -> None:
    """Draw one token: what entered, what attention adds, the sum, the norm of it."""
    say, layer = view.page.say, view.walk.at_layer
    names = ("input", "attended", "first_sum", "first_norm")
    _draw_part(view, layer.attention, names, "residual")
    mean, spread = (say.number(float(value), 3) for value in layer.moments[view.token])
    st.caption(say("inside.residual_note", mean=mean, spread=spread))
    view.draw_shades(layer.attention.output, "first-norm", say("inside.first_norm"))


def draw_feed_forward(view: EncoderView) -> None:
    """Draw the wide inner layer, then one token through the block."""
    say, layer = view.page.say, view.walk.at_layer
    view.draw_shades(layer.inner, "inner", say("inside.inner"))
    view.draw_columns(layer.inner, "inner-columns", say("inside.inner"))
    st.caption(say("inside.inner_note", size=layer.inner.shape[1]))
    _draw_part(view, layer.forward, ("first_norm", "outer", "second_sum", "output"), "forward")


def _draw_part(view: EncoderView, part: PartWalk, names: Sequence[str], key: str) -> None:
    """Draw what enters a part of a layer, what it adds, the sum and its norm, for the token that is followed."""
    arrays = (part.input, part.change, part.sum, part.output)
    said = (view.page.say(f"inside.{name}") for name in names)
    view.draw_parts(dict(zip(said, arrays, strict=True)), key, view.followed)


def draw_layers(view: EncoderView) -> None:
    """Draw the layer's output."""
    say, layer = view.page.say, view.walk.layer
    view.draw_columns(view.walk.states[layer], "output", say("inside.output"))
    st.caption(say("inside.layers_note", layer=layer))


def show_predictions(view: EncoderView) -> None:
    """List the likeliest token at each position from each layer's states."""
    say, walk = view.page.say, view.walk
    if not walk.guesses:
        st.info(say("inside.no_head"))
        return
    names = [say("inside.layer_number", number=i) for i in range(len(walk.guesses))]
    columns: dict[str, Sequence[str]] = {say("inside.token"): walk.tokens}
    for name, guesses in zip(names, walk.guesses, strict=True):
        best = [likeliest[0] for likeliest in guesses]
        columns[name] = [f"{guess.token} ({say.percent(guess.probability)})" for guess in best]
    st.dataframe(pd.DataFrame(columns), hide_index=True, width="stretch")
    st.caption(say("inside.lens_note"))
    outputs.csv(say, lambda: guess_rows(say, walk), "inside-lens")


def guess_rows(say: Wording, walk: Walk) -> pd.DataFrame:
    """Return all guesses at each token from each layer's states, with full precision."""
    rows = (
        (position, token, layer, rank, guess.token, guess.probability)
        for layer, guesses in enumerate(walk.guesses)
        for position, token in enumerate(walk.tokens)
        for rank, guess in enumerate(guesses[position], 1)
    )
    where = ("inside.position", "inside.token", "fill.layer_column")
    return say.table(rows, *where, "common.rank", "common.word", "inside.probability")


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
        counts = {name: network[kind] for name, network in networks.items()}
        with st.container(horizontal=True):
            for name, parts in counts.items():
                st.metric(name, say.number(sum(parts.values())))
        names = {part: say(f"part.{part}") for part in counts["BERT"]}
        figure = network_arrays.network_costs_figure(counts, names)
        outputs.figure(say, figure, f"inside-{kind}", say(f"inside.{kind}_alt"))
        st.caption(say(f"inside.{kind}_note", length=length, narrow=narrow))
        rows = pd.DataFrame(counts).rename(index=names).reset_index(names=say("inside.part"))
        outputs.csv(say, rows.copy, f"inside-{kind}")


ENCODER_STEPS = {
    "tokens": WalkStep(show_tokens),
    "embeddings": WalkStep(draw_embeddings, "columns"),
    "positions": WalkStep(show_positions),
    "sum": WalkStep(draw_sum, "token columns"),
    "projections": WalkStep(draw_projections, "layer head columns"),
    "scores": WalkStep(draw_scores, "layer head token"),
    "heads": WalkStep(draw_heads, "layer head columns"),
    "residual": WalkStep(draw_residual, "layer token columns"),
    "forward": WalkStep(draw_feed_forward, "layer token columns"),
    "layers": WalkStep(draw_layers, "layer columns"),
    "back": WalkStep(show_predictions),
    "order": WalkStep(show_word_order),
    "costs": WalkStep(show_network_costs),
}


def _labels(walk: Walk) -> dict[str, str]:
    """Return the tokens that can be followed, those that stand for nothing of the sentence last."""
    last = len(walk.tokens) - 1
    return {str(i): f"{i} · {walk.tokens[i]}" for i in (*range(1, last), 0, last)}


ENCODER = Half(
    "inside",
    ENCODER_STEPS,
    NetworkVerbs,
    tokens=lambda walk: walk.tokens,
    labels=_labels,
    width=lambda config, step: config.intermediate_size if step == "forward" else config.width,
)

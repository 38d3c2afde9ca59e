"""Inside, the encoder: the steps in their order, what each asks for, and the input: tokens, ids, embeddings, positions."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.figures.network_arrays import (
    position_waves_figure,
    positions_figure,
    wave_curves_figure,
    word_swap_figure,
)
from app.loaders import shelf_models
from app.loaders.shelf_models import ask
from app.views.inside import encoder_layers
from app.views.inside.array_cells import Half, WalkStep, draw_columns, draw_parts, draw_shades
from app.views.inside.encoder_layers import EncoderView
from app.widgets import inputs, outputs
from embeddings.networks.sinusoidal_encoding import (
    cosines,
    number_positions,
    sinusoidal_encoding,
    wavelength,
)
from embeddings.probing.network_walks import Walk
from embeddings.verbs import NetworkVerbs

POSITIONS_SHOWN = 64  # positions of the figures
SHORT_SENTENCE, LONG_SENTENCE = 5, 9  # tokens of two sentences


def show_tokens(view: EncoderView) -> None:
    """Write each word with its tokens and their ids."""
    say, walk = view.page.say, view.walk
    words = ask(NetworkVerbs.words_with_tokens, view.entry, view.text)
    word_by_number = {
        number: word for number, word in zip(sorted(set(walk.words) - {-1}), words, strict=True)
    }
    rows = [
        {
            say("inside.position"): position,
            say("common.word"): word_by_number.get(word, "–"),
            say("inside.token"): token,
            say("inside.id"): number,
        }
        for position, (word, token, number) in enumerate(
            zip(walk.words, walk.tokens, walk.ids, strict=True)
        )
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="content")
    size = say.number(shelf_models.reader(view.entry).config.vocab_size)
    first_and_last = {
        "first": outputs.plain(walk.tokens[0]),
        "last": outputs.plain(walk.tokens[-1]),
    }
    counts = {
        "words": say("count.words", n=len(words)),
        "tokens": say("count.tokens", n=len(walk.tokens)),
    }
    st.caption(say("inside.tokens_note", size=size, **counts, **first_and_last))
    outputs.csv(say, lambda: pd.DataFrame(rows), "inside-tokens")


def draw_embeddings(view: EncoderView) -> None:
    """Draw the rows of the token embedding matrix, eight columns in numbers and all as shades."""
    say, walk = view.page.say, view.walk
    config = shelf_models.reader(view.entry).config
    draw_columns(view, walk.token_rows, "token-rows", say("inside.token_rows"))
    st.caption(say("inside.embeddings_note", rows=config.vocab_size, columns=config.width))
    draw_shades(view, walk.token_rows, "token-rows-all", say("inside.token_rows"))


def show_positions(view: EncoderView) -> None:
    """Draw the three parts."""
    _compare_codings(view)
    _draw_waves(view)
    _draw_similarities(view)


def _compare_codings(view: EncoderView) -> None:
    """Compare an index, a share of the sentence, and a wave."""
    say = view.page.say
    st.subheader(say("inside.plain_title"), anchor=False)
    st.markdown(say("inside.plain", short=SHORT_SENTENCE, long=LONG_SENTENCE))
    rows = [
        {
            say("inside.position"): index,
            say("inside.index"): str(index),
            say("inside.share_of", tokens=SHORT_SENTENCE): say.number(first, 2),
            say("inside.share_of", tokens=LONG_SENTENCE): say.number(second, 2),
            say("inside.wave"): say.number(wave, 2),
        }
        for index, first, second, wave in number_positions(SHORT_SENTENCE, LONG_SENTENCE, 64)
    ]
    outputs.written_table(pd.DataFrame(rows).set_index(say("inside.position")))


def _draw_waves(view: EncoderView) -> None:
    """Draw the waves as cells, and one pair of columns as curves."""
    say, size = view.page.say, ask(NetworkVerbs.positions, view.entry).table.shape[1]
    st.subheader(say("inside.waves_title"), anchor=False)
    pair = inputs.number(say, "inside_wave", 4, 0, max(1, (size - 1) // 2))
    table = sinusoidal_encoding(POSITIONS_SHOWN, size)
    titles = (say("inside.position"), say("inside.column"))
    figure = position_waves_figure(table, titles, 2 * pair)
    outputs.figure(say, figure, "inside-waves", say("inside.waves_alt", size=size))
    names = (say("inside.sine", column=2 * pair), say("inside.cosine", column=2 * pair + 1))
    wave_pair = table[:, 2 * pair : 2 * pair + 2]
    curves = wave_curves_figure(wave_pair, names[: wave_pair.shape[1]], titles[0])
    outputs.figure(say, curves, "inside-curves", say("inside.curves_alt", column=2 * pair))
    length = say.number(wavelength(2 * pair, size), 1)
    st.caption(say("inside.waves_note", size=size, column=2 * pair, length=length))
    outputs.csv(say, lambda: pd.DataFrame(table), "inside-waves")


def _draw_similarities(view: EncoderView) -> None:
    """Draw the cosines of positions: of the waves, and of the table that the network learned."""
    say, positions = view.page.say, ask(NetworkVerbs.positions, view.entry)
    st.subheader(say("inside.likeness_title"), anchor=False)
    count = min(POSITIONS_SHOWN, len(positions.table))
    tables = [("inside.of_waves", cosines(sinusoidal_encoding(count, positions.table.shape[1])))]
    if positions.learned:
        tables.append(("inside.of_learned", cosines(positions.table)[:count, :count]))
    for column, (key, similarities) in zip(st.columns(len(tables)), tables, strict=True):
        with column:
            title = say(key, model=view.entry.name)
            figure = positions_figure(similarities, ("", say("inside.position")), title)
            outputs.figure(
                say, figure, key.replace(".", "-"), say("inside.likeness_alt", what=title)
            )
    st.caption(say("inside.likeness_learned" if positions.learned else "inside.likeness_waves"))


def draw_sum(view: EncoderView) -> None:
    """Draw the three rows of one token, their sum, and the sum normed; then all tokens."""
    say, walk = view.page.say, view.walk
    parts = ("token_rows", "segment_rows", "position_rows", "total", "normed")
    named = {say(f"inside.{part}"): getattr(walk, part) for part in parts}
    draw_parts(view, named, "sum", view.followed)
    st.caption(say("inside.sum_note"))
    draw_shades(view, walk.normed, "sum-all", say("inside.normed"))
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
    figure = word_swap_figure(swap.tokens, series, say("inside.swap_axis"))
    alt = say("inside.swap_alt", first=words[first], second=words[second])
    outputs.figure(say, figure, "inside-swap", alt)
    st.caption(say("inside.order_note"))
    rows = {say("inside.token"): list(swap.tokens), **dict(series)}
    outputs.csv(say, lambda: pd.DataFrame(rows), "inside-swap")


ENCODER_STEPS = {
    "tokens": WalkStep(show_tokens),
    "embeddings": WalkStep(draw_embeddings, r"e_t = E[\mathrm{id}_t]", "columns"),
    "positions": WalkStep(
        show_positions,
        r"PE_{(p,\,2i)} = \sin\!\left(p / 10000^{2i/H}\right), \qquad"
        r" PE_{(p,\,2i+1)} = \cos\!\left(p / 10000^{2i/H}\right)",
    ),
    "sum": WalkStep(draw_sum, r"x_t = \mathrm{norm}(e_t + s_t + p_t)", "token columns"),
    "projections": WalkStep(
        encoder_layers.draw_projections,
        r"Q = X W_Q + b_Q, \quad K = X W_K + b_K, \quad V = X W_V + b_V",
        "layer head columns",
    ),
    "scores": WalkStep(
        encoder_layers.draw_scores,
        r"A = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d}}\right), \qquad"
        r" a_{ij} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}",
        "layer head token",
    ),
    "heads": WalkStep(
        encoder_layers.draw_heads,
        r"\mathrm{head}_h = A_h V_h, \qquad"
        r" \mathrm{attention}(X) = [\mathrm{head}_1 \dots \mathrm{head}_{H/d}]\, W_O + b_O",
        "layer head columns",
    ),
    "residual": WalkStep(
        encoder_layers.draw_residual,
        r"y = \mathrm{norm}(x + \mathrm{attention}(x)), \qquad"
        r" \mathrm{norm}(z) = \gamma\, \frac{z - \mu}{\sigma} + \beta",
        "layer token columns",
    ),
    "forward": WalkStep(
        encoder_layers.draw_feed_forward,
        r"\mathrm{FFN}(y) = \mathrm{act}(y W_1 + b_1) W_2 + b_2, \qquad"
        r" x' = \mathrm{norm}(y + \mathrm{FFN}(y))",
        "layer token columns",
    ),
    "layers": WalkStep(
        encoder_layers.draw_layers, r"X^{(0)} \to X^{(1)} \to \dots \to X^{(L)}", "layer columns"
    ),
    "back": WalkStep(
        encoder_layers.show_predictions,
        r"P(\text{token} \mid x) = \mathrm{softmax}\!\left("
        r"E\, \mathrm{norm}(\mathrm{act}(x W + b)) + c\right)",
        "token",
    ),
    "order": WalkStep(show_word_order),
    "costs": WalkStep(
        encoder_layers.show_network_costs,
        r"P_\ell = 12 H^2 + 13 H, \qquad M_\ell = n H (12 H + 2 n)",
    ),
}


def _labels(walk: Walk) -> dict[str, str]:
    """Return the tokens that can be followed, those that stand for nothing of the sentence last."""
    last = len(walk.tokens) - 1
    return {str(i): f"{i} · {walk.tokens[i]}" for i in (*range(1, last), 0, last)}


ENCODER = Half(
    "inside",
    ("inside_layer", "inside_head", "inside_token", "inside_from"),
    ENCODER_STEPS,
    NetworkVerbs,
    config=lambda entry: shelf_models.reader(entry).config,
    tokens=lambda walk: walk.tokens,
    labels=_labels,
    width=lambda config, step: config.intermediate_size if step == "forward" else config.width,
)

"""Inside: why a plain index would not do, the waves, and the positions that the network learned.

Inside: from words to tokens and ids, the rows of the tables, and their sum.
Inside: the same sentence with two words exchanged, with and without positions.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from app.figures.network_arrays import (
    position_similarity_figure,
    position_waves_figure,
    wave_curves_figure,
    word_swap_figure,
)
from app.loaders import network_answers, shelf_models
from app.views.inside.array_cells import EncoderView, whole, window
from app.widgets import inputs, outputs
from embeddings.analysis.positional_encoding import cosines, number_positions
from embeddings.transformer.sinusoidal_encoding import sinusoidal_encoding, wavelength


def tokens(at: EncoderView) -> None:
    """Write each word with its tokens and their ids."""
    say, found = at.page.say, at.found
    words = network_answers.sentence_words(at.entry, at.text)
    place = {
        number: word for number, word in zip(sorted(set(found.words) - {-1}), words, strict=True)
    }
    rows = [
        {
            say("inside.position"): position,
            say("common.word"): place.get(word, "–"),
            say("inside.token"): token,
            say("inside.id"): number,
        }
        for position, (word, token, number) in enumerate(
            zip(found.words, found.tokens, found.ids, strict=True)
        )
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="content")
    size = say.number(shelf_models.reader(at.entry).config.vocab_size)
    ends = {"first": outputs.plain(found.tokens[0]), "last": outputs.plain(found.tokens[-1])}
    numbers = {"size": size, "tokens": len(found.tokens), "words": len(words)}
    st.caption(say("inside.tokens_note", **numbers, **ends))
    outputs.csv(say, pd.DataFrame(rows), "inside-tokens")


def embeddings(at: EncoderView) -> None:
    """Draw the rows of the token table, eight columns in numbers and all as shades."""
    say, found = at.page.say, at.found
    config = shelf_models.reader(at.entry).config
    sizes = {"rows": say.number(config.vocab_size), "columns": say.number(config.width)}
    window(at, found.token_rows, found.tokens, "token-rows", say("inside.token_rows"))
    st.caption(say("inside.embeddings_note", **sizes))
    whole(at, found.token_rows, "token-rows-all", say("inside.token_rows"))


def total(at: EncoderView) -> None:
    """Draw the three rows of one token, their sum, and the sum normed; then all tokens."""
    say, found, token = at.page.say, at.found, at.token
    parts = ("token_rows", "segment_rows", "position_rows", "total", "normed")
    values = np.stack([getattr(found, part)[token] for part in parts])
    names = [say(f"inside.{part}") for part in parts]
    window(at, values, names, "sum", f"{token} · {found.tokens[token]}")
    st.caption(say("inside.sum_note"))
    whole(at, found.normed, "sum-all", say("inside.normed"))
    if found.states.shape[2] != found.normed.shape[1]:
        sizes = {"narrow": found.normed.shape[1], "wide": found.states.shape[2]}
        st.caption(say("inside.widened", **sizes))


def show_order(at: EncoderView) -> None:
    """Let two words be chosen, and draw how each token's last vector changes."""
    say, words = at.page.say, network_answers.sentence_words(at.entry, at.text)
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
    found = network_answers.swapped_words(at.entry, at.text, first, second)
    st.markdown(outputs.plain(" ".join(found.tokens[1:-1])))
    st.markdown(outputs.plain(" ".join(found.swapped[1:-1])))
    names = (say("inside.with_positions"), say("inside.without"))
    series = list(zip(names, (found.with_positions, found.without), strict=True))
    drawn = word_swap_figure(found.tokens, series, say("inside.swap_axis"), say.separators)
    alt = say("inside.swap_alt", first=words[first], second=words[second])
    outputs.figure(say, drawn, "inside-swap", alt)
    st.caption(say("inside.order_note"))
    rows = {say("inside.token"): list(found.tokens), **dict(series)}
    outputs.csv(say, pd.DataFrame(rows), "inside-swap")


SHOWN = 64  # positions of the figures
SHORT, LONG = 5, 9  # tokens of two sentences


def show_positions(at: EncoderView) -> None:
    """Draw the three parts."""
    _plain(at)
    _waves(at)
    _likeness(at)


def _plain(at: EncoderView) -> None:
    """Compare an index, a share of the sentence, and a wave."""
    say = at.page.say
    st.subheader(say("inside.plain_title"), anchor=False)
    st.markdown(say("inside.plain", short=SHORT, long=LONG))
    rows = [
        {
            say("inside.position"): index,
            say("inside.index"): str(index),
            say("inside.share_of", tokens=SHORT): say.number(first, 2),
            say("inside.share_of", tokens=LONG): say.number(second, 2),
            say("inside.wave"): say.number(wave, 2),
        }
        for index, first, second, wave in number_positions(SHORT, LONG, 64)
    ]
    st.table(pd.DataFrame(rows).set_index(say("inside.position")))


def _waves(at: EncoderView) -> None:
    """Draw the waves as cells, and one pair of columns as curves."""
    say, size = at.page.say, network_answers.position_table(at.entry).table.shape[1]
    st.subheader(say("inside.waves_title"), anchor=False)
    pair = inputs.number(say, "inside_wave", 4, 0, max(1, (size - 1) // 2))
    table = sinusoidal_encoding(SHOWN, size)
    titles = (say("inside.position"), say("inside.column"))
    drawn = position_waves_figure(table, titles, 2 * pair, say.separators)
    outputs.figure(say, drawn, "inside-waves", say("inside.waves_alt", size=size))
    names = (say("inside.sine", column=2 * pair), say("inside.cosine", column=2 * pair + 1))
    two = table[:, 2 * pair : 2 * pair + 2]
    curves = wave_curves_figure(two, names[: two.shape[1]], titles[0], say.separators)
    outputs.figure(say, curves, "inside-curves", say("inside.curves_alt", column=2 * pair))
    length = say.number(wavelength(2 * pair, size), 1)
    st.caption(say("inside.waves_note", size=size, column=2 * pair, length=length))
    outputs.csv(say, pd.DataFrame(table), "inside-waves")


def _likeness(at: EncoderView) -> None:
    """Draw the cosines of positions: of the waves, and of the table that the network learned."""
    say, own = at.page.say, network_answers.position_table(at.entry)
    st.subheader(say("inside.likeness_title"), anchor=False)
    count = min(SHOWN, len(own.table))
    sides = [("inside.of_waves", cosines(sinusoidal_encoding(count, own.table.shape[1])))]
    if own.learned:
        sides.append(("inside.of_learned", cosines(own.table)[:count, :count]))
    for column, (key, near) in zip(st.columns(len(sides)), sides, strict=True):
        with column:
            title = say(key, model=at.entry.name)
            drawn = position_similarity_figure(near, title, say("inside.position"), say.separators)
            outputs.figure(
                say, drawn, key.replace(".", "-"), say("inside.likeness_alt", what=title)
            )
    st.caption(say("inside.likeness_learned" if own.learned else "inside.likeness_waves"))

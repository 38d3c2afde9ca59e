"""Inside: from words to tokens and ids, the rows of the tables, and their sum."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from app import network_resources, resources
from app.views.sections.inside_cells import At, whole, window
from app.widgets import outputs


def tokens(at: At) -> None:
    """Write each word with its tokens and their ids."""
    say, found = at.here.say, at.found
    words = network_resources.sentence_words(at.entry, at.text)
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
    size = say.number(resources.reader(at.entry).config.vocab_size)
    ends = {"first": outputs.plain(found.tokens[0]), "last": outputs.plain(found.tokens[-1])}
    numbers = {"size": size, "tokens": len(found.tokens), "words": len(words)}
    st.caption(say("inside.tokens_note", **numbers, **ends))
    outputs.csv(say, pd.DataFrame(rows), "inside-tokens")


def embeddings(at: At) -> None:
    """Draw the rows of the token table, eight columns in numbers and all as shades."""
    say, found = at.here.say, at.found
    config = resources.reader(at.entry).config
    sizes = {"rows": say.number(config.vocab_size), "columns": say.number(config.width)}
    window(at, found.token_rows, found.tokens, "token-rows", say("inside.token_rows"))
    st.caption(say("inside.embeddings_note", **sizes))
    whole(at, found.token_rows, "token-rows-all", say("inside.token_rows"))


def total(at: At) -> None:
    """Draw the three rows of one token, their sum, and the sum normed; then all tokens."""
    say, found, token = at.here.say, at.found, at.token
    parts = ("token_rows", "segment_rows", "position_rows", "total", "normed")
    values = np.stack([getattr(found, part)[token] for part in parts])
    names = [say(f"inside.{part}") for part in parts]
    window(at, values, names, "sum", f"{token} · {found.tokens[token]}")
    st.caption(say("inside.sum_note"))
    whole(at, found.normed, "sum-all", say("inside.normed"))
    if found.states.shape[2] != found.normed.shape[1]:
        sizes = {"narrow": found.normed.shape[1], "wide": found.states.shape[2]}
        st.caption(say("inside.widened", **sizes))

"""Cached answers of a network on one text: its attention, its guesses, and every step inside."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import streamlit as st

from app.loaders import shelf_models
from embeddings import shelf
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.attention_view.payload import Panel
    from embeddings.results.attention_map import AttentionMap
    from embeddings.results.network_walks import Positions, Swap, Walk
    from embeddings.results.word_contexts import Filled


@st.cache_resource(show_spinner=False)
def sentence_pairs() -> tuple[dict[str, str], ...]:
    """Return the example sentences of the pages on networks: language, first, second, blank."""
    path = shelf.data() / "contexts" / "examples.toml"
    pairs = tomllib.loads(path.read_text(encoding="utf-8"))["pair"]
    return tuple({name: str(value) for name, value in pair.items()} for pair in pairs)


@st.cache_resource(max_entries=4, show_spinner=False)
def attention(entry: Entry, first: str, second: str) -> AttentionMap:
    """Return the attention of a text in a network, all heads."""
    from embeddings.probing.attention_weights import attention as look

    return look(shelf_models.reader(entry), first, second)


@st.cache_resource(max_entries=6, show_spinner=False)
def attention_panel(
    entry: Entry, texts: tuple[str, str], level: str, special: str, sentences: str
) -> Panel:
    """Return the attention of a text as it is shown, with what each head does."""
    from embeddings.attention_view.payload import Panel
    from embeddings.probing.attention_maps import head_profiles, prepare

    found = attention(entry, *texts)
    shown = prepare(found, level=level, special=special, sentences=sentences)
    key = str((entry.path, texts, level, special, sentences))
    return Panel(shown, head_profiles(found), " ".join(filter(None, texts)), key)


@st.cache_resource(max_entries=64, show_spinner=False)
def filled(
    entry: Entry, text: str, second: str, words: tuple[str, ...], only_words: bool
) -> Filled:
    """Return what a network puts at each [MASK] of a text, and the probability of some words there."""
    from embeddings.probing.fill_mask import fill

    return fill(
        shelf_models.reader(entry), text, 20, second=second, words=words, only_words=only_words
    )


@st.cache_resource(max_entries=24, show_spinner=False)
def walked(entry: Entry, text: str, layer: int, head: int, masked: int | None = None) -> Walk:
    """Every array on a sentence's way through a network."""
    from embeddings.probing.encoder_walk import walk

    return walk(shelf_models.reader(entry), text, layer, head, masked=masked)


@st.cache_resource(max_entries=4, show_spinner=False)
def position_table(entry: Entry) -> Positions:
    """Vectors that a network adds for positions."""
    from embeddings.probing.encoder_walk import positions

    return positions(shelf_models.reader(entry))


@st.cache_resource(max_entries=24, show_spinner=False)
def swapped_words(entry: Entry, text: str, first: int, second: int) -> Swap:
    """Compare a sentence with the same after two words have changed places."""
    from embeddings.probing.encoder_walk import swap

    return swap(shelf_models.reader(entry), text, first, second)


@st.cache_resource(max_entries=24, show_spinner=False)
def sentence_words(entry: Entry, text: str) -> tuple[str, ...]:
    """Words of a sentence, as a network's tokenizer finds them."""
    from embeddings.probing.encoder_walk import words

    return words(shelf_models.reader(entry), text)


OF_THE_SHELF = (
    *(attention, attention_panel, filled),
    *(walked, position_table, swapped_words, sentence_words),
)

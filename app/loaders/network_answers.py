"""Cached answers of a network on one text: its attention, its guesses, and every step inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.answers import cached
from app.loaders import shelf_models
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.attention_view.payload import Panel
    from embeddings.results.ablations import GuessAblation, HeadEffects, Parts, Replacement
    from embeddings.results.attention_map import AttentionMap
    from embeddings.results.network_walks import Positions, Swap, Walk
    from embeddings.results.word_contexts import WordRemovals


@cached(64)
def attention(entry: Entry, first: str, second: str, measure: str = "weights") -> AttentionMap:
    """Return the attention of a text in a network, all heads; ``measure`` is "weights" or "norms"."""
    from embeddings.probing.attention_weights import attention as read_attention

    return read_attention(shelf_models.reader(entry), first, second, measure)


@cached(64)
def attention_panel(
    entry: Entry, texts: tuple[str, str], level: str, special: str, sentences: str, measure: str
) -> Panel:
    """Return the attention of a text as it is shown, with what each head does."""
    from embeddings.attention_view.payload import Panel
    from embeddings.probing.attention_maps import as_shares, head_profiles, prepare

    weights = attention(entry, *texts, measure)
    shown = prepare(weights, level=level, special=special, sentences=sentences)
    key = str((entry.stamp, texts, level, special, sentences, measure))
    return Panel(shown, head_profiles(as_shares(weights)), " ".join(filter(None, texts)), key)


@cached(12, is_heavy=True)
def word_removals(entry: Entry, text: str, word: str) -> WordRemovals:
    """Return what each word of a text does for the guess at its blank, beside the attention that it gets."""
    from embeddings.probing.word_removal import word_removals as remove_words

    return remove_words(shelf_models.reader(entry), text, word)


@cached(24)
def words_of_text(entry: Entry, text: str, second: str) -> tuple[str, ...]:
    """Return the words of a text as `ablated` counts them, signs included."""
    from embeddings.probing.ablated_answers import words_of_text as read_words

    return read_words(shelf_models.reader(entry), text, second)


@cached(24, is_heavy=True)
def ablated(
    entry: Entry, texts: tuple[str, str], parts: Parts, replacement: Replacement
) -> GuessAblation:
    """Return what a network says of a text (and what follows it) with all parts on and with some off."""
    from embeddings.probing.ablated_answers import ablate

    reader, (first, second) = shelf_models.reader(entry), texts
    return ablate(reader, first, parts, replacement, second=second, only_words=True)


@cached(24, is_heavy=True)
def head_effects(
    entry: Entry, texts: tuple[str, str], replacement: Replacement, token: str
) -> HeadEffects:
    """Return how much each head matters for a guess at the first [MASK], or for the sentence vector of a text without it."""
    from embeddings.probing.ablated_answers import head_effects as turn_each_off

    reader, (first, second) = shelf_models.reader(entry), texts
    return turn_each_off(reader, first, replacement, second=second, token=token)


@cached(24)
def walked(entry: Entry, text: str, layer: int, head: int, masked: int | None = None) -> Walk:
    """Return every array on a sentence's way through a network."""
    from embeddings.probing.encoder_walk import walk

    return walk(shelf_models.reader(entry), text, layer, head, masked=masked)


@cached(4)
def position_table(entry: Entry) -> Positions:
    """Return the vectors that a network adds for positions."""
    from embeddings.probing.encoder_walk import positions

    return positions(shelf_models.reader(entry))


@cached(24)
def swapped_words(entry: Entry, text: str, first: int, second: int) -> Swap:
    """Compare a sentence with the same after two words have changed places."""
    from embeddings.probing.encoder_walk import swap

    return swap(shelf_models.reader(entry), text, first, second)


@cached(24)
def sentence_words(entry: Entry, text: str) -> tuple[str, ...]:
    """Return the words of a sentence, as a network's tokenizer finds them."""
    from embeddings.probing.encoder_walk import words

    return words(shelf_models.reader(entry), text)

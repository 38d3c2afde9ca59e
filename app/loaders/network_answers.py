"""Attention of a network on one text, and its panel, kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.answers import cached
from app.loaders import shelf_models
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.attention_view.payload import Panel
    from embeddings.results.network_answers import AttentionMap


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

"""Costs of a BERT and of an ALBERT of one size, part by part, side by side."""

from __future__ import annotations

from dataclasses import replace

from embeddings.analysis.costs import Sizes, operations, parameters
from embeddings.results.inside import PartCosts

HEAD = 64  # columns of an attention head, as in the published sizes


def bert_and_albert(
    hidden_size: int,
    num_hidden_layers: int,
    *,
    vocab_size: int = 30_000,
    embedding_size: int = 128,
    sequence_length: int = 128,
) -> tuple[PartCosts, PartCosts]:
    """Count both networks: heads of 64 columns, inner width 4 times hidden_size, ALBERT sharing all layers.

    Returns
    -------
    tuple of PartCosts
        BERT, then ALBERT with token tables of ``embedding_size`` columns.

    Examples
    --------
    >>> [one.total_parameters for one in bert_and_albert(768, 12)]
    [109081344, 11683584]
    """
    bert = Sizes(
        vocab_size=vocab_size,
        hidden_size=hidden_size,
        num_hidden_layers=num_hidden_layers,
        num_attention_heads=max(1, hidden_size // HEAD),
        intermediate_size=4 * hidden_size,
    )
    albert = replace(bert, model_type="albert", embedding_size=embedding_size, share_layers="all")
    return _parts("BERT", bert, sequence_length), _parts("ALBERT", albert, sequence_length)


def _parts(name: str, sizes: Sizes, sequence_length: int) -> PartCosts:
    """Gather the counts under the names of the parts."""
    held, done = parameters(sizes), operations(sizes, sequence_length)
    return PartCosts(
        name,
        {
            "embeddings": held.embeddings,
            "attention": held.attention,
            "feed_forward": held.feed_forward,
            "pooler": held.pooler,
        },
        {
            "embeddings": done.embeddings,
            "projections": done.projections,
            "attention": done.attention,
            "feed_forward": done.feed_forward,
            "tokens": done.tokens,
            "pooler": done.pooler + done.sentence,
        },
        held.total,
        done.total,
    )

"""``klyuch costs``: parameters and operations of a network, by formula."""

from __future__ import annotations

from dataclasses import replace

import typer

from embeddings.analysis.network_costs import PRESETS, find_preset, operations, parameters
from embeddings.cli.nouns import verb
from embeddings.cli.output import emit, grid
from embeddings.errors import InputError
from embeddings.networks.bert_config import KAZAN


@verb("costs")
def costs(
    *,
    preset: str = typer.Option("bert-base", help=f"One of {', '.join(PRESETS)}."),
    num_hidden_layers: int | None = None,
    hidden_size: int | None = None,
    num_attention_heads: int | None = None,
    intermediate_size: int | None = None,
    embedding_size: int | None = None,
    vocab_size: int | None = None,
    max_position_embeddings: int | None = None,
    type_vocab_size: int | None = None,
    share_layers: str | None = None,
    sequence_length: int | None = None,
    as_json: bool = False,
) -> None:
    """Count parameters (with pooler, without heads; kazan-2019: all of it) and multiplications of one forward pass."""
    sizes_given = {
        "num_hidden_layers": num_hidden_layers,
        "hidden_size": hidden_size,
        "num_attention_heads": num_attention_heads,
        "intermediate_size": intermediate_size,
        "embedding_size": embedding_size,
        "vocab_size": vocab_size,
        "max_position_embeddings": max_position_embeddings,
        "type_vocab_size": type_vocab_size,
        "share_layers": share_layers,
    }
    settings = {name: value for name, value in sizes_given.items() if value is not None}
    if hidden_size is not None and intermediate_size is None:
        settings["intermediate_size"] = 4 * hidden_size
    sizes = replace(find_preset(preset), **settings)  # type: ignore[arg-type]
    most = sizes.max_position_embeddings
    length = most if sequence_length is None else sequence_length
    if length > most and sizes.model_type != KAZAN:  # its positions are waves, not a table
        raise InputError("costs_positions", length=length, rows=most)
    counted, multiplied = parameters(sizes), operations(sizes, length)
    value = {
        "parameters": counted.total,
        "operations": multiplied.total,
        "sequence_length": length,
        "parameter_parts": counted,
        "operation_parts": multiplied,
    }
    names = ("embeddings", "attention", "feed_forward", "pooler", "heads", "total")
    rows: list[tuple[object, ...]] = [
        (name, getattr(counted, name), getattr(multiplied, name, None)) for name in names
    ]
    emit(value, as_json, lambda: grid("part", "parameters", "operations", rows=rows))

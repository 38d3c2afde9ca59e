"""Where the heads of a network look in a text: the network is run once, every head is returned.

What is done with the map afterwards (words, hidden [CLS] and [SEP], rollout) is in
`embeddings.probing.attention_maps`.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import torch

from embeddings.errors import InputError
from embeddings.probing.network_with_tokenizer import Reader, pad, unknown_parts
from embeddings.results.attention_map import AttentionMap, Side
from embeddings.text.wordpiece import Tokens

_LETTER = r"[\w\u0300-\u036f\u00ad]"
_WORD = re.compile(rf"{_LETTER}+(?:['’‑-]{_LETTER}+)*")


def attention(reader: Reader, first: str, second: str = "") -> AttentionMap:
    """Run a text, or two sentences after each other, and return all attention weights.

    A text longer than the network takes loses its end, of two sentences the longer one first;
    ``truncated`` of the result counts the tokens lost.

    Parameters
    ----------
    reader : Reader
    first, second : str
        ``second`` may be empty.

    Raises
    ------
    InputError
        If ``first`` has no token, or ``second`` has text but no token.
    """
    tokens = reader.wordpiece.encode(first, second if second.strip() else None)
    special = {reader.wordpiece.cls_id, reader.wordpiece.sep_id}
    wanted = 2 if second.strip() else 1
    if len({s for i, s in zip(tokens.ids, tokens.segments, strict=True) if i not in special}) < (
        wanted
    ):
        raise InputError("attention_empty")
    fitting = shorten(tokens, special, reader.longest)
    ids, segments, real = pad(reader, [fitting])
    with torch.inference_mode():
        output = reader.network.encoder(ids, segments, real, need_weights=True)
        weights = torch.stack([layer[0] for layer in output.attentions]).float().cpu().numpy()
    side = side_of(fitting, (first, second), special)
    return AttentionMap(
        model=reader.name,
        from_side=side,
        to_side=side,
        weights=np.ascontiguousarray(weights, np.float32),
        heads=tuple(str(head + 1) for head in range(weights.shape[1])),
        truncated=len(tokens.ids) - len(fitting.ids),
        unknown=unknown_parts(reader, fitting, (first, second)),
        shared=reader.config.share_layers in ("all", "attention"),
    )


def shorten(tokens: Tokens, special: set[int], longest: int) -> Tokens:
    """Return the tokens that fit: of two sentences the longer loses its end first.

    Examples
    --------
    >>> pair = Tokens((2, 5, 6, 7, 3, 8, 3), tuple("Cabc|d|"), ((0, 0),) * 7, (0, 0, 0, 0, 0, 1, 1))
    >>> shorten(pair, {2, 3}, 6).tokens
    ('C', 'a', 'b', '|', 'd', '|')
    """
    over = len(tokens.ids) - longest
    if over <= 0:
        return tokens
    positions: tuple[list[int], list[int]] = ([], [])
    for position, (token, segment) in enumerate(zip(tokens.ids, tokens.segments, strict=True)):
        if token not in special:
            positions[segment].append(position)
    lost = set()
    for _ in range(over):
        longer = positions[0] if len(positions[0]) >= len(positions[1]) else positions[1]
        lost.add(longer.pop())
    remaining = [position for position in range(len(tokens.ids)) if position not in lost]
    return Tokens(
        tuple(tokens.ids[i] for i in remaining),
        tuple(tokens.tokens[i] for i in remaining),
        tuple(tokens.offsets[i] for i in remaining),
        tuple(tokens.segments[i] for i in remaining),
    )


def side_of(tokens: Tokens, texts: tuple[str, ...], special: set[int]) -> Side:
    """Join tokens to words: letters and digits, with the hyphens and apostrophes between them."""
    spans = [[match.span() for match in _WORD.finditer(text)] for text in texts]
    keys: list[object] = []
    for position, (token, (start, end), segment) in enumerate(
        zip(tokens.ids, tokens.offsets, tokens.segments, strict=True)
    ):
        inside = None if token in special else _span(spans[segment], start, end)
        keys.append(position if inside is None else (segment, inside))
    numbers, labels = [0], []
    for before, key in pairwise(keys):
        numbers.append(numbers[-1] + (key != before))
    for number in range(numbers[-1] + 1):
        positions = [position for position, word in enumerate(numbers) if word == number]
        start, end = tokens.offsets[positions[0]][0], tokens.offsets[positions[-1]][1]
        surface = texts[tokens.segments[positions[0]]][start:end].strip()
        labels.append(surface or tokens.tokens[positions[0]])
    return Side(
        labels=tokens.tokens,
        offsets=tokens.offsets,
        segments=tokens.segments,
        words=tuple(numbers),
        word_labels=tuple(labels),
        special=tuple(token in special for token in tokens.ids),
    )


def _span(spans: list[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """Return the word that shares a character with a token, or None."""
    return next((span for span in spans if span[0] < end and span[1] > start), None)

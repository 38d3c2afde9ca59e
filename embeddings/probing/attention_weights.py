"""Where the heads of a network look in a text: the network is run once, every head is returned.

What is done with the map afterwards (words, hidden [CLS] and [SEP], rollout) is in
`embeddings.probing.attention_maps`.

A weight says how large a share of a token's value vector is fetched, not how long that vector is. Norm-weighted attention is the length
of what is fetched: ||alpha f(x)|| with f(x) = (x W_V + b_V) W_O, W_O the head's rows of the output projection (Kobayashi et al. 2020).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from embeddings.configuration import check_choice
from embeddings.errors import InputError
from embeddings.networks.bert import Encoder
from embeddings.networks.layers import EncoderLayer
from embeddings.probing.attention_answers import ATTENTION_MEASURES, AttentionMap, Side
from embeddings.probing.network import Network, pad, unknown_parts
from embeddings.runtime import one_thread
from embeddings.text.tokenizer import Tokens

_LETTER = r"[\w\u0300-\u036f\u00ad]"
_WORD = re.compile(rf"{_LETTER}+(?:['’‑-]{_LETTER}+)*")


def attention(
    reader: Network, first: str, second: str = "", measure: str = "weights"
) -> AttentionMap:
    """Run a text, or two sentences after each other, and return all attention weights.

    A text longer than the network takes loses its end, of two sentences the longer one first;
    ``truncated`` of the result counts the tokens lost.

    Parameters
    ----------
    reader : Network
    first, second : str
        ``second`` may be empty.
    measure : {"weights", "norms"}
        Attention weights, or norm-weighted attention.

    Raises
    ------
    InputError
        If ``measure`` is neither, ``first`` has no token, or ``second`` has text but no token.

    References
    ----------
    Kobayashi et al. (2020), "Attention is Not Only a Weight: Analyzing Transformers with Vector Norms", section 2.
    """
    check_choice("measure", measure, ATTENTION_MEASURES)
    tokens = reader.wordpiece.encode(first, second if second.strip() else None)
    special = {reader.wordpiece.cls_id, reader.wordpiece.sep_id}
    pairs = zip(tokens.ids, tokens.segments, strict=True)
    if len({segment for token, segment in pairs if token not in special}) < 1 + bool(
        second.strip()
    ):
        raise InputError("attention_empty")
    fitting = shorten(tokens, special, reader.longest)
    ids, segments, real = pad(reader, [fitting])
    with torch.inference_mode(), one_thread():
        encoder, norms = reader.network.encoder, measure == "norms"
        output = encoder(ids, segments, real, need_states=norms, need_weights=True)
        weights = torch.stack([layer[0] for layer in output.attentions]).float()
        if norms:
            weights = weights * fetched_norms(encoder, output.hidden_states)[:, :, None]
    side = side_of(fitting, (first, second), special)
    return AttentionMap(
        model=reader.name,
        from_side=side,
        to_side=side,
        weights=np.ascontiguousarray(weights.cpu().numpy(), np.float32),
        heads=tuple(str(head + 1) for head in range(weights.shape[1])),
        truncated=len(tokens.ids) - len(fitting.ids),
        unknown=unknown_parts(reader, fitting, (first, second)),
        shared=reader.config.share_layers in ("all", "attention"),
        measure=measure,
    )


def fetched_norms(encoder: Encoder, states: Sequence[Tensor]) -> Tensor:
    """Return ||f(x)|| of each token in each head, (layers, heads, tokens), from the states of one text at every layer."""
    norms = []
    # the last state enters no layer
    for layer, hidden in zip(encoder.layers, states, strict=False):
        assert isinstance(layer, EncoderLayer)
        attention, entered = layer.attention.attention, layer.attention.entered(hidden[0])
        value = attention.query_key_value(entered).chunk(3, dim=-1)[2]
        by_head = value.view(len(value), attention.heads, -1).transpose(0, 1)  # (heads, T, d)
        rows = attention.output.weight.T.view(attention.heads, by_head.shape[-1], -1)
        norms.append((by_head @ rows).norm(dim=-1))
    return torch.stack(norms).float()


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
    lost = {max(positions, key=len).pop() for _ in range(over)}  # of equal ones the first
    return tokens.at(position for position in range(len(tokens.ids)) if position not in lost)


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


def words_of(side: Side) -> list[tuple[int, range]]:
    """Return number and token positions of each word of a side; special tokens are no words."""
    starts = [0, *(at for at, (a, b) in enumerate(pairwise(side.words), 1) if a != b)]
    words = enumerate(pairwise([*starts, len(side.words)]))
    return [(number, range(*ends)) for number, ends in words if not side.special[ends[0]]]


def _span(spans: list[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """Return the word that shares a character with a token, or None."""
    return next((span for span in spans if span[0] < end and span[1] > start), None)

"""A network taken apart: every step from a sentence to a guess, as numpy.

Decisions: each step is computed here from the network's own bricks, one after the other, and the
tests compute it again in plain numpy from the weights; layers and heads count from 1; nothing is
masked, for one sentence has no padding. Vaswani et al. (2017), section 3; Devlin et al. (2019).

`swap` shows what the order of the words changes: a sentence next to the same with two words exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.networks.layers import EncoderLayer
from embeddings.networks.modern_bert import ModernBert
from embeddings.probing.network import Network, mask_name, token_names
from embeddings.probing.network_walks import (
    AttentionWalk,
    LayerWalk,
    PartWalk,
    Positions,
    Swap,
    Walk,
)
from embeddings.probing.sentence_answers import Guess
from embeddings.runtime import one_thread
from embeddings.text.tokenizer import Tokens

TOP = 5  # guesses a token
_WORD = re.compile(r"\[MASK\]|[^\W_]+(?:['’-][^\W_]+)*")


def walk(
    reader: Network, text: str, layer: int = 1, head: int = 1, *, masked: int | None = None
) -> Walk:
    """Run a sentence through a network and return every array on the way.

    Parameters
    ----------
    reader : Network
    text : str
        One sentence.
    layer, head : int, default 1
        Which to take apart, from 1.
    masked : int, optional
        Position of a token that is replaced by [MASK] first.

    Returns
    -------
    Walk
        ``at_layer.forward.output`` equals ``states[layer]``.

    Raises
    ------
    InputError
        If the text has no token or more than the network takes; ``layer``, ``head`` or ``masked``
        out of range; or the network is a ModernBERT.
    """
    check_walkable(reader)
    config, tokens = reader.config, encode_sentence(reader, text)
    check_range("layer", layer, 1, config.num_hidden_layers)
    check_range("head", head, 1, config.num_attention_heads)
    names, input_ids = list(tokens.tokens), list(tokens.ids)
    if masked is not None:
        check_range("masked", masked, 1, len(input_ids) - 2)
        input_ids[masked], names[masked] = reader.wordpiece.mask_id, mask_name(reader)
    ids, segments = (
        torch.tensor([row], device=reader.device) for row in (input_ids, tokens.segments)
    )
    encoder = reader.network.encoder
    with torch.inference_mode(), one_thread():
        rows = _embedded(reader, ids, segments)
        output = encoder(ids, segments, need_states=True)
        states = torch.stack([state[0] for state in output.hidden_states])
        at_layer, at_head = _layer(reader, states[layer - 1], layer, head)
        guesses = _guesses(reader, states)
    token_rows, segment_rows, position_rows, total, normed = rows
    return Walk(
        model=reader.name,
        text=text,
        tokens=tuple(names),
        ids=tuple(input_ids),
        words=words_of(tokens, text),
        layer=layer,
        head=head,
        token_rows=token_rows,
        segment_rows=segment_rows,
        position_rows=position_rows,
        total=total,
        normed=normed,
        states=as_numpy(states),
        at_head=at_head,
        at_layer=at_layer,
        guesses=guesses,
    )


def check_walkable(reader: Network) -> None:
    """Raise `InputError` for a network whose steps are others than those that are taken here."""
    if isinstance(reader.network, ModernBert):
        raise InputError("inside_modern", name=reader.name)


def positions(reader: Network) -> Positions:
    """Return the vectors that a network adds for positions; raises as `check_walkable`."""
    check_walkable(reader)
    inputs = reader.network.encoder.inputs
    learned = inputs.positions is not None
    table = as_numpy(inputs.positions.weight if inputs.positions is not None else inputs.waves)
    return Positions(learned, table)


def words(reader: Network, text: str) -> tuple[str, ...]:
    """Return the words of a sentence that have tokens, in its order."""
    tokens = encode_sentence(reader, text)
    spans = _spans(text)
    present = set(words_of(tokens, text))
    return tuple(text[a:b] for number, (a, b) in enumerate(spans) if number in present)


def encode_sentence(reader: Network, text: str) -> Tokens:
    """Encode a sentence that is neither empty nor too long."""
    tokens = reader.wordpiece.encode(text.strip())
    if len(tokens.ids) < 3:
        raise InputError("inside_empty")
    if len(tokens.ids) > reader.longest:
        raise InputError("network_too_long", tokens=len(tokens.ids), bound=reader.longest)
    return tokens


def _spans(text: str) -> list[tuple[int, int]]:
    """Return where the words of a sentence stand."""
    return [match.span() for match in _WORD.finditer(text.strip())]


def words_of(tokens: Tokens, text: str) -> tuple[int, ...]:
    """Return the place of each token's word; -1 for special tokens and punctuation."""
    owner = [-1] * len(tokens.ids)
    for number, (start, end) in enumerate(_spans(text)):
        for position in tokens.covering(start, end):
            owner[position] = number
    return tuple(owner)


def _embedded(reader: Network, ids: Tensor, segments: Tensor) -> tuple[NDArray[np.float32], ...]:
    """Token, segment and position rows, their sum, and the sum normed."""
    inputs = reader.network.encoder.inputs
    token, segment = inputs.tokens(ids)[0], inputs.segments(segments)[0]
    table = inputs.positions.weight if inputs.positions is not None else inputs.waves
    position = table[: ids.shape[1]]
    total = token + segment + position
    normed = total if inputs.norm is None else inputs.norm(total)
    return tuple(as_numpy(part) for part in (token, segment, position, total, normed))


def _layer(
    reader: Network, hidden: Tensor, layer: int, head: int
) -> tuple[LayerWalk, AttentionWalk]:
    """Take one layer apart; ``hidden`` (T, H) enters it."""
    brick = cast(EncoderLayer, reader.network.encoder.layers[layer - 1])
    attention, forward = brick.attention.attention, brick.feed_forward.feed_forward
    parts = attention.query_key_value(hidden).chunk(3, dim=-1)
    heads, joined = walk_heads(parts, attention.heads)
    attended = attention.output(joined)
    between = brick.attention.norm(hidden + attended)
    inner = forward.activation(forward.inner(between))
    outer = forward.outer(inner)
    output = brick.feed_forward.norm(between + outer)
    of_layer = LayerWalk(
        walk_part(hidden, hidden, attended, between),
        as_numpy(joined),
        walk_part(between, between, outer, output),
        as_numpy(inner),
    )
    return of_layer, heads[head - 1]


def walk_part(entered: Tensor, given: Tensor, change: Tensor, output: Tensor) -> PartWalk:
    """Return one part of a layer and what stands around it; all (T, H)."""
    return PartWalk(*map(as_numpy, (entered, given, change, entered + change, output)))


def walk_heads(
    parts: tuple[Tensor, ...], heads: int, *, is_causal: bool = False
) -> tuple[list[AttentionWalk], Tensor]:
    """Take an attention apart, given queries, keys and values, each (tokens, H).

    Returns every head, and what they gathered side by side, (tokens, H).
    """
    query, key, value = (part.view(len(part), heads, -1).transpose(0, 1) for part in parts)
    scores = query @ key.transpose(1, 2)
    scaled = scores / query.shape[-1] ** 0.5
    masked = scaled
    if is_causal:
        right = torch.ones_like(scaled[0], dtype=torch.bool).triu(1)
        masked = scaled.masked_fill(right, float("-inf"))
    powers = (masked - masked.amax(-1, keepdim=True)).exp()
    weights = masked.softmax(-1)
    mixed = weights @ value
    arrays = (query, key, value, scores, scaled, masked, powers, weights, mixed)
    walks = [AttentionWalk(*map(as_numpy, of_head)) for of_head in zip(*arrays, strict=True)]
    return walks, mixed.transpose(0, 1).flatten(1)


def _guesses(reader: Network, states: Tensor) -> tuple[tuple[tuple[Guess, ...], ...], ...]:
    """Return what the MLM head reads from each state; the head was trained on the last alone."""
    if reader.network.tokens is None:
        return ()
    best = reader.network.tokens(states).softmax(-1).topk(TOP)
    names = token_names(reader)
    return tuple(
        tuple(
            tuple(
                Guess(names[i] if i < len(names) else "–", float(p))
                for i, p in zip(ids, values, strict=True)
            )
            for ids, values in zip(*layer, strict=True)
        )
        for layer in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    )


def as_numpy(tensor: Tensor) -> NDArray[np.float32]:
    """Return a tensor as a numpy array of its own."""
    return np.array(tensor.detach().float().cpu().numpy())


def swap(reader: Network, text: str, first: int, second: int) -> Swap:
    """Exchange two words of a sentence, by their places from 0, and compare what becomes of each token.

    Without positions the network cannot tell the two sentences apart: attention adds up over
    tokens in whatever order they stand, so every cosine is 1 but for rounding.

    Raises
    ------
    InputError
        If the text has fewer than two words; ``first`` and ``second`` out of range or equal.
    """
    tokens = encode_sentence(reader, text)
    owner = words_of(tokens, text)
    count = max(owner, default=-1) + 1
    if count < 2:
        raise InputError("inside_words", words=count)
    check_range("first", first, 0, count - 1)
    check_range("second", second, 0, count - 1)
    if first == second:
        raise InputError("inside_swap", place=first)
    order = _exchanged(owner, first, second)
    ids = [tokens.ids, tuple(tokens.ids[position] for position in order)]
    with_positions, without = (_last(reader, ids, flat=flat) for flat in (False, True))
    back = np.argsort(order)
    return Swap(
        tokens.tokens,
        tuple(tokens.tokens[position] for position in order),
        _cosines(with_positions[0], with_positions[1][back]),
        _cosines(without[0], without[1][back]),
    )


def _exchanged(owner: Sequence[int], first: int, second: int) -> list[int]:
    """Return the order of the tokens in which two words have changed places."""
    runs: list[list[int]] = []  # tokens of one word, or one other token
    for position, word in enumerate(owner):
        if runs and word >= 0 and owner[runs[-1][0]] == word:
            runs[-1].append(position)
        else:
            runs.append([position])
    run_of_word = {owner[run[0]]: number for number, run in enumerate(runs) if owner[run[0]] >= 0}
    a, b = run_of_word[first], run_of_word[second]
    runs[a], runs[b] = runs[b], runs[a]
    return [position for run in runs for position in run]


def _last(reader: Network, rows: Sequence[Sequence[int]], *, flat: bool) -> NDArray[np.float32]:
    """Return the last layer of sentences of one length; ``flat`` puts every token at position 0."""
    ids = torch.tensor([list(row) for row in rows], device=reader.device)
    position_ids = torch.zeros_like(ids[:1]) if flat else None
    with torch.inference_mode(), one_thread():
        return as_numpy(reader.network.encoder(ids, position_ids=position_ids).last)


def _cosines(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosine of each row with the same row of the other."""
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    cosines: NDArray[np.float32] = (first * second).sum(axis=1) / np.maximum(lengths, 1e-12)
    return cosines

"""A network taken apart: every step from a sentence to a guess, as numpy.

Decisions: each step is computed here from the network's own bricks, one after the other, and the
tests compute it again in plain numpy from the weights; layers and heads count from 1; nothing is
masked, for one sentence has no padding. Vaswani et al. (2017), section 3; Devlin et al. (2019).

`swap` shows what the order of the words changes: a sentence next to the same with two words exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from embeddings.arrays import Float32s
from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.networks.layers import EncoderLayer
from embeddings.networks.modern_bert import ModernBert
from embeddings.probing.attention_weights import side_of, words_of
from embeddings.probing.network import Network, check_fits, token_names
from embeddings.probing.network_walks import (
    AttentionWalk,
    LayerWalk,
    PartWalk,
    Swap,
    Walk,
)
from embeddings.probing.sentence_answers import Guess
from embeddings.runtime import one_thread
from embeddings.text.tokenizer import Tokens

GUESSES_PER_TOKEN = 5


def walk(reader: Network, text: str, layer: int = 1, head: int = 1) -> Walk:
    """Run a sentence through a network and return every array on the way.

    Parameters
    ----------
    reader : Network
    text : str
        One sentence.
    layer, head : int, default 1
        Which to take apart, from 1.

    Returns
    -------
    Walk
        ``at_layer.forward.output`` equals ``states[layer]``.

    Raises
    ------
    InputError
        If the text has no token or more than the network takes; ``layer`` or ``head`` out of range;
        or the network is a ModernBERT.
    """
    if isinstance(reader.network, ModernBert):
        raise InputError("inside_modern", name=reader.name)  # its steps are others
    config, tokens = reader.config, encode_sentence(reader, text)
    check_range("layer", layer, 1, config.num_hidden_layers)
    check_range("head", head, 1, config.num_attention_heads)
    owners = [-1] * len(tokens.ids)
    for place, (_, positions) in enumerate(_words(reader, tokens, text)):
        owners[positions.start : positions.stop] = [place] * len(positions)
    ids, segments = (
        torch.tensor([row], device=reader.device) for row in (tokens.ids, tokens.segments)
    )
    encoder = reader.network.encoder
    with torch.inference_mode(), one_thread():
        embedded = _embedded(reader, ids, segments)
        output = encoder(ids, segments, need_states=True)
        states = torch.stack([state[0] for state in output.hidden_states])
        at_layer, at_head = _layer(reader, states[layer - 1], layer, head)
        guesses = _guesses(reader, states)
    return Walk(
        model=reader.name,
        text=text,
        tokens=tokens.tokens,
        ids=tokens.ids,
        words=tuple(owners),
        layer=layer,
        head=head,
        **embedded,
        states=as_numpy(states),
        at_head=at_head,
        at_layer=at_layer,
        guesses=guesses,
    )


def words(reader: Network, text: str) -> tuple[str, ...]:
    """Return the words of a sentence that have tokens, in its order."""
    return tuple(word for word, _ in _words(reader, encode_sentence(reader, text), text))


def _words(reader: Network, tokens: Tokens, text: str) -> list[tuple[str, range]]:
    """Return each word of a sentence and the positions of its tokens; special tokens and punctuation are no words."""
    side = side_of(tokens, (text.strip(),), {reader.wordpiece.cls_id, reader.wordpiece.sep_id})
    named = [(side.word_labels[number], positions) for number, positions in words_of(side)]
    return [(label, positions) for label, positions in named if any(map(str.isalnum, label))]


def encode_sentence(reader: Network, text: str) -> Tokens:
    """Encode a sentence that is neither empty nor too long."""
    tokens = reader.wordpiece.encode(text.strip())
    if len(tokens.ids) < 3:
        raise InputError("inside_empty")
    return check_fits(reader, tokens)


def _embedded(reader: Network, ids: Tensor, segments: Tensor) -> dict[str, Float32s]:
    """Token, segment and position rows, their sum, and the sum normed, as a `Walk` names them."""
    inputs = reader.network.encoder.inputs
    token, segment = inputs.tokens(ids)[0], inputs.segments(segments)[0]
    position = _position_table(reader)[: ids.shape[1]]
    total = token + segment + position
    normed = total if inputs.norm is None else inputs.norm(total)
    names = ("token_rows", "segment_rows", "position_rows", "total", "normed")
    rows = (token, segment, position, total, normed)
    return dict(zip(names, map(as_numpy, rows), strict=True))


def _position_table(reader: Network) -> Tensor:
    """Return the vectors that are added for positions, learned or waves."""
    inputs = reader.network.encoder.inputs
    return inputs.positions.weight if inputs.positions is not None else inputs.waves


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
    best = reader.network.tokens(states).softmax(-1).topk(GUESSES_PER_TOKEN)
    names = token_names(reader)

    def named(ids: list[int], shares: list[float]) -> tuple[Guess, ...]:
        pairs = zip(ids, shares, strict=True)
        return tuple(Guess(names[i] if i < len(names) else "–", share) for i, share in pairs)

    layers = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return tuple(tuple(map(named, *layer)) for layer in layers)


def as_numpy(tensor: Tensor) -> Float32s:
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
    spans = [positions for _, positions in _words(reader, tokens, text)]
    if (count := len(spans)) < 2:
        raise InputError("inside_words", words=count)
    check_range("first", first, 0, count - 1)
    check_range("second", second, 0, count - 1)
    if first == second:
        raise InputError("inside_swap", place=first)
    a, b = spans[min(first, second)], spans[max(first, second)]
    end = len(tokens.ids)
    order = [*range(a.start), *b, *range(a.stop, b.start), *a, *range(b.stop, end)]
    ids = [tokens.ids, tuple(tokens.ids[position] for position in order)]
    last, back = (_last(reader, ids, flat=flat) for flat in (False, True)), np.argsort(order)
    cosines = (cosine_similarity(first, second[back], -1) for first, second in last)
    return Swap(
        tokens.tokens,
        tuple(tokens.tokens[position] for position in order),
        *map(as_numpy, cosines),
    )


def _last(reader: Network, rows: Sequence[Sequence[int]], *, flat: bool) -> Tensor:
    """Return the last layer of sentences of one length; ``flat`` puts every token at position 0."""
    ids = torch.tensor([list(row) for row in rows], device=reader.device)
    position_ids = torch.zeros_like(ids[:1]) if flat else None
    with torch.inference_mode(), one_thread():
        return reader.network.encoder(ids, position_ids=position_ids).last

"""A translation from inside: all its attentions, the candidates of every step, and the tree of its beam search.

`look_inside` returns all of it at once; `attention_map` turns one kind of attention into a map that the attention view draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from embeddings.arrays import Float32s
from embeddings.configuration import check_choice
from embeddings.errors import InputError
from embeddings.networks.decoding import (
    DecodingConfig,
    Hypothesis,
    Search,
    decoding,
    next_log_probabilities,
    search,
)
from embeddings.networks.encoder_decoder import END, START
from embeddings.probing.attention_weights import side_of
from embeddings.probing.network_answers import (
    ATTENTIONS,
    AttentionMap,
    BeamNode,
    BeamTree,
    DecodingStep,
    Side,
    TranslationAttention,
    TranslationInside,
)
from embeddings.probing.sentence_answers import Guess
from embeddings.probing.translator import Translator, check_text_fits, encode
from embeddings.runtime import one_thread
from embeddings.text.subwords import SPACE, SPECIAL
from embeddings.text.tokenizer import Tokens


def attention_of(translator: Translator, text: str, best: Hypothesis) -> TranslationAttention:
    """Return every attention of a source and a translation of it, given in ids."""
    return _read_again(translator, text, best)[0]


def _read_again(
    translator: Translator, text: str, best: Hypothesis
) -> tuple[TranslationAttention, Tensor]:
    """Run the decoder over a translation at once: every attention, and log p of each next token, (target, vocabulary)."""
    network, output_ids = translator.network, best.outputs
    (piece,), encoded = encode(translator, [text], need_weights=True)
    input_ids = torch.tensor([[START, *output_ids[:-1]]], device=translator.device)
    with torch.inference_mode():
        decoded = network.decode(input_ids, network.open(encoded), need_weights=True)
        log_probabilities = next_log_probabilities(network, decoded.hidden[0])
    picked = log_probabilities[range(len(output_ids)), list(output_ids)]
    target, tokens = _target(translator, output_ids)
    bert_side = bert_encoder = bert_decoder = None
    if translator.bert is not None:
        read = translator.bert.wordpiece.encode(piece.text)
        bert_side = _side([*zip(read.tokens, read.offsets, strict=True)], piece.text)
        bert_encoder = _stack(w.bert for w in encoded.weights)
        bert_decoder = _stack(w.bert for w in decoded.weights)
    attention = TranslationAttention(
        piece.text,
        target,
        _side([*zip(piece.tokens, piece.offsets, strict=True), (SPECIAL[END], (0, 0))], piece.text),
        _side([(SPECIAL[START], (0, 0)), *tokens[:-1]], target, is_target=True),
        _side(tokens, target, is_target=True),
        bert_side,
        _stack(w.self_attention for w in encoded.weights),
        _stack(w.self_attention for w in decoded.weights),
        _stack(w.cross for w in decoded.weights),
        bert_encoder,
        bert_decoder,
        picked.float().cpu().numpy(),
    )
    return attention, log_probabilities


def _stack(weights: Iterable[Tensor | None]) -> Float32s:
    """Return the weights of all layers of the only text, (layers, heads, from, to)."""
    return np.stack([layer[0].float().cpu().numpy() for layer in weights if layer is not None])


def _steps_of(
    translator: Translator, best: Hypothesis, log_probabilities: Tensor, topn: int
) -> tuple[DecodingStep, ...]:
    """Return the most probable next tokens at each step of a translation."""
    output_ids, probabilities = best.outputs, log_probabilities.exp()
    values, ids = probabilities.topk(min(topn, probabilities.shape[-1]))
    steps: list[DecodingStep] = []
    for step, word in enumerate(output_ids):
        candidates = tuple(
            Guess(translator.vocabulary.token(int(i)), float(p))
            for p, i in zip(values[step].tolist(), ids[step].tolist(), strict=True)
        )
        chosen = Guess(translator.vocabulary.token(word), float(probabilities[step, word]))
        steps.append(
            DecodingStep(translator.vocabulary.decode(output_ids[:step]), candidates, chosen)
        )
    return tuple(steps)


def one_text(translator: Translator, text: str) -> str:
    """Return the text if it can be read at once."""
    text = " ".join(text.split())
    if not text:
        raise InputError("translation_empty")
    return check_text_fits(translator, text)


def _target(
    translator: Translator, output_ids: Sequence[int]
) -> tuple[str, list[tuple[str, tuple[int, int]]]]:
    """Return the text of a translation, and its tokens with the characters that each covers."""
    text, tokens = "", []
    for number in output_ids:
        begin = end = 0
        token = translator.vocabulary.token(number)
        if number >= len(SPECIAL):
            text += token.replace(SPACE, " ")
            text = text.lstrip(" ")
            end = len(text)
            begin = end - len(token.lstrip(SPACE))
        tokens.append((token, (begin, end)))
    return text, tokens


def _nodes(translator: Translator, done: Search) -> tuple[BeamNode, ...]:
    """Return the search as a tree; a beginning's parent is the one in its place a step before."""
    nodes: list[BeamNode] = [BeamNode(0, SPECIAL[START], "", 0.0, -1, "kept", is_best=True)]
    paths: list[tuple[int, ...]] = [()]
    open_nodes = {0: 0}  # place in the beam -> node
    best = done.best.outputs
    for step, extensions in enumerate(done.steps, 1):
        still_open: dict[int, int] = {}
        for extension in extensions:
            parent = open_nodes[extension.parent]
            path = (*paths[parent], extension.token)
            state = "ended" if extension.token == END else "dropped"
            if extension.beam_row >= 0:
                state = "kept"
                still_open[extension.beam_row] = len(nodes)
            nodes.append(
                BeamNode(
                    step,
                    translator.vocabulary.token(extension.token),
                    translator.vocabulary.decode(path),
                    extension.score,
                    parent,
                    state,
                    is_best=path == best[:step],
                )
            )
            paths.append(path)
        open_nodes = still_open
    return tuple(nodes)


_SIGNS = {*SPECIAL, "[CLS]", "[SEP]"}


def look_inside(
    translator: Translator, text: str, config: DecodingConfig | int | None = None, topn: int = 10
) -> TranslationInside:
    """Translate a sentence and return everything on the way; torch uses one core.

    Raises
    ------
    InputError
        If the text is empty, or longer than the network takes at once.
    """
    with one_thread():
        _, encoded = encode(translator, [one_text(translator, text)])
        done = search(translator.network, encoded, decoding(config), trace=True)[0]
        attention, log_probabilities = _read_again(translator, text, done.best)
        steps = _steps_of(translator, done.best, log_probabilities, topn)
        ranked = sorted(done.hypotheses, key=lambda hypothesis: -hypothesis.score)
        decode = translator.vocabulary.decode
        endings = tuple((decode(hypothesis.ids), hypothesis.score) for hypothesis in ranked)
        tree = BeamTree(_nodes(translator, done), endings)
    words, shares = _source_attention(attention)
    unknown = tuple(dict.fromkeys(translator.vocabulary.encode(text).unknown))
    return TranslationInside(attention, steps, tree, words, shares, unknown)


def attention_map(attention: TranslationAttention, kind: str, model: str = "") -> AttentionMap:
    """Return one kind of a translation's attention as a map of all its layers and heads.

    Parameters
    ----------
    kind : str
        "cross" (target to source), "encoder" (source to itself), "decoder" (target to what stands before it),
        "bert_encoder" and "bert_decoder" (source and target to BERT's tokens, of a fused network).

    Raises
    ------
    InputError
        If the kind is not one of these, or the network is plain and has no BERT.
    """
    check_choice("kind", kind, ATTENTIONS)
    source, target = attention.source_side, attention.target_side
    sides: dict[str, tuple[Side, Side | None]] = {
        "cross": (target, source),
        "encoder": (source, source),  # one object where a text looks at itself
        "decoder": (attention.input_side, attention.input_side),
        "bert_encoder": (source, attention.bert_side),
        "bert_decoder": (target, attention.bert_side),
    }
    (from_side, to_side), weights = sides[kind], getattr(attention, kind)
    if to_side is None:
        raise InputError("translation_needs_bert")
    heads = tuple(str(head + 1) for head in range(weights.shape[1]))
    return AttentionMap(model, from_side, to_side, weights, heads)


def _side(
    tokens: Sequence[tuple[str, tuple[int, int]]], text: str, *, is_target: bool = False
) -> Side:
    """Join tokens, each with its characters, to words; the target is marked as the second text."""
    names, offsets = zip(*tokens, strict=True)
    is_sign = (name in _SIGNS and start == end for name, (start, end) in tokens)
    as_tokens = Tokens(tuple(map(int, is_sign)), names, offsets, segments=(0,) * len(tokens))
    return replace(side_of(as_tokens, (text,), {1}), segments=(int(is_target),) * len(tokens))


def _source_attention(attention: TranslationAttention) -> tuple[tuple[str, ...], Float32s]:
    """Return the source's words and how much each step looks at each of them."""
    side = attention.source_side
    layer = max(0, len(attention.cross) - 2)
    starts = np.flatnonzero(np.diff(np.array(side.words), prepend=-1))
    shares = np.add.reduceat(attention.cross[layer].mean(0), starts, axis=-1)
    return side.word_labels, shares.astype(np.float32)

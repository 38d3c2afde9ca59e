"""A translation from inside: all its attentions, the candidates of every step, and the tree of its beam search.

`look_inside` returns all of it at once; `attention_map` turns one kind of attention into a map that the attention view draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

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
from embeddings.networks.encoder_decoder import END, START, Decoded, Encoded
from embeddings.probing.attention_weights import side_of
from embeddings.probing.network_answers import (
    ATTENTIONS,
    AttentionMap,
    BeamNode,
    BeamTree,
    DecodingStep,
    Side,
    SideToken,
    TranslationAttention,
    TranslationInside,
)
from embeddings.probing.sentence_answers import Guess
from embeddings.probing.translator import Translator, encode
from embeddings.runtime import one_thread
from embeddings.text.subwords import SPACE, SPECIAL, Pieces
from embeddings.text.tokenizer import Tokens


def _searched(translator: Translator, text: str, config: DecodingConfig | int | None) -> Search:
    """Return the beam search of a sentence, with what every step kept."""
    _, encoded = encode(translator, [one_text(translator, text)])
    return search(translator.network, encoded, decoding(config), trace=True)[0]


def attention_of(translator: Translator, text: str, best: Hypothesis) -> TranslationAttention:
    """Return every attention of a source and a translation of it, given in ids."""
    (piece,), encoded = encode(translator, [text], need_weights=True)
    output_ids = decoder_outputs(best)
    decoded = _forced(translator, encoded, output_ids)
    target, target_tokens = _target(translator, output_ids)
    start = SideToken(SPECIAL[START], 0, 0)
    with torch.inference_mode():
        log_probabilities = next_log_probabilities(translator.network, decoded.hidden[0])
    picked = log_probabilities[range(len(output_ids)), list(output_ids)]
    return TranslationAttention(
        piece.text,
        target,
        _source_tokens(piece),
        (start, *target_tokens[:-1]),
        target_tokens,
        _bert_tokens(translator, piece.text),
        *_arrays(encoded, decoded),
        picked.float().cpu().numpy(),
    )


def _steps_of(
    translator: Translator, text: str, best: Hypothesis, topn: int
) -> tuple[DecodingStep, ...]:
    """Return the most probable next tokens at each step of a translation."""
    _, encoded = encode(translator, [one_text(translator, text)])
    output_ids = decoder_outputs(best)
    decoded = _forced(translator, encoded, output_ids)
    with torch.inference_mode():
        probabilities = next_log_probabilities(translator.network, decoded.hidden[0]).exp()
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
    if not translator.fits(text):
        raise InputError(
            "translation_long", line=1, tokens=translator.tokens(text), bound=translator.longest
        )
    return text


def decoder_outputs(best: Hypothesis) -> tuple[int, ...]:
    """Return the ids that the decoder predicts, the EOS token among them if it came."""
    return (*best.ids, END) if best.finished else best.ids


def _forced(translator: Translator, encoded: Encoded, output_ids: Sequence[int]) -> Decoded:
    """Run the decoder over a translation at once, with its weights."""
    input_ids = torch.tensor([[START, *output_ids[:-1]]], device=translator.device)
    network = translator.network
    with torch.inference_mode():
        return network.decode(input_ids, network.open(encoded), need_weights=True)


def _target(translator: Translator, output_ids: Sequence[int]) -> tuple[str, tuple[SideToken, ...]]:
    """Return the text of a translation and the characters that each token covers."""
    text = ""
    tokens: list[SideToken] = []
    for number in output_ids:
        token = translator.vocabulary.token(number)
        if number < len(SPECIAL):
            tokens.append(SideToken(token, 0, 0))
            continue
        written = token.replace(SPACE, " ")
        begin = len(text) + len(written) - len(written.lstrip(" "))
        text += written
        tokens.append(SideToken(token, begin, len(text)))
    first = len(text) - len(text.lstrip(" "))
    shifted = tuple(
        SideToken(t.token, max(0, t.start - first), max(0, t.end - first)) for t in tokens
    )
    return text.lstrip(" "), shifted


def _source_tokens(piece: Pieces) -> tuple[SideToken, ...]:
    """Return the source's subwords, and the EOS token."""
    subwords = (
        SideToken(token, *span) for token, span in zip(piece.tokens, piece.offsets, strict=True)
    )
    return (*subwords, SideToken(SPECIAL[END], 0, 0))


def _bert_tokens(translator: Translator, text: str) -> tuple[SideToken, ...]:
    """Return the source as BERT reads it."""
    if translator.bert is None:
        return ()
    encoded = translator.bert.wordpiece.encode(text)
    return tuple(
        SideToken(token, *span) for token, span in zip(encoded.tokens, encoded.offsets, strict=True)
    )


_Array = NDArray[np.float32]


def _arrays(
    encoded: Encoded, decoded: Decoded
) -> tuple[_Array, _Array, _Array, _Array | None, _Array | None]:
    """Stack the layers' weights: encoder, decoder, cross, encoder to BERT, decoder to BERT."""

    def stack(weights: Sequence[Tensor | None]) -> _Array | None:
        layers = [w[0].float().cpu().numpy() for w in weights if w is not None]
        return np.stack(layers) if layers else None

    encoder = stack([w.self_attention for w in encoded.weights])
    before = stack([w.self_attention for w in decoded.weights])
    cross = stack([w.cross for w in decoded.weights])
    assert encoder is not None
    assert before is not None
    assert cross is not None
    return (
        encoder,
        before,
        cross,
        stack([w.bert for w in encoded.weights]),
        stack([w.bert for w in decoded.weights]),
    )


def _nodes(translator: Translator, done: Search) -> tuple[BeamNode, ...]:
    """Return the search as a tree; a beginning's parent is the one in its place a step before."""
    nodes: list[BeamNode] = [BeamNode(0, SPECIAL[START], "", 0.0, -1, "kept", is_best=True)]
    paths: list[tuple[int, ...]] = [()]
    open_nodes = {0: 0}  # place in the beam -> node
    best = decoder_outputs(done.best)
    for step, extensions in enumerate(done.steps, 1):
        still_open: dict[int, int] = {}
        for extension in extensions:
            parent = open_nodes[extension.parent]
            path = (*paths[parent], extension.token)
            state = (
                "kept"
                if extension.beam_row >= 0
                else "ended"
                if extension.token == END
                else "dropped"
            )
            if extension.beam_row >= 0:
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


def _endings(translator: Translator, done: Search) -> tuple[tuple[str, float], ...]:
    """Return all translations that ended, best first."""
    ranked = sorted(done.hypotheses, key=lambda hypothesis: -hypothesis.score)
    return tuple(
        (translator.vocabulary.decode(hypothesis.ids), hypothesis.score) for hypothesis in ranked
    )


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
        done = _searched(translator, text, config)  # once for all three
        attention = attention_of(translator, text, done.best)
        steps = _steps_of(translator, text, done.best, topn)
        tree = BeamTree(_nodes(translator, done), _endings(translator, done))
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
    weights: NDArray[np.float32] | None = getattr(attention, kind)
    if weights is None:
        raise InputError("translation_needs_bert")
    from_side, to_side = _sides(attention, kind)
    heads = tuple(str(head + 1) for head in range(weights.shape[1]))
    return AttentionMap(model, from_side, to_side, weights, heads)


def _sides(attention: TranslationAttention, kind: str) -> tuple[Side, Side]:
    """Return what looks and what is looked at; one object where a text looks at itself."""
    if kind in ("encoder", "decoder"):
        tokens = attention.source_tokens if kind == "encoder" else attention.input_tokens
        side = token_side(
            tokens, attention.source if kind == "encoder" else attention.target, kind == "decoder"
        )
        return side, side
    to_tokens = attention.source_tokens if kind == "cross" else attention.bert_tokens
    if kind == "bert_encoder":
        return token_side(attention.source_tokens, attention.source), token_side(
            to_tokens, attention.source
        )
    return token_side(attention.target_tokens, attention.target, is_target=True), token_side(
        to_tokens, attention.source
    )


def token_side(tokens: Sequence[SideToken], text: str, is_target: bool = False) -> Side:
    """Join tokens of a source, a target or BERT to words; the target is marked as the second text."""
    is_sign = [token.token in _SIGNS and token.start == token.end for token in tokens]
    as_tokens = Tokens(
        ids=tuple(int(sign) for sign in is_sign),
        tokens=tuple(token.token for token in tokens),
        offsets=tuple((token.start, token.end) for token in tokens),
        segments=(0,) * len(tokens),
    )
    return replace(side_of(as_tokens, (text,), {1}), segments=(int(is_target),) * len(tokens))


def _source_attention(
    attention: TranslationAttention,
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Return the source's words and how much each step looks at each of them."""
    side = token_side(attention.source_tokens, attention.source)
    layer = max(0, len(attention.cross) - 2)
    starts = np.flatnonzero(np.diff(np.array(side.words), prepend=-1))
    shares = np.add.reduceat(attention.cross[layer].mean(0), starts, axis=-1)
    return side.word_labels, shares.astype(np.float32)

"""Lines translated, whole or sentence by sentence, by an encoder-decoder with its vocabulary; each token with its alignment.

`look_inside` returns a translation from inside at once: all its attentions, the candidates of every step, and the tree of its beam
search; `attention_map` turns one kind of attention into a map that the attention view draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from embeddings.arrays import Float32s, slices
from embeddings.configuration import check_choice
from embeddings.errors import CheckpointError, InputError, wrong_shape
from embeddings.networks.decoding import (
    DecodingConfig,
    Hypothesis,
    Search,
    decoding,
    next_log_probabilities,
    search,
    to_batch,
)
from embeddings.networks.encoder_decoder import (
    END,
    START,
    Encoded,
    TranslationNetwork,
    bert_memory,
    open_translation,
)
from embeddings.probing.attention_answers import AttentionMap, Side
from embeddings.probing.attention_weights import side_of
from embeddings.probing.network import Network, pad
from embeddings.probing.sentence_answers import Guess
from embeddings.probing.translation_answers import (
    ATTENTIONS,
    BeamNode,
    BeamTree,
    DecodingStep,
    TranslatedToken,
    Translation,
    TranslationAttention,
    TranslationInside,
)
from embeddings.results import Report, Rows, Value, progress_of
from embeddings.runtime import one_thread
from embeddings.text.subwords import SPACE, SPECIAL, Pieces, SubwordVocabulary
from embeddings.text.tokenizer import Tokens
from embeddings.text.word_positions import sentences
from embeddings.verbs import TranslatorVerbs

SENTENCES_AT_A_TIME = 64
_SIGNS = {*SPECIAL, "[CLS]", "[SEP]"}


class Translator(TranslatorVerbs, Value, eq=False):
    """A translation network (evaluation mode, float32), its vocabulary, and the BERT that is fused in; hashed by identity.

    Questions are methods (`TranslatorVerbs`).
    """

    name: str
    network: TranslationNetwork
    vocabulary: SubwordVocabulary
    bert: Network | None = None

    @property
    def longest(self) -> int:
        """Subwords that a source may have."""
        return self.network.config.max_position_embeddings - 1

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.network.parameters()).device

    def tokens(self, text: str) -> int:
        """How many subwords a text has."""
        return len(self.vocabulary.encode(text).ids)

    def fits(self, text: str) -> bool:
        """Whether the network, and BERT, can read a text whole."""
        if self.tokens(text) > self.longest:
            return False
        return self.bert is None or len(self.bert.wordpiece.encode(text).ids) <= self.bert.longest


def open_translator(folder: Path, bert: Network | None = None, name: str = "") -> Translator:
    """Open a translation model's folder.

    Parameters
    ----------
    bert : Network, optional
        The BERT that the card of a fused model names (`embeddings.networks.encoder_decoder.find_bert`).

    Raises
    ------
    InputError
        If the model is fused and no BERT is given.
    MissingFileError, CheckpointError
        If a file is missing, damaged, or does not fit the others.
    """
    network, vocabulary = open_translation(folder), SubwordVocabulary.load(folder)
    if len(vocabulary) != network.config.vocab_size:
        raise CheckpointError(
            "reader_vocabulary",
            path=folder,
            tokens=len(vocabulary),
            rows=network.config.vocab_size,
        )
    size = network.config.bert_size
    if size and bert is None:
        raise InputError("translation_needs_bert")
    if size and bert is not None and bert.config.hidden_size != size:
        raise wrong_shape(bert.name, "hidden_size", bert.config.hidden_size, size)
    return Translator(name or folder.name, network, vocabulary, bert if size else None)


def translate(
    translator: Translator,
    lines: Sequence[str],
    config: DecodingConfig | int | None = None,
    *,
    align: bool = False,
    report: Report | None = None,
) -> Rows[Translation]:
    """Translate lines; an empty line stays empty, one that is too long is translated sentence by sentence.

    Parameters
    ----------
    align : bool
        Give for each token its probability and the source token that it looked at most.

    Raises
    ------
    InputError
        If a single sentence is longer than the network (or BERT) takes; the line is named.
    """
    config = decoding(config)
    parts = [cut(translator, line, number) for number, line in enumerate(lines, 1)]
    flat = [part for line in parts for part in line]
    translations = iter(_translate_parts(translator, flat, config, align, report))
    return Rows(
        _joined(" ".join(line.split()), list(islice(translations, len(pieces))))
        for line, pieces in zip(lines, parts, strict=True)
    )


def cut(translator: Translator, line: str, number: int = 1) -> tuple[str, ...]:
    """Return a line as one part, or, if it is too long, as its sentences; () for an empty one.

    Raises
    ------
    InputError
        If a sentence is too long by itself.
    """
    line = " ".join(line.split())
    if not line:
        return ()
    if translator.fits(line):
        return (line,)
    return tuple(check_text_fits(translator, part, number) for part in sentences(line))


def check_text_fits(translator: Translator, text: str, line: int = 1) -> str:
    """Return a text that the network, and BERT, can read whole; another is an `InputError`."""
    if not translator.fits(text):
        size = {"tokens": translator.tokens(text), "bound": translator.longest}
        raise InputError("translation_long", line=line, **size)
    return text


def encode(
    translator: Translator, texts: Sequence[str], need_weights: bool = False
) -> tuple[list[Pieces], Encoded]:
    """Read a batch of texts: their subwords, and the encoder's states (with BERT's next to them)."""
    pieces = [translator.vocabulary.encode(text) for text in texts]
    memory = None
    if translator.bert is not None:
        bert_tokens = [translator.bert.wordpiece.encode(piece.text) for piece in pieces]
        ids, _, real = pad(translator.bert, bert_tokens)
        memory = bert_memory(translator.bert.network, ids, real)
    batch = to_batch([list(piece.ids) for piece in pieces], translator.device)
    with torch.inference_mode():
        return pieces, translator.network.encode(batch, memory, need_weights)


def _translate_parts(
    translator: Translator,
    texts: Sequence[str],
    config: DecodingConfig,
    align: bool,
    report: Report | None,
) -> list[Translation]:
    """Translate texts that fit; those of like lengths share a batch."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    translations: dict[int, Translation] = {}
    advance = progress_of(report, "translate", len(texts))
    for part in slices(len(order), SENTENCES_AT_A_TIME):
        rows = order[part]
        pieces, encoded = encode(translator, [texts[i] for i in rows])
        searches = search(translator.network, encoded, config)
        for row, piece, done in zip(rows, pieces, searches, strict=True):
            translations[row] = _translation(translator, piece, done.best, align)
        advance(len(translations))
    return [translations[i] for i in range(len(texts))]


def _translation(
    translator: Translator, piece: Pieces, best: Hypothesis, align: bool
) -> Translation:
    """Return the result of one part."""
    text = translator.vocabulary.decode(best.ids)
    source_tokens = (*piece.tokens, SPECIAL[END])
    tokens: tuple[TranslatedToken, ...] = ()
    if align:
        attention = attention_of(translator, piece.text, best)
        aligned = zip(
            attention.target_side.labels,
            attention.log_probabilities,
            attention.alignment,
            strict=True,
        )
        tokens = tuple(TranslatedToken(token, float(p), source) for token, p, source in aligned)
    return Translation(
        piece.text, text, source_tokens, tokens, best.score, best.finished, piece.unknown
    )


def _joined(line: str, parts: Sequence[Translation]) -> Translation:
    """Return the parts of a line as one translation; places in the source count through all of it."""
    if len(parts) == 1:
        return parts[0]
    source: list[str] = []
    tokens: list[TranslatedToken] = []
    for part in parts:
        tokens += [
            TranslatedToken(t.token, t.log_probability, t.source + len(source) * (t.source >= 0))
            for t in part.tokens
        ]
        source += part.source_tokens
    return Translation(
        line,
        " ".join(part.target for part in parts),
        tuple(source),
        tuple(tokens),
        sum(part.score for part in parts),
        all(part.finished for part in parts),
        tuple(letter for part in parts for letter in part.unknown),
        len(parts),
    )


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
    name, decode = translator.vocabulary.token, translator.vocabulary.decode
    likeliest = probabilities.topk(min(topn, probabilities.shape[-1]))
    shares, ids = likeliest.values.tolist(), likeliest.indices.tolist()
    steps = []
    for step, word in enumerate(output_ids):
        pairs = zip(ids[step], shares[step], strict=True)
        candidates = tuple(Guess(name(number), share) for number, share in pairs)
        chosen = Guess(name(word), float(probabilities[step, word]))
        steps.append(DecodingStep(decode(output_ids[:step]), candidates, chosen))
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

"""What a network answers with parts of it turned off: masked guesses, class and log-odds, sentence vector, translation.

Also how much each head matters.

The guess and the class are read from the last layer by the heads that stand on it, which stay as they are.

A part's output becomes 0 (zero ablation), its mean over other sentences (mean ablation), or what it is in a second sentence of
as many tokens (activation patching; Vig et al. 2020). Residual connections and norms stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from embeddings.arrays import Float64s
from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError, shortened
from embeddings.networks.bert import Encoder
from embeddings.networks.decoding import DecodingConfig, decoding, next_log_probabilities, search
from embeddings.networks.encoder_decoder import START, TranslationNetwork
from embeddings.probing import ablation
from embeddings.probing.ablation_answers import (
    REPLACEMENTS,
    TRANSLATOR_KINDS,
    ClassAblation,
    GuessAblation,
    HeadEffects,
    MaskAblation,
    Parts,
    Replacement,
    TranslationAblation,
    TranslatorHeadEffects,
    TranslatorHeads,
)
from embeddings.probing.attention_weights import shorten, side_of, words_of
from embeddings.probing.attribution import log_odds
from embeddings.probing.fill_mask import allowed_guesses, best_ids, named_guesses, token_head
from embeddings.probing.label_prediction import Classifier, prediction_of
from embeddings.probing.network import (
    Network,
    all_real,
    candidates,
    mask_name,
    pad,
    token_id,
    token_names,
)
from embeddings.probing.translator import Translator, encode, one_text, translate
from embeddings.results import Value
from embeddings.runtime import one_thread
from embeddings.text.tokenizer import Tokens
from embeddings.text.word_positions import MASK

TOGETHER = 2048  # tokens that run at once, of source and translation too
ZERO = Replacement()


class _Question(Value, eq=False):
    """A text as an encoder reads it: its tokens, and the positions and name of each of its words.

    ``read`` reads another text in the same way.
    """

    reader: Network
    read: Callable[[str], Tokens]
    tokens: Tokens
    words: tuple[range, ...]
    labels: tuple[str, ...]
    truncated: int

    @property
    def encoder(self) -> Encoder:
        """The network's encoder, as it is."""
        return self.reader.network.encoder

    @cached_property
    def whole(self) -> Tensor:
        """The last layer of the text with all parts on, (1, tokens, hidden_size)."""
        with torch.inference_mode():
            return _states(self, self.encoder)


def words_of_text(model: Network | Classifier, text: str, second: str = "") -> tuple[str, ...]:
    """Return the words of a text in the order in which `Parts.words` counts them, signs included.

    Raises
    ------
    InputError
        If the text has no token.
    """
    return _question(model, text, second).labels


def ablate(  # noqa: PLR0913
    reader: Network,
    text: str,
    parts: Parts,
    replacement: Replacement = ZERO,
    *,
    second: str = "",
    topn: int = 10,
    only_words: bool = True,
) -> GuessAblation:
    """Return what a network puts at each [MASK] of a text, and its sentence vector, with all parts on and with some off.

    Parameters
    ----------
    reader : Network
    text, second : str
        A sentence, and what follows it or ""; both may hold [MASK] and need not.
    parts : Parts
        What is turned off.
    replacement : Replacement
        What takes its place. The attention that words get is masked whatever it is.
    topn : int, default 10
        Guesses a mask.
    only_words : bool, default True
        Leave out parts of words, signs and digits.

    Raises
    ------
    InputError
        If the text has no token, a part is out of range, the network has no MLM head and the text a [MASK], a [MASK] lies
        behind what the network takes, or the sentences of ``replacement`` do not fit.

    References
    ----------
    Michel et al. (2019), "Are Sixteen Heads Really Better than One?"; Vig et al. (2020), "Investigating Gender Bias in Language
    Models Using Causal Mediation Analysis".
    """
    check_range("topn", topn, 1, reader.config.vocab_size)
    question = _question(reader, text, second)
    masks = _masks(question)
    if masks:
        token_head(reader)
    with torch.inference_mode(), one_thread():
        states = _before_and_after(question, parts, replacement)
        rows = [state[0, masks] for state in states] if masks else []
        shares = [token_head(reader)(row).double().softmax(-1).cpu().numpy() for row in rows]
    allowed = allowed_guesses(reader, only_words)
    answers = []
    for before, after in zip(*shares, strict=True):
        ids = best_ids(before, allowed, topn)
        answers.append(
            MaskAblation(
                named_guesses(reader, before, ids),
                named_guesses(reader, after, best_ids(after, allowed, topn)),
                tuple(map(float, after[ids])),
            )
        )
    cosine = _cosine(states[0].mean(1), states[1].mean(1))
    return GuessAblation(text, second, parts, tuple(answers), float(cosine[0]), question.truncated)


def head_effects(
    reader: Network,
    text: str,
    replacement: Replacement = ZERO,
    *,
    second: str = "",
    token: str = "",
) -> HeadEffects:
    """Return by how much the log-probability of a guess at the first [MASK] falls when each head alone is off; one row of a batch a head.

    A text without [MASK] is asked for its sentence vector.

    Parameters
    ----------
    token : str
        The token that is followed; "" takes the likeliest one.

    Raises
    ------
    InputError
        As `ablate`; or if there is no such token.

    References
    ----------
    Michel et al. (2019), section 3: heads turned off one at a time.
    """
    question = _question(reader, text, second)
    masks = _masks(question)
    if not masks:
        vector = question.whole.mean(1)
        falls = _each_head(question, replacement, lambda states: _cosine(vector, states.mean(1)))
        return HeadEffects("", falls)
    head, position = token_head(reader), masks[0]

    def log_probabilities(states: Tensor) -> Tensor:
        return head(states[:, position]).double().log_softmax(-1)

    with torch.inference_mode():
        nats = log_probabilities(question.whole)[0].cpu().numpy()
    likeliest = int(best_ids(nats, candidates(reader), 1)[0])
    number = token_id(reader, token) if token else likeliest
    falls = _each_head(question, replacement, lambda states: log_probabilities(states)[:, number])
    return HeadEffects(token_names(reader)[number], falls)


def ablate_class(
    classifier: Classifier, text: str, parts: Parts, replacement: Replacement = ZERO
) -> ClassAblation:
    """Return what a classifier says of a text with all parts on and with some off; as `ablate`."""
    question, network = _question(classifier, text), classifier.network
    with torch.inference_mode(), one_thread():
        states = _before_and_after(question, parts, replacement)
        pooled = [network.pool(state, all_real(state)) for state in states]
        logits = [network.output(state)[0] for state in pooled]
    number = int(logits[0].argmax())
    before, after = (
        prediction_of(classifier, text, each.float().cpu().numpy(), question.truncated)
        for each in logits
    )
    nats, nats_after = (float(log_odds(each, number)) for each in logits)
    label, cosine = classifier.labels[number], float(_cosine(*pooled)[0])
    return ClassAblation(text, parts, label, before, after, nats, nats_after, cosine)


def class_head_effects(
    classifier: Classifier, text: str, replacement: Replacement = ZERO
) -> HeadEffects:
    """Return by how much the log-odds of the label that a classifier gives fall when each head alone is off; as `head_effects`."""
    question, network = _question(classifier, text), classifier.network

    def logits(states: Tensor) -> Tensor:
        return network.output(network.pool(states, all_real(states))).double()

    with torch.inference_mode():
        number = int(logits(question.whole)[0].argmax())
    falls = _each_head(question, replacement, lambda states: log_odds(logits(states), number))
    return HeadEffects(classifier.labels[number], falls)


def _question(model: Network | Classifier, text: str, second: str = "") -> _Question:
    """Read a text and what follows it as a network does, or a text as a classifier does, cut to what it takes."""
    if isinstance(model, Classifier):
        texts, longest = (model.as_read(text), ""), model.network.config.longest
        return _cut(model.reader, model.encode, texts, longest)
    reader = model
    name, mask = mask_name(reader), reader.wordpiece.mask_id
    texts = (text.replace(MASK, name), second.replace(MASK, name))

    def read(first: str) -> Tokens:
        follows = texts[1] if second.strip() else None
        return reader.wordpiece.encode(first.replace(MASK, name), follows)

    question = _cut(reader, read, texts, reader.longest)
    if question.truncated and read(text).ids.count(mask) > question.tokens.ids.count(mask):
        size = len(question.tokens.ids) + question.truncated
        raise InputError("network_too_long", tokens=size, bound=reader.longest)
    return question


def _cut(
    reader: Network, read: Callable[[str], Tokens], texts: tuple[str, str], longest: int
) -> _Question:
    """Read texts, cut to ``longest`` tokens, and join tokens to words."""
    special, whole = {reader.wordpiece.cls_id, reader.wordpiece.sep_id}, read(texts[0])
    tokens = shorten(whole, special, longest)
    if all(token in special for token in tokens.ids):
        raise InputError("attention_empty")
    side = side_of(tokens, texts, special)
    words = words_of(side)
    return _Question(
        reader,
        lambda text: shorten(read(text), special, longest),
        tokens,
        tuple(positions for _, positions in words),
        tuple(side.word_labels[number] for number, _ in words),
        len(whole.ids) - len(tokens.ids),
    )


def _masks(question: _Question) -> list[int]:
    """Return the positions of [MASK]."""
    mask = question.reader.wordpiece.mask_id
    return [position for position, token in enumerate(question.tokens.ids) if token == mask]


def _states(question: _Question, encoder: Encoder, rows: int = 1) -> Tensor:
    """Return the last layer of a text, (rows, tokens, hidden_size), float32."""
    ids, segments, real = pad(question.reader, [question.tokens])
    output = encoder(ids.expand(rows, -1), segments.expand(rows, -1), real.expand(rows, -1))
    return output.last.float()


def _before_and_after(
    question: _Question, parts: Parts, replacement: Replacement
) -> tuple[Tensor, Tensor]:
    """Return the last layer of a text with all parts on, and with parts off."""
    encoder = ablation.separate_modules(question.encoder)
    sites = ablation.encoder_sites(encoder)
    ablation.check_parts(sites, parts, len(question.words))
    ablation.turn_off(sites, parts, _instead(question, replacement))
    if parts.words:
        hidden = [position for word in parts.words for position in question.words[word - 1]]
        ablation.hide_keys(sites, hidden, len(question.tokens.ids))
    return question.whole, _states(question, encoder)


def _instead(question: _Question, replacement: Replacement) -> Tensor | None:
    """Return what takes the place of each part, (layers, 3, tokens or 1, hidden_size); None for 0."""
    kind = replacement.kind
    check_choice("replacement", kind, REPLACEMENTS)
    if kind == "zero":
        return None
    texts = [text for text in replacement.texts if text.strip()]
    if not texts or (kind == "patch" and len(texts) > 1):
        raise InputError("ablation_texts", kind=kind, texts=len(texts))
    others = [question.read(text) for text in texts]
    if kind == "mean":
        sums = [_part_outputs(question, tokens).sum(2, keepdim=True) for tokens in others]
        return torch.stack(sums).sum(0) / sum(len(tokens.ids) for tokens in others)
    size, expected = len(others[0].ids), len(question.tokens.ids)
    if size != expected:
        raise InputError(
            "ablation_tokens", text=shortened(texts[0]), tokens=size, expected=expected
        )
    return _part_outputs(question, others[0])


def _part_outputs(question: _Question, tokens: Tokens) -> Tensor:
    """Return what heads, attention and feed-forward block of each layer give, (layers, 3, tokens, hidden_size).

    Heads that do not fill hidden_size (Kazan 2019) have zeros behind.
    """
    encoder = ablation.separate_modules(question.encoder)
    sites = ablation.encoder_sites(encoder)
    outputs: list[Tensor] = []  # three a layer, in the order in which they are computed

    def keep_attention(_: Any, args: Any, output: Any) -> None:
        joined = args[0][0]
        room = output.shape[-1] - joined.shape[-1]
        outputs.extend((nn.functional.pad(joined, (0, room)), output[0]))

    for site in sites:
        site.output.register_forward_hook(keep_attention)
        site.feed_forward.register_forward_hook(lambda _, __, output: outputs.append(output[0]))
    _states(replace(question, tokens=tokens), encoder)
    return torch.stack(outputs).view(len(sites), 3, *outputs[0].shape)


def _each_head(
    question: _Question, replacement: Replacement, answer: Callable[[Tensor], Tensor]
) -> Float64s:
    """Return by how much the answer (rows,), which is read from states (rows, ...), falls with each head alone off: (layers, heads)."""

    def without(off: Sequence[ablation.Heads]) -> Tensor:
        encoder = ablation.separate_modules(question.encoder)
        ablation.turn_heads_off(ablation.encoder_sites(encoder), off, instead)
        return before - answer(_states(question, encoder, len(off)))

    size = max(1, TOGETHER // len(question.tokens.ids))
    with torch.inference_mode(), one_thread():
        instead = _instead(question, replacement)
        before = answer(question.whole)
        return ablation.each_head_off(ablation.encoder_sites(question.encoder), size, without)


def _cosine(first: Tensor, second: Tensor) -> Tensor:
    """Cosine of rows, (1 or rows, size) and (rows, size) -> (rows,)."""
    return torch.nn.functional.cosine_similarity(first.double(), second.double(), -1)


def translator_sites(network: TranslationNetwork, kind: str) -> list[ablation.LayerSites]:
    """Return where the heads of each layer are; ``kind`` is one of `TRANSLATOR_KINDS`."""
    layers = network.encoder if kind == "encoder" else network.decoder
    name = "cross" if kind == "cross" else "attention"
    return [ablation.site_of(getattr(layer, name), layer.feed_forward) for layer in layers]  # type: ignore[arg-type]


def without_heads(translator: Translator, heads: TranslatorHeads) -> Translator:
    """Return a translator with heads off, their output 0; the one given stays as it is.

    Raises
    ------
    InputError
        If a layer or head is out of range.
    """
    ablated = replace(translator, network=ablation.separate_modules(translator.network))
    for kind in TRANSLATOR_KINDS:
        sites, off = translator_sites(ablated.network, kind), getattr(heads, kind)
        ablation.check_parts(sites, Parts(heads=off), 0)
        ablation.turn_heads_off(sites, [off])
    return ablated


def ablate_translation(
    translator: Translator,
    text: str,
    heads: TranslatorHeads,
    config: DecodingConfig | int | None = None,
) -> TranslationAblation:
    """Translate a line with all heads on, and again with some off.

    Raises
    ------
    InputError
        As `embeddings.probing.translator.translate`, if the text is empty, or if a head is out of range.

    References
    ----------
    Voita et al. (2019), "Analyzing Multi-Head Self-Attention".
    """
    if not text.strip():
        raise InputError("translation_empty")
    ablated = without_heads(translator, heads)
    with one_thread():
        (before,), (after,) = (translate(each, [text], config) for each in (translator, ablated))
    return TranslationAblation(
        before.source, heads, before.target, after.target, before.score, after.score
    )


def translation_head_effects(
    translator: Translator, text: str, config: DecodingConfig | int | None = None
) -> TranslatorHeadEffects:
    """Return by how much the log-probability of the whole network's translation falls when each head alone is off.

    The translation is given to the decoder; a row of the batch has one head off, of one kind of attention.

    Returns
    -------
    TranslatorHeadEffects
        In nats, summed over the translation's tokens.

    Raises
    ------
    InputError
        If the text is empty, or longer than the network takes at once.
    """
    text = one_text(translator, text)
    with torch.inference_mode(), one_thread():
        _, encoded = encode(translator, [text])
        best = search(translator.network, encoded, decoding(config))[0].best
        target = best.outputs
        size = max(1, TOGETHER // (translator.tokens(text) + len(target)))
        whole = _log_probabilities(translator, text, target, 1)
        effects = {}
        for kind in TRANSLATOR_KINDS:

            def fall(off: Sequence[ablation.Heads], kind: str = kind) -> Tensor:
                ablated = replace(translator, network=ablation.separate_modules(translator.network))
                ablation.turn_heads_off(translator_sites(ablated.network, kind), off)
                return whole - _log_probabilities(ablated, text, target, len(off))

            falls = ablation.each_head_off(translator_sites(translator.network, kind), size, fall)
            effects[kind] = HeadEffects(translator.vocabulary.decode(best.ids), falls)
    return TranslatorHeadEffects(**effects)


def _log_probabilities(
    translator: Translator, text: str, target: tuple[int, ...], rows: int
) -> Tensor:
    """Return the log-probability of a translation in each of some rows of one text, float64 (rows,)."""
    _, encoded = encode(translator, [text] * rows)
    network = translator.network
    ids = torch.tensor([[START, *target[:-1]]], device=translator.device).expand(rows, -1)
    hidden = network.decode(ids, network.open(encoded)).hidden
    wanted = torch.tensor(target, device=translator.device).expand(rows, -1)
    logs = next_log_probabilities(network, hidden).gather(-1, wanted[:, :, None])
    return logs[:, :, 0].double().sum(-1)
